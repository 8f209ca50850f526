"""Which links Discord's client would make of a text, by the rules of the markdown reader that it uses.

Only the rules for links are here, tried at every position of the text: neither code spans nor escapes hide
anything. So it finds every link that Discord would show, and some that it would not.
"""

import re
from dataclasses import dataclass

_MASKED = re.compile(
    r"\[((?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*?)\]"
    r"\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['\"]([\s\S]*?)['\"])?\s*\)"
)
_REFERENCE = re.compile(r"(?im)^[ >]*\[((?:\\.|[^\]\\])*)\]:\s*<?([a-z][a-z0-9+.-]*:\S*)")
_ANGLED = re.compile(r"<((?:https?|steam|discord):/[^ >]+)>", re.IGNORECASE)
_BARE = re.compile(r"(?:https?|steam|discord)://[^\s<]+[^<.,:;\"'\]\s]", re.IGNORECASE)
_SCHEME = re.compile(r"(?:https?|discord):", re.IGNORECASE)


@dataclass(frozen=True)
class ShownLink:
    """What a reader sees of a link, and where a click leads."""

    visible: str
    address: str


def masked_links(text: str) -> list[ShownLink]:
    """Links with a text of their own, anywhere in `text`, reference definitions included."""
    found = [ShownLink(*match.group(1, 2)) for match in _REFERENCE.finditer(text)]
    for opening in re.finditer(r"\[", text):
        match = _MASKED.match(text, opening.start())
        if match and _SCHEME.match(re.sub(r"\\(.)", r"\1", match[2])):
            found.append(ShownLink(match[1], match[2]))
    return found


def shown_addresses(text: str) -> list[str]:
    """Addresses that stand in `text` themselves and can be clicked."""
    found: list[str] = []
    at = 0
    while at < len(text):
        match = _ANGLED.match(text, at)
        if match:
            found.append(match[1])
        else:
            match = _BARE.match(text, at)
            if match:
                found.append(match[0])
        at = match.end() if match else at + 1
    return found
