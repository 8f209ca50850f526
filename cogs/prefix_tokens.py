"""Cuts what stands behind a prefix command into words, quoted texts and flags.

White space of any kind separates words. A quote opens where a word begins, or right behind the `=` of a flag,
and closes at the first closing quote that no letter or digit follows; anywhere else a quote is a letter.
Straight, curly and angle quotes quote. A single quote that nothing closes is an apostrophe; a double one
swallows the rest, which is a problem. A word that goes on behind its closing quote is taken as it was typed.
A flag is `--name`, however a phone drew its dashes; a single hyphen is the beginning of a value like `-5`.
"""

import re
from dataclasses import dataclass

_BLANK = re.compile(r"\s*")
_WORD = re.compile(r"\S+")
_DASHES = "(?:-[-‒–—―]++|[‒–—―][-‒–—―]*+)"
_FLAG = re.compile(rf"(?P<dashes>{_DASHES})(?P<name>[^=]*)(?P<equals>=?)(?P<value>.*)", re.DOTALL)
_ASSIGNMENT = re.compile(rf"(?:{_DASHES}[^\s=]*+)?=")

_DOUBLE = {'"': '"', "“": "”“", "”": "”“", "„": "“”", "‟": "”“", "«": "»", "»": "«"}
_SINGLE = {"'": "'", "‘": "’‘", "’": "’", "‚": "‘’", "‹": "›", "›": "‹"}
_CLOSERS = {opener: re.compile(rf"[{closers}](?!\w)") for opener, closers in (_DOUBLE | _SINGLE).items()}


@dataclass(frozen=True, slots=True)
class Flag:
    """A word that looks like a flag. `label` is what was typed up to the `=`, `name` is in lower case.

    `value` is None where nothing follows the `=` (`assigned`) or where there is no `=`.
    """

    label: str
    name: str
    assigned: bool
    value: str | None

    @property
    def ends_flags(self) -> bool:
        """Whether this is a lone `--`, or what a phone makes of it."""
        return not self.name and not self.assigned and len(self.label) <= 2


@dataclass(frozen=True, slots=True)
class Token:
    """One word, and where in the text it ends. `bare` stands before its quoted part, `quoted` within it."""

    raw: str
    end: int
    bare: str
    quoted: str | None = None
    closed: bool = True

    @property
    def value(self) -> str:
        """The word as a value: without its quotes when it is quoted, else as it was typed."""
        return self.raw if self.bare or self.quoted is None else self.quoted

    @property
    def flag(self) -> Flag | None:
        """The flag that the word looks like; nothing in quotes is one."""
        match = _FLAG.fullmatch(self.bare)
        if match is None:
            return None
        value = match["value"] or None if self.quoted is None else self.quoted
        return Flag(match["dashes"] + match["name"], match["name"].lower(), bool(match["equals"]), value)


class TokenReader:
    """Hands out the tokens of `text` from left to right, in time that grows with its length."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = self._skip(0)
        self._apostrophes: set[str] = set()
        self.unclosed: Token | None = None

    def take(self) -> Token | None:
        """The next token, None at the end. One that is never closed is kept in `unclosed` too."""
        token = self.peek()
        if token is not None:
            self._position = self._skip(token.end)
            self.unclosed = self.unclosed if token.closed else token
        return token

    def peek(self) -> Token | None:
        """The token that `take` gives next."""
        start = self._position
        if start == len(self._text):
            return None
        opening = _ASSIGNMENT.match(self._text, start)
        quote = start if opening is None else opening.end()
        return self._quoted(start, quote) or self._plain(start)

    def take_text(self) -> list[Token]:
        """All that is left as words, in which quotes and dashes are letters."""
        found = [
            Token(raw=match[0], end=match.end(), bare=match[0])
            for match in _WORD.finditer(self._text, self._position)
        ]
        self._position = len(self._text)
        return found

    def blank_after(self, token: Token) -> str:
        """The white space that follows `token`."""
        return self._text[token.end : self._skip(token.end)]

    def _quoted(self, start: int, quote: int) -> Token | None:
        opener = self._text[quote : quote + 1]
        if opener not in _CLOSERS or opener in self._apostrophes:
            return None
        closer = _CLOSERS[opener].search(self._text, quote + 1)
        if closer is None and opener in _SINGLE:
            self._apostrophes.add(opener)
            return None
        if closer is None:
            raw = self._text[start:]
            return Token(raw, len(self._text), raw[: quote - start], raw[quote - start + 1 :], closed=False)
        end = closer.end() + len(_text_of(_WORD.match(self._text, closer.end())))
        raw = self._text[start:end]
        if end > closer.end():
            return Token(raw, end, raw)
        return Token(raw, end, raw[: quote - start], self._text[quote + 1 : closer.start()])

    def _plain(self, start: int) -> Token:
        word = _text_of(_WORD.match(self._text, start))
        return Token(word, start + len(word), word)

    def _skip(self, position: int) -> int:
        return position + len(_text_of(_BLANK.match(self._text, position)))


def _text_of(match: re.Match[str] | None) -> str:
    return "" if match is None else match[0]
