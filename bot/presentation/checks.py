"""Finding and reading a presentation in a tool result, leniently.

A part that is broken is dropped and named by its path, the rest is kept; what is too long is shortened; what
is too many is left out. Types are strict with one exception: a field's value may be a number or a boolean,
which is shown as JSON spells it. `null` is the same as leaving the key out, and an action without `arguments`
has none.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TypeGuard, TypeVar

from bot.presentation.models import Action, Presentation, PresentationField, PresentationLink
from bot.strict_json import Json, NotJson, canonical, parse
from bot.text import clamp, printable

MAX_TEXT = 4_000
MAX_FIELDS = 25
MAX_LINKS = 10
MAX_ACTIONS = 5
MAX_LABEL = 256
MAX_VALUE = 1_024
MAX_BUTTON_LABEL = 80
MAX_PATHS = 50

DONE = "Done."

_Part = TypeVar("_Part")


class _Broken(Exception):
    """One part cannot be used; `key` says which of its keys is to blame, empty for the part itself."""

    def __init__(self, key: str = "") -> None:
        super().__init__(key)
        self.key = key


def present(
    structured: object, texts: Sequence[str], tools: frozenset[str]
) -> tuple[Presentation, tuple[str, ...]]:
    """The presentation of a whole result: its `pup` if that gives anything to show, else the plain one.

    `structured` is the result's structured content (anything but an object counts as absent), `texts` its
    text blocks, `tools` the tools that an action may name. Second: the paths of what was dropped.
    """
    raw = find_presentation(structured, texts)
    if raw is None:
        return plain_presentation(structured, texts), ()
    presentation, dropped = read_presentation(raw, tools)
    return (plain_presentation(structured, texts) if presentation.is_empty else presentation), dropped


def find_presentation(structured: object, texts: Sequence[str]) -> Json:
    """The raw `pup` of a result: of the structured content, else of the first text block that is JSON.

    None when there is none. An object is preferred to anything else under that key.
    """
    objects = [structured, *(_read_object(text) for text in texts)]
    found: list[Json] = [each["pup"] for each in objects if _is_object(each) and each.get("pup") is not None]
    return next((raw for raw in found if isinstance(raw, dict)), found[0] if found else None)


def read_presentation(raw: Json, tools: frozenset[str]) -> tuple[Presentation, tuple[str, ...]]:
    """Read `raw` and keep what can be used; second: the paths of what was dropped, like `pup.fields[2]`.

    Never raises. At most 50 paths are given, which hold no text of the trick.
    """
    if not isinstance(raw, dict):
        return Presentation(), ("pup",)
    dropped: list[str] = []
    text = raw.get("text")
    if text is not None and not isinstance(text, str):
        dropped.append("pup.text")
    seen: set[str] = set()
    presentation = Presentation(
        text=_short(text, MAX_TEXT) if isinstance(text, str) else "",
        fields=_parts(raw, "fields", MAX_FIELDS, _field, dropped),
        links=_parts(raw, "links", MAX_LINKS, _link, dropped),
        actions=_parts(raw, "actions", MAX_ACTIONS, lambda part: _action(part, tools, seen), dropped),
    )
    return presentation, tuple(dropped[:MAX_PATHS])


def plain_presentation(structured: object, texts: Sequence[str]) -> Presentation:
    """A result without a presentation: its text blocks, else its top-level scalars as fields, else "Done.".

    A text block that only repeats the structured content, as the SDKs write it, or that is a JSON object
    with a `pup` is data and not a text; the scalars are then taken from there when nothing is structured.
    """
    data = [structured] if _is_object(structured) else []
    shown: list[str] = []
    for text in texts:
        read = _read_object(text)
        if read is not None and ("pup" in read or (data and _same(read, data[0]))):
            data.append(read)
        elif text.strip():
            shown.append(text)
    if shown:
        return Presentation(text=_short("\n\n".join(shown), MAX_TEXT))
    fields = tuple(_scalars(data[0])) if data else ()
    return Presentation(fields=fields[:MAX_FIELDS]) if fields else Presentation(text=DONE)


def _is_object(value: object) -> TypeGuard[dict[str, Json]]:
    return isinstance(value, dict)


def _read_object(text: str) -> dict[str, Json] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = parse(text.encode())
    except (NotJson, UnicodeEncodeError):
        return None
    return value if _is_object(value) else None


def _same(one: Json, other: Json) -> bool:
    try:
        return canonical(one) == canonical(other)
    except NotJson:
        return False


def _scalars(data: dict[str, Json]) -> Iterator[PresentationField]:
    for key, value in data.items():
        text = _scalar(value)
        if text is not None and key != "pup":
            yield PresentationField(_short(key, MAX_LABEL), _short(text, MAX_VALUE))


def _scalar(value: Json) -> str | None:
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, bool | int | float) else None


def _parts(
    raw: dict[str, Json],
    key: str,
    limit: int,
    read: Callable[[dict[str, Json]], _Part],
    dropped: list[str],
) -> tuple[_Part, ...]:
    listed = raw.get(key)
    if listed is None:
        return ()
    if not isinstance(listed, list):
        dropped.append(f"pup.{key}")
        return ()
    kept: list[_Part] = []
    for index, part in enumerate(listed):
        path = f"pup.{key}[{index}]"
        if len(kept) == limit:
            dropped.append(f"pup.{key}[{index}:]")
            break
        if not isinstance(part, dict):
            dropped.append(path)
            continue
        try:
            kept.append(read(part))
        except _Broken as broken:
            dropped.append(f"{path}.{broken.key}" if broken.key else path)
    return tuple(kept)


def _field(part: dict[str, Json]) -> PresentationField:
    value = _scalar(part.get("value"))
    if value is None:
        raise _Broken("value")
    return PresentationField(_short(_string(part, "label"), MAX_LABEL), _short(value, MAX_VALUE))


def _link(part: dict[str, Json]) -> PresentationLink:
    return PresentationLink(_short(_string(part, "label"), MAX_LABEL), _string(part, "url"))


def _action(part: dict[str, Json], tools: frozenset[str], seen: set[str]) -> Action:
    action_id = _string(part, "id")
    if not action_id or action_id in seen:
        raise _Broken("id")
    label = _short(_string(part, "label"), MAX_BUTTON_LABEL)
    tool = _string(part, "tool")
    if tool not in tools:
        raise _Broken("tool")
    arguments = part.get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        raise _Broken("arguments")
    seen.add(action_id)
    return Action(action_id, label, tool, arguments or {})


def _string(part: dict[str, Json], key: str) -> str:
    value = part.get(key)
    if not isinstance(value, str):
        raise _Broken(key)
    return printable(value)


def _short(text: str, limit: int) -> str:
    return clamp(printable(text), limit)
