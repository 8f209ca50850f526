"""What somebody typed behind a prefix command, as the tool's arguments."""

from collections.abc import Sequence

from bot.errors import BadArguments
from bot.strict_json import Json
from bot.text import length, printable
from cogs.options import OptionSpec, takes_rest
from cogs.prefix_tokens import Flag, Token, TokenReader
from cogs.prefix_values import GuildIds, read_value, shown

PROBLEMS_LENGTH = 1_300


def parse_arguments(
    text: str, options: Sequence[OptionSpec], *, usage: str, known: GuildIds
) -> dict[str, Json]:
    """The arguments in `text`, which is everything behind the command's name; keys are option names.

    Required options come by position in their order, or by name; a last required one that is a string takes
    the rest word for word, without the flags in it, and without quotes when the rest is one quoted text.
    Optional ones come by name, anywhere: `--count=2`, `--count 2`, `--count = 2`. A boolean's flag alone is
    true, and it takes a value only with `=`. After a lone `--` all is text, quotes and dashes too.

    Raises `BadArguments` with every problem, as far as one message has room, and `usage`.
    """
    reading = _Reading(printable(text), options)
    reading.read()
    arguments = reading.bind(known)
    if reading.problems:
        raise BadArguments(_tellable(reading.problems), usage)
    return arguments


def _tellable(problems: Sequence[str]) -> list[str]:
    """As many of `problems` as fit into one message with the usage line, and how many more there are."""
    told: list[str] = []
    room = PROBLEMS_LENGTH
    for problem in problems:
        room -= length(problem) + 1
        if room < 0:
            return [*told, f"Problems that are not listed here: {len(problems) - len(told)}."]
        told.append(problem)
    return told


class _Reading:
    """One pass over the text; `named` has None for a flag without a readable value."""

    def __init__(self, text: str, options: Sequence[OptionSpec]) -> None:
        self._reader = TokenReader(text)
        self._options = {option.name: option for option in options}
        self._required = [option for option in options if option.required]
        self._rest = self._required[-1] if takes_rest(options) else None
        self._words: list[Token] = []
        self._named: dict[str, str | None] = {}
        self.problems: list[str] = []

    def read(self) -> None:
        """Sort the tokens into words and named values."""
        while (token := self._reader.take()) is not None:
            flag = token.flag
            if flag is None or (flag.ends_flags and flag.label != "--" and self._rest_begun()):
                self._words.append(token)
            elif flag.ends_flags:
                self._words += self._reader.take_text()
            else:
                self._name(flag)
        if (unclosed := self._reader.unclosed) is not None:
            told = shown(unclosed.raw[len(unclosed.bare) :])
            self.problems.append(f"The quote at {told} is never closed; `--` before it makes it plain text.")

    def bind(self, known: GuildIds) -> dict[str, Json]:
        """The arguments, as far as they are right; what is wrong or missing is added to `problems`."""
        typed = self._by_position() | self._named
        arguments: dict[str, Json] = {}
        for name, option in self._options.items():
            given = typed.get(name)
            if given is not None:
                try:
                    arguments[name] = read_value(option, given, known)
                except BadArguments as error:
                    self.problems += error.problems
            elif option.required and name not in typed:
                self.problems.append(f"{shown(name)} is missing.")
        return arguments

    def _by_position(self) -> dict[str, str | None]:
        words, typed = self._words, dict[str, str | None]()
        for option in self._required:
            if option.name in self._named or not words:
                continue
            if option is self._rest:
                typed[option.name], words = self._text_of(words), []
            else:
                typed[option.name], words = words[0].value, words[1:]
        if words:
            self.problems.append(f"{shown(self._text_of(words))} is more than this command takes.")
        return typed

    def _rest_begun(self) -> bool:
        """Whether the words so far reach into the rest, where a lone long dash is part of the text."""
        if self._rest is None or self._rest.name in self._named:
            return False
        return len(self._words) > sum(option.name not in self._named for option in self._required[:-1])

    def _text_of(self, words: Sequence[Token]) -> str:
        if len(words) == 1:
            return words[0].value
        return "".join(word.raw + self._reader.blank_after(word) for word in words).rstrip()

    def _name(self, flag: Flag) -> None:
        option = self._options.get(flag.name)
        value = self._value_of(flag, option)
        if option is None:
            self.problems.append(f"{shown(flag.label)} is none of this command's options.")
        elif option.name in self._named:
            self.problems.append(f"{shown(flag.label)} is given more than once.")
        else:
            self._named[option.name] = value
            if value is None:
                self.problems.append(f"{shown(flag.label)} needs a value.")

    def _value_of(self, flag: Flag, option: OptionSpec | None) -> str | None:
        """The value of `flag`, which may be one of the next two tokens; None if there is none."""
        if flag.value is not None:
            return flag.value
        assigned, ahead = flag.assigned, self._reader.peek()
        if not assigned and ahead is not None and ahead.bare.startswith("="):
            self._reader.take()
            if ahead.raw != "=":
                return ahead.raw[1:] if ahead.quoted is None else ahead.quoted
            assigned, ahead = True, self._reader.peek()
        if not assigned and (option is None or option.type == "boolean"):
            return "true"
        if ahead is None or ahead.flag is not None:
            return None
        self._reader.take()
        return ahead.value
