"""What may not be seen in anything that the bot sent, found without any code of the bot."""

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from typing import Any, cast

from tests.support.discord_markdown import masked_links, shown_addresses

Body = dict[str, Any]

_FENCE = re.compile(r"```(?:[a-z0-9_+\-.#]+\n)?\n*[^\n][\s\S]*?\n*```", re.IGNORECASE)
_OTHER_LINKS = re.compile(
    r"<(?:mailto|tel|sms):[^>\s]*>|<[^\s<>@]+@[^\s<>@]+\.[^\s<>]+>|<\+\d{6,}>", re.IGNORECASE
)
_SPELLED = re.compile(r"\\\\|\\u\{0020\}×(?P<times>[0-9]+)|\\u\{(?P<code>[0-9a-f]+)\}")
_DOMAIN = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}", re.IGNORECASE)
_HOST = re.compile(r"https://([^/?#\s]+)", re.IGNORECASE)
_LIVE = re.compile(r"@(?:everyone|here)\b")
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5")


def all_texts(body: Body) -> Iterator[str]:
    """Every text of a message that a person may read."""
    yield str(body.get("content") or "")
    for embed in cast("list[Body]", body.get("embeds") or []):
        yield str(embed.get("title") or "")
        yield str(embed.get("description") or "")
        for each in cast("list[Body]", embed.get("fields") or []):
            yield from (str(each["name"]), str(each["value"]))
        yield str(cast(Body, embed.get("footer") or {}).get("text") or "")


def code_blocks(text: str) -> list[str]:
    """What stands in the code blocks of `text`, as a client reads them."""
    return [re.sub(r"^[a-z]*\n", "", each[3:-3]).strip("\n") for each in _FENCE.findall(text)]


def read_inputs(text: str) -> Any:
    """The JSON of a card's details, in which a character that cannot be seen is written as `\\u{…}`.

    A count of spaces follows the space's alone.
    """
    return json.loads(_SPELLED.sub(_character, text))


def _character(match: re.Match[str]) -> str:
    if match[0] == "\\\\":
        return match[0]
    return json.dumps(chr(int(match["code"] or "20", 16)) * int(match["times"] or 1))[1:-1]


def link_problems(body: Body, allowed: Collection[str]) -> list[str]:
    """Links that a client would show and that are not `allowed`, or pretend to lead elsewhere."""
    problems: list[str] = []
    for text in all_texts(body):
        shown = _FENCE.sub(" ", text)
        problems += [f"odd link {found}" for found in _OTHER_LINKS.findall(shown)]
        problems += [f"link {url}" for url in shown_addresses(shown) if url not in allowed]
        for masked in masked_links(shown):
            host = _HOST.match(masked.address)
            said = {each.lower() for each in _DOMAIN.findall(masked.visible)}
            if masked.address not in allowed or host is None or said - {host[1].lower()}:
                problems.append(f"masked link {masked}")
    rows = cast("list[Body]", body.get("components") or [])
    buttons = [button for row in rows for button in cast("list[Body]", row.get("components") or [])]
    return problems + [f"button {each['url']}" for each in buttons if each.get("url") not in {None, *allowed}]


def ping_problems(body: Body, asker_id: int) -> list[str]:
    """Whether a message may ping anybody but the asker."""
    allowed = cast("Body | None", body.get("allowed_mentions"))
    if allowed is None or allowed.get("parse") or allowed.get("roles"):
        return [f"may ping: {allowed}"]
    named = {str(each) for each in cast("list[Any]", allowed.get("users") or [])}
    if named - {str(asker_id)}:
        return [f"may ping others: {allowed}"]
    live = [found for text in all_texts(body) for found in _LIVE.findall(_FENCE.sub(" ", text))]
    return [f"live {each}" for each in live]


def invisible_in(text: str) -> list[str]:
    """Characters that take part in a text unseen, an emoji's own joiners and selectors apart."""
    return [
        f"U+{ord(each):04X}"
        for each in text
        if each not in "\n\t"
        and (unicodedata.category(each) in ("Cf", "Cc", "Co", "Cn", "Cs") or each in _BLANK)
    ]


def leaks(text: str, secrets: Iterable[str]) -> list[str]:
    """Those of `secrets` that stand in `text`, by their first characters."""
    return [f"leaked {each[:12]}" for each in secrets if each and each in text]
