"""Rules of Discord that simcord's routes do not know."""

import re
import time
from collections.abc import Callable, Iterable
from typing import Any

from simcord import BackendError
from simcord.backend import Backend, errors

from tests.support.bridge.command_limits import Tree, bulk_command_errors, count_problem
from tests.support.limits import payload_problems

DAILY_CREATES = 200
NONCE_SECONDS = 180.0

_COMMANDS = re.compile(r"/applications/\d+(?:/guilds/(?P<guild>\d+))?/commands")
_MESSAGES = re.compile(r"/channels/\d+/messages")
_MESSAGE_THREADS = re.compile(r"/channels/\d+/messages/(?P<message>\d+)/threads")
_THREADS = re.compile(r"/channels/\d+/threads")
_CALLBACK = re.compile(r"/interactions/\d+/[^/]+/callback")
_WEBHOOK = re.compile(r"/webhooks/\d+/[^/]+")
_ONE_MESSAGE = re.compile(r"(?:/channels/\d+|/webhooks/\d+/[^/]+)/messages/(?:\d+|@original)")
_PROBLEM_PATH = re.compile(r"(?:content|embeds\[|components\[)[\w.\[\]]*")


class Rules:
    """Checks requests before simcord's route sees them.

    `command_creates` counts new commands for each scope (a guild's id or None); a test may raise it.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._nonces: dict[str, tuple[float, Any]] = {}
        self.command_creates: dict[int | None, int] = {}

    def apply(self, method: str, path: str, body: Any, route: Callable[[], Any]) -> Any:
        """What `route` answers, unless a rule refuses (BackendError) or knows the answer already."""
        if problems := _message_problems(method, path, body):
            raise errors.invalid_form_body(errors=_problem_tree(problems))
        if method == "PUT" and (found := _COMMANDS.fullmatch(path)):
            self._check_commands(int(found["guild"]) if found["guild"] else None, body)
        elif method == "POST" and _MESSAGES.fullmatch(path):
            return self._once(body or {}, route)
        elif method == "POST" and (_THREADS.fullmatch(path) or _MESSAGE_THREADS.fullmatch(path)):
            self._check_thread(_MESSAGE_THREADS.fullmatch(path), body or {})
        elif method == "POST" and _CALLBACK.fullmatch(path) and body["type"] == 8:
            _check_choices(body["data"].get("choices") or [])
        return route()

    def _check_commands(self, scope: int | None, commands: list[dict[str, Any]]) -> None:
        if (problem := count_problem(commands)) is not None:
            raise BackendError(400, 30032, problem)
        if tree := bulk_command_errors(commands):
            raise errors.invalid_form_body(errors=tree)
        known = self._backend.commands.get(scope, {})
        created = sum((one["name"], one.get("type", 1)) not in known for one in commands)
        total = self.command_creates.get(scope, 0) + created
        if created and total > DAILY_CREATES:
            text = f"Max number of daily application command creates has been reached ({DAILY_CREATES})"
            raise BackendError(400, 30034, text)
        self.command_creates[scope] = total

    def _once(self, body: dict[str, Any], route: Callable[[], Any]) -> Any:
        nonce = str(body.get("nonce") or "")
        if len(nonce) > 25:
            raise errors.invalid_form_body(errors=_too_long("nonce", 25))
        if not nonce:
            return route()
        now = time.monotonic()
        if (
            body.get("enforce_nonce")
            and nonce in self._nonces
            and now - self._nonces[nonce][0] < NONCE_SECONDS
        ):
            return self._nonces[nonce][1]
        answer = {**route(), "nonce": nonce}
        self._nonces[nonce] = (now, answer)
        return answer

    def _check_thread(self, from_message: re.Match[str] | None, body: dict[str, Any]) -> None:
        name = body.get("name") or ""
        if not 1 <= len(name) <= 100:
            raise errors.invalid_form_body(errors=_bad_length("name", 1, 100))
        if from_message is not None and int(from_message["message"]) in self._backend.channels:
            raise BackendError(400, 160004, "A thread has already been created for this message")


def _message_problems(method: str, path: str, body: Any) -> list[str]:
    """What Discord refuses about the message that this request creates or edits."""
    callback = body["type"] if method == "POST" and _CALLBACK.fullmatch(path) else None
    edits = callback == 7 or (method == "PATCH" and _ONE_MESSAGE.fullmatch(path) is not None)
    creates = method == "POST" and (_MESSAGES.fullmatch(path) or _WEBHOOK.fullmatch(path))
    if not (edits or creates or callback == 4):
        return []
    payload = body if callback is None else body.get("data")
    problems = payload_problems(payload or {})
    return [problem for problem in problems if not (edits and problem == "the message is empty")]


def _problem_tree(problems: Iterable[str]) -> Tree:
    tree: Tree = {}
    for problem in problems:
        place, found = tree, _PROBLEM_PATH.match(problem)
        for key in re.findall(r"\w+", found[0]) if found else ():
            place = place.setdefault(key, {})
        place.setdefault("_errors", []).append({"code": "BASE_TYPE_INVALID", "message": problem})
    return tree


def _check_choices(choices: Iterable[dict[str, Any]]) -> None:
    given = list(choices)
    if len(given) > 25:
        raise errors.invalid_form_body(errors=_too_long("choices", 25))
    for index, choice in enumerate(given):
        if not 1 <= len(choice["name"]) <= 100:
            tree: Tree = {"choices": {str(index): _bad_length("name", 1, 100)}}
            raise errors.invalid_form_body(errors={"data": tree})


def _too_long(key: str, limit: int) -> Tree:
    problem = {"code": "BASE_TYPE_MAX_LENGTH", "message": f"Must be {limit} or fewer in length."}
    return {key: {"_errors": [problem]}}


def _bad_length(key: str, least: int, most: int) -> Tree:
    problem = {"code": "BASE_TYPE_BAD_LENGTH", "message": f"Must be between {least} and {most} in length."}
    return {key: {"_errors": [problem]}}
