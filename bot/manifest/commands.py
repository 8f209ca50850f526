"""A manifest's commands, within every limit that Discord sets for a chat-input command.

One command that Discord refuses makes it refuse the commands of all tricks of a server, so nothing that it
would refuse gets past here (Discord, application command structure, option structure and choice structure).
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, PlainValidator, Strict, ValidationInfo

from bot.manifest.checking import (
    DISTINCT,
    TRUSTED,
    CheckedPart,
    Part,
    Place,
    entries,
    refuse,
    repeats,
    sentence,
)
from bot.manifest.names import CommandName, OptionName
from bot.manifest.texts import hiding_problem, line
from bot.text import length

MAX_OPTIONS = 25
MAX_CHOICES = 25
MAX_COMMAND_TEXT = 8_000
MAX_INTEGER = 2**53 - 1
MAX_NUMBER = 2**53

OptionType = Literal["string", "integer", "number", "boolean", "user", "channel", "role"]
Visibility = Literal["ephemeral", "public"]
Surface = Literal["slash", "prefix"]
ChoiceValue = str | int | float


def _choice_value(value: object) -> ChoiceValue:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return value
    raise sentence("Must be text or a number.")


class Choice(Part):
    """One value that a member may choose for an option, and the name that they see for it."""

    name: Annotated[str, line(100)]
    value: Annotated[ChoiceValue, PlainValidator(_choice_value)]


class Option(CheckedPart):
    """One argument of a command; it fills the argument of the same name of the tool."""

    name: OptionName
    description: Annotated[str, line(100)]
    type: OptionType
    required: bool = False
    choices: Annotated[tuple[Choice, ...], Strict(False), entries(0, MAX_CHOICES)] = ()

    def contradictions(self) -> Iterator[tuple[Place, str]]:
        """Choices that do not go with the option's type or with each other."""
        if self.choices and self.type not in ("string", "integer", "number"):
            yield ("choices",), "Only a string, integer or number option can have choices."
            return
        for index, choice in enumerate(self.choices):
            if problem := choice_problem(self.type, choice.value):
                yield ("choices", index, "value"), problem
        for index, earlier in repeats([choice.name.strip() for choice in self.choices]):
            yield ("choices", index, "name"), f"This name is already that of choices[{earlier}]."
        for index, earlier in repeats([choice.value for choice in self.choices]):
            yield ("choices", index, "value"), f"This value is already that of choices[{earlier}]."


def choice_problem(option_type: OptionType, value: ChoiceValue) -> str | None:
    """Why `value` cannot be a choice of an option of this type; None if it can."""
    match option_type, value:
        case "string", str():
            if not value.strip() or length(value) > 100:
                return "Must be 1 to 100 characters long."
            return hiding_problem(value)
        case "integer", int():
            if abs(value) > MAX_INTEGER:
                return "Must be between -(2^53-1) and 2^53-1; give larger numbers as text."
        case "number", int() | float():
            if abs(value) > MAX_NUMBER:
                return "Must be between -(2^53) and 2^53; give larger numbers as text."
        case "integer", _:
            return "Must be a whole number, as the option is an integer."
        case "number", _:
            return "Must be a number, as the option is one."
        case _:
            return "Must be text, as the option is a string."
    return None


def _required_first(options: tuple[Option, ...], info: ValidationInfo) -> tuple[Option, ...]:
    if info.context is not TRUSTED:
        refuse(
            ((index, "name"), f"This name is already that of options[{earlier}].")
            for index, earlier in repeats([option.name for option in options])
        )
    return tuple(sorted(options, key=lambda option: not option.required))


class Command(CheckedPart):
    """A command that runs one tool directly.

    Required options stand before the optional ones, as Discord wants them; otherwise the manifest's order
    is kept.
    """

    name: CommandName
    description: Annotated[str, line(100)]
    tool: str
    visibility: Visibility = "ephemeral"
    surfaces: Annotated[tuple[Surface, ...], Strict(False), entries(1, 2), DISTINCT] = (
        "slash",
        "prefix",
    )
    options: Annotated[
        tuple[Option, ...], Strict(False), entries(0, MAX_OPTIONS), AfterValidator(_required_first)
    ] = ()

    def contradictions(self) -> Iterator[tuple[Place, str]]:
        """More text than Discord takes for one command."""
        total = text_total(self)
        if total > MAX_COMMAND_TEXT:
            yield (
                (),
                "All names, descriptions and values of a command together must be at most "
                f"{MAX_COMMAND_TEXT:,} characters long, and have {total:,}.",
            )


def text_total(command: Command) -> int:
    """The characters that Discord counts towards its 8,000 for one command; numbers as they are written."""
    total = length(command.name) + length(command.description)
    for option in command.options:
        total += length(option.name) + length(option.description)
        total += sum(length(choice.name) + length(str(choice.value)) for choice in option.choices)
    return total
