"""What is meant for Discord, as values; `cogs` draw them and implement `Messenger`.

Every text here has already been made safe and fitted into Discord's limits; nobody is pinged by any of it.
"""

from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

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


@dataclass(frozen=True, slots=True)
class FormOption:
    """One line of a select. `position`, counted from "0", is what comes back; the label has 1 to 100 characters."""

    position: str
    label: str
    picked: bool


@dataclass(frozen=True, slots=True)
class FormField:
    """One field as Discord can draw it: everything is made safe and within its limits.

    `label` has 1 to 45 characters, `description` and `placeholder` at most 100. `least` and `most` are the
    characters of a text, or how many may be picked: of the `options` (1 to 25) of a select, or of the server's
    channels or roles, of which those with the ids `picked` are chosen at first; they have to exist.
    """

    name: str
    label: str
    description: str
    control: Literal["line", "paragraph", "select", "channels", "roles"]
    required: bool
    least: int
    most: int
    value: str = field(default="", repr=False)
    placeholder: str = ""
    options: tuple[FormOption, ...] = ()
    picked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormPage:
    """One page, `number` of `count`, counted from 0; `title` has at most 45 characters, `fields` are 1 to 5."""

    title: str
    number: int
    count: int
    fields: tuple[FormField, ...]


class Messenger(Protocol):
    """How the layers below Discord reach a person."""

    async def tell_owner(self, guild_id: str, text: str) -> bool:
        """Say `text` in the server's system channel without a ping, else to the owner directly.

        False when neither could be reached; nothing is raised for that.
        """
        ...

    async def owner_of(self, guild_id: str) -> str | None:
        """The id of the server's owner as Discord reports it now; None when it does not say."""
        ...
