"""What Discord would refuse of a modal, from its documentation."""

from collections.abc import Iterator
from typing import Any

from tests.support.limits import units

_ROLES, _CHANNELS = 6, 8


def modal_problems(payload: dict[str, Any]) -> Iterator[str]:
    """What Discord would refuse of a modal, from its documentation."""
    yield from _text("title", payload["title"], 1, 45)
    yield from _text("custom id", payload["custom_id"], 1, 100)
    if not 1 <= len(payload["components"]) <= 5:
        yield "components"
    ids = [label["component"]["custom_id"] for label in payload["components"]]
    if len(set(ids)) < len(ids):
        yield "a custom id stands twice"
    for label in payload["components"]:
        if label["type"] != 18:
            yield "a control without a label"
        yield from _text("label", label["label"], 1, 45)
        yield from _text("description", label.get("description") or "-", 1, 100)
        yield from _control(label["component"])


def _control(control: dict[str, Any]) -> Iterator[str]:
    yield from _text("placeholder", control.get("placeholder") or "-", 1, 100)
    if control["type"] in (_ROLES, _CHANNELS):
        yield from _picker(control)
        return
    if control["type"] == 4:
        least, most = control.get("min_length") or 0, control.get("max_length") or 4_000
        if not 0 <= least <= most <= 4_000 or most < 1:
            yield "lengths"
        yield from _text("value", control.get("value") or "-", 0, most)
        return
    options = control["options"]
    if not 1 <= len(options) <= 25 or len({each["value"] for each in options}) < len(options):
        yield "options"
    least, most = control["min_values"], control["max_values"]
    if not 0 <= least <= most <= len(options) or most < 1 or (least == 0 and control["required"]):
        yield "values"
    if sum(bool(each.get("default")) for each in options) > most:
        yield "defaults"
    for each in options:
        yield from _text("option", each["label"], 1, 100)
        yield from _text("option value", each["value"], 1, 100)


def _picker(control: dict[str, Any]) -> Iterator[str]:
    least, most = control["min_values"], control["max_values"]
    if not 0 <= least <= most <= 25 or most < 1 or (least == 0 and control["required"]):
        yield "values"
    chosen: list[dict[str, Any]] = control.get("default_values") or []
    defaults = [each["id"] for each in chosen]
    if len(defaults) > most or len(set(defaults)) < len(defaults):
        yield "defaults"


def _text(what: str, text: str, least: int, most: int) -> Iterator[str]:
    if not least <= units(text.strip()) <= most:
        yield f"{what}: {text!r}"
