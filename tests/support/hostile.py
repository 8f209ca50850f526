"""Texts by which a trick would forge what an owner reads, and a judge of what would come alive in Discord.

The judge knows Discord's rules for escapes and code, and looks for marks that stand beside a `zq` of a trick.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

BOLD = "**zq** __zq__ ~~zq~~ ||zq||"
MENTIONS = "@everyone @here <@666> <@&666> <#666> </zq:666> <t:666:R> <:zq:666>"
LINKS = "[zq](https://zq.example/) <https://zq.example> https://zq.example/x"
FENCES = "```zq``` `zq` ``zq`` *zq*"
BLOCKS = "# zq > zq - zq -# zq >>> zq"
RIGHT = "שלום zq \u200f\u200e" + "ع" * 10
ZALGO = "z" + "\u0301\u0489\u036f" * 8 + "q"
LINES = "zq\n# zq\n> zq\n```\nzq\n**by Discord** zq\n-# zq\n\n\n1. zq"
UNSEEN = "z\u200b\u202eq\u2066\u00ad\x07\x1b[31m\u3164\U000e0041 zq"
FLAVOURS: Mapping[str, str] = {
    "bold": BOLD,
    "mentions": MENTIONS,
    "links": LINKS,
    "fences": FENCES,
    "blocks": BLOCKS,
    "right": RIGHT,
    "zalgo": ZALGO,
    "odd fences": "`` zq ` zq ``` zq",
    "backslashes": "\\zq\\ \\*zq\\* \\\\**zq**\\",
    "emoji": "🦴" * 20,
}

_MARK = r"[*_~|`\[\]()<>#@]"
_ALIVE = re.compile(
    rf"{_MARK}zq|zq{_MARK}|@(?:everyone|here)|<(?:@[!&]?|#|/zq:|t:|a?:zq:)666|https?://\S*zq|^\s*(?:#+|-#|>+) ?zq",
    re.MULTILINE | re.IGNORECASE,
)
_TOKEN = re.compile(r"\\(.)|```[\s\S]*?```|(?<!`)(`+)(?!`)([\s\S]*?[^`])\2(?!`)", re.DOTALL)


def alive(text: str) -> list[str]:
    """What of a trick's marks Discord would not show as it stands in `text`."""
    plain = _TOKEN.sub(lambda found: "\ufffc", text)
    return [match[0] for match in _ALIVE.finditer(plain)]


def forgeries(body: Mapping[str, Any]) -> list[str]:
    """What comes alive anywhere in a message that is drawn with markdown, titles and names of fields included."""
    return [f"{where}: {mark!r} in {text!r}" for where, text in _drawn(body) for mark in alive(text)]


def filled(text: str, limit: int) -> str:
    """`text` again and again between two harmless letters, filling the limit (in UTF-16 units)."""
    kept = "a "
    for char in (text + " ") * (limit // (len(text) + 1) + 1):
        if len((kept + char).encode("utf-16-le")) // 2 > limit - 2:
            break
        kept += char
    return f"{kept} b"


def _drawn(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "content", str(body.get("content") or "")
    embeds: list[Mapping[str, Any]] = body.get("embeds") or []
    for embed in embeds:
        yield "title", str(embed.get("title") or "")
        yield "description", str(embed.get("description") or "")
        fields: list[Mapping[str, str]] = embed.get("fields") or []
        for field in fields:
            yield "field", field["name"]
            yield "value", field["value"]
