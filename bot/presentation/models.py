"""A presentation as values. Its texts are the trick's: data, made safe only where they are drawn."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.strict_json import Json


@dataclass(frozen=True, slots=True)
class PresentationField:
    """One label with its value; either may be blank."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class PresentationLink:
    """One link as the trick gave it; no rule about links has been applied yet."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Action:
    """A button that runs `tool` with `arguments` for whoever presses it; `id` is unique beside it."""

    id: str
    label: str
    tool: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Presentation:
    """What to show; every part may be empty."""

    text: str = ""
    fields: tuple[PresentationField, ...] = ()
    links: tuple[PresentationLink, ...] = ()
    actions: tuple[Action, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show at all."""
        return not (self.text.strip() or self.fields or self.links or self.actions)
