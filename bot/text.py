"""Text that is safe to show in Discord: measuring, shortening, escaping, making the invisible visible.

Lengths are counted in UTF-16 code units. Discord counts no character as more than that, so what fits here
fits there.
"""

import re
import unicodedata

ELLIPSIS = "…"
_MARKDOWN = re.compile(r"([\\*_~`|>\[\]()#<:@-])")
_PRINTABLE_BLANKS = frozenset(
    "\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f\U00016fe4\U0001d159"
) | frozenset(map(chr, range(0xFE00, 0xFE10)))
_NEEDLESS = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\u00ad\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)
_INVISIBLE_CATEGORIES = frozenset({"Cf", "Cc", "Cs", "Co", "Cn", "Zl", "Zp"})


def length(text: str) -> int:
    """The number of UTF-16 code units of `text`."""
    return len(text) + sum(char > "\uffff" for char in text)


def clamp(text: str, limit: int) -> str:
    """`text`, shortened to `limit` UTF-16 units with "…" at its end when it was longer; `limit` >= 1."""
    if length(text) <= limit:
        return text
    room, kept = limit - 1, 0
    for index, char in enumerate(text):
        room -= 2 if char > "\uffff" else 1
        if room < 0:
            break
        kept = index + 1
    return text[:kept].rstrip("\u200d") + ELLIPSIS


def printable(text: str) -> str:
    """`text` without lone surrogates and NULs, which no wire format carries."""
    return "".join(char for char in text if not "\ud800" <= char <= "\udfff" and char != "\0")


def one_line(text: str) -> str:
    """`text` on one line, without invisible characters, runs of white space made one blank."""
    return " ".join("".join(" " if char.isspace() else char for char in text if not _hides(char)).split())


def legible(text: str) -> str:
    """`text` without the invisible characters that neither a script nor an emoji needs.

    Newlines and tabs stay, and so do joiners, marks of direction, variation selectors and tags.
    """
    return _NEEDLESS.sub("", text.replace("\r\n", "\n"))


def escape(text: str) -> str:
    """`text` with everything escaped that Discord would read as markdown, a mention or a timestamp."""
    return _MARKDOWN.sub(r"\\\1", printable(text))


def escaped_line(text: str, limit: int = 100) -> str:
    """Somebody else's name for a title or a sentence: one line of at most `limit` units, then escaped.

    Discord draws the titles of embeds and the names of fields with markdown too.
    """
    return escape(clamp(one_line(text), limit))


def code_block(text: str, limit: int) -> str:
    """`text` in a code block of at most `limit` units; a fence inside cannot close it."""
    inner = printable(text).replace("```", "`\u200b``")
    return f"```\n{clamp(inner, limit - 8)}\n```"


def inline_code(text: str, limit: int = 100) -> str:
    """`text` on one line between backticks, at most `limit` units in all."""
    return f"`{clamp(one_line(printable(text)).replace('`', 'ˋ'), limit - 2) or ' '}`"


def visible(text: str) -> str:
    """`text` with every invisible or blank-looking character but newline and space written as `\\u{…}`."""
    return "".join(f"\\u{{{ord(char):04x}}}" if _hides(char) and char != "\n" else char for char in text)


def _hides(char: str) -> bool:
    if " " <= char <= "~":
        return False
    if char in _PRINTABLE_BLANKS or 0xE0100 <= ord(char) <= 0xE01EF:
        return True
    if "\U0001f000" <= char <= "\U0001faff":
        return False
    return unicodedata.category(char) in _INVISIBLE_CATEGORIES and char not in "\n\t\r"
