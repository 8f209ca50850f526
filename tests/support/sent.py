"""Everything that the bot sent to the simulated Discord, judged by Discord's limits."""

import re
from collections.abc import Iterable
from typing import Any, cast

from simcord.types import HttpLogEntry

from tests.support.limits import payload_problems

_MESSAGES = re.compile(r"/channels/\d+/messages(/\d+)?|/webhooks/\d+/[^/]+(/messages/[^/]+)?")
_CALLBACK = re.compile(r"/interactions/\d+/[^/]+/callback")
_WITH_MESSAGE = {4, 7}


def message_bodies(requests: Iterable[HttpLogEntry]) -> list[dict[str, Any]]:
    """The bodies of all messages that were sent and edited, answers to interactions included."""
    bodies: list[dict[str, Any]] = []
    for request in requests:
        content: object = request.json
        if request.method not in ("POST", "PATCH") or not isinstance(content, dict):
            continue
        body = cast("dict[str, Any]", content)
        if _CALLBACK.fullmatch(request.path) and body.get("type") in _WITH_MESSAGE:
            bodies.append(body["data"])
        elif _MESSAGES.fullmatch(request.path):
            bodies.append(body)
    return bodies


def refused_messages(requests: Iterable[HttpLogEntry]) -> list[str]:
    """What Discord would have refused of these messages, as sentences; also a message that could ping."""
    problems = [problem for body in message_bodies(requests) for problem in payload_problems(body)]
    return problems + [
        f"a message may ping: {body['allowed_mentions']}"
        for body in message_bodies(requests)
        if _may_ping(body.get("allowed_mentions"))
    ]


def _may_ping(allowed: dict[str, Any] | None) -> bool:
    """Whether somebody may be pinged beside one member, who is named: the asker of a conversation."""
    if allowed is None or allowed.get("parse") or allowed.get("roles"):
        return True
    named = len(allowed.get("users", []))
    return named > 1 or (bool(allowed.get("replied_user")) and not named)
