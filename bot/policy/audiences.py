"""Who may use a tool, and where: the access rules of an installation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

AudienceKind = Literal["everyone", "roles", "manage_server", "owner"]


@dataclass(frozen=True, slots=True)
class Asker:
    """The member whose message, command or click started the work, as Discord reports them just now.

    `manage_server` is true for administrators too.
    """

    member_id: str
    guild_id: str
    is_owner: bool
    manage_server: bool
    role_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    """The channel where the work was started; `parent_id` is the parent channel of a thread."""

    channel_id: str
    parent_id: str | None = None


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may use one tool; `role_ids` matters for the kind `roles` alone."""

    kind: AudienceKind
    role_ids: frozenset[str] = frozenset()

    def admits(self, asker: Asker) -> bool:
        """Whether `asker` is inside. The owner always is."""
        if asker.is_owner:
            return True
        match self.kind:
            case "everyone":
                return True
            case "roles":
                return not self.role_ids.isdisjoint(asker.role_ids)
            case "manage_server":
                return asker.manage_server
            case "owner":
                return False

    def in_words(self) -> str:
        """Completes "it is for …"."""
        match self.kind:
            case "everyone":
                return "everyone"
            case "roles":
                return "members with one of these roles: " + ", ".join(
                    f"<@&{r}>" for r in sorted(self.role_ids)
                )
            case "manage_server":
                return "members who may manage the server"
            case "owner":
                return "the server's owner"


EVERYONE = Audience("everyone")
MANAGE_SERVER = Audience("manage_server")


@dataclass(frozen=True, slots=True)
class AccessRules:
    """What the owner set for one installation; what is not set has its default.

    `channel_ids` is empty when the trick may be used in every channel.
    """

    audiences: Mapping[str, Audience] = field(default_factory=dict[str, Audience])
    channel_ids: frozenset[str] = frozenset()

    def audience(self, tool: str, *, read_only: bool) -> Audience:
        """The rule for `tool`: at first a read tool is for everyone, any other for Manage Server."""
        return self.audiences.get(tool, EVERYONE if read_only else MANAGE_SERVER)

    def open_in(self, place: Place) -> bool:
        """Whether the trick may be used there; a thread follows its parent."""
        return not self.channel_ids or not self.channel_ids.isdisjoint({place.channel_id, place.parent_id})
