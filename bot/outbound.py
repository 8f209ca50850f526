"""What is meant for Discord, as values; `cogs` draw them and implement `Messenger`.

Every text here has already been made safe and fitted into Discord's limits; nobody is pinged by any of it.
"""

from dataclasses import dataclass
from typing import Final, Protocol

MAX_CONTENT: Final = 2_000
"""The most UTF-16 units in the plain content of one message."""


@dataclass(frozen=True, slots=True)
class Button:
    """A durable button. `custom_id` is at most 100 characters; `style` is Discord's word for the colour."""

    custom_id: str
    label: str
    style: str = "secondary"


@dataclass(frozen=True, slots=True)
class LinkButton:
    """A button that opens `url` (at most 512 characters)."""

    url: str
    label: str


@dataclass(frozen=True, slots=True)
class EmbedField:
    """One field of an embed; neither part is empty."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Embed:
    """One embed; the texts of all its parts sum to at most 6,000 characters."""

    title: str = ""
    description: str = ""
    fields: tuple[EmbedField, ...] = ()
    footer: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """One message: plain `content`, or one `embed`, or both, with rows of buttons."""

    content: str = ""
    embed: Embed | None = None
    buttons: tuple[Button | LinkButton, ...] = ()


class Messenger(Protocol):
    """How the layers below Discord reach a person."""

    async def tell_owner(self, guild_id: str, text: str) -> bool:
        """Say `text` in the server's system channel without a ping, else to the owner directly.

        False when neither could be reached; nothing is raised for that.
        """
        ...
