"""What a trick is told of an event, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, cast

from bot.presentation.checks import read_presentation
from bot.presentation.models import Presentation
from bot.strict_json import Json, NotJson, canonical, dump, parse
from bot.tricks.installed import Installed
from storage.event_records import Delivery

VERSION: Final = 1
_PARTS = ("text", "fields", "links", "actions")


@dataclass(frozen=True, slots=True)
class EventAnswer:
    """What the body of a delivered event says: a presentation, nothing, or something that cannot be used.

    `problem` is why it cannot, without a word of the trick's.
    """

    presentation: Mapping[str, Json] | None = field(default=None, repr=False)
    problem: str = ""


def freeze(delivery: Delivery, installed: Installed, channel_id: str | None) -> str:
    """The envelope of a delivery as the JSON text that every attempt sends.

    It carries the settings and the events channel of this moment.
    """
    context: dict[str, Json] = {
        "installationId": delivery.installation_id,
        "settings": dict(installed.settings),
    }
    if channel_id is not None:
        context["channelId"] = channel_id
    return dump(
        {
            "version": VERSION,
            "id": delivery.id,
            "eventId": delivery.event_id,
            "occurredAt": _written(delivery.occurred_at),
            "event": {"type": delivery.type, "memberId": delivery.member_id},
            "context": context,
        }
    ).decode()


def read_answer_body(body: bytes) -> EventAnswer:
    """Read the body of a reply with a 2xx status; an empty one, `{}` and `null` for a presentation say nothing.

    Never raises.
    """
    if not body.strip():
        return EventAnswer()
    try:
        answer = parse(body)
    except NotJson as broken:
        return EventAnswer(problem=str(broken))
    if not isinstance(answer, dict):
        return EventAnswer(problem="is no JSON object")
    raw: Any = cast("dict[str, Any]", answer).get("presentation")
    if raw is None:
        return EventAnswer()
    if not isinstance(raw, dict):
        return EventAnswer(problem="has a presentation that is no JSON object")
    return EventAnswer(cast("dict[str, Json]", raw))


def stored(raw: Mapping[str, Json], tools: frozenset[str]) -> str | None:
    """A presentation as the JSON text that is kept until it is posted; None when it shows nothing.

    `tools` are those that an action may name. What no presentation has is left out.
    """
    known = {name: raw[name] for name in _PARTS if name in raw}
    presentation, _ = read_presentation(known, tools)
    return None if presentation.is_empty else canonical(known).decode()


def shown(text: str, tools: frozenset[str]) -> tuple[Presentation, tuple[str, ...]]:
    """The presentation of a stored text, and the paths of its parts that were dropped as broken."""
    return read_presentation(parse(text.encode()), tools)


def _written(at_ms: int) -> str:
    moment = datetime.fromtimestamp(at_ms // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at_ms % 1000:03d}Z"
