"""What goes wrong on purpose between the bot and the REST API."""

import asyncio
import fnmatch
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass
class Fault:
    """Meets the next `times` requests (None: all) that match.

    `answer`: answered with `status` and nothing is done. `drop`: the connection ends and nothing is done.
    `lose`: the request is carried out and the connection ends before the answer.
    """

    method: str
    path: str
    kind: Literal["answer", "drop", "lose"]
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    times: int | None = 1


@dataclass
class Hold:
    """Keeps one matching request waiting, before it is carried out, until `release`."""

    method: str
    path: str
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self, timeout: float = 10) -> None:
        """Until the request is here."""
        async with asyncio.timeout(timeout):
            await self.arrived.wait()

    def release(self) -> None:
        """Let the request go on."""
        self.released.set()


def error_answer(
    status: int,
    *,
    code: int = 0,
    message: str | None = None,
    retry_after: float = 0.2,
    headers: Mapping[str, str] | None = None,
    body: Any = None,
) -> tuple[dict[str, str], bytes]:
    """Headers and body as Discord answers `status`. `body` replaces the JSON; a str is sent as HTML."""
    sent = {"Content-Type": "application/json", **(headers or {})}
    if isinstance(body, str):
        return sent | {"Content-Type": "text/html"}, body.encode()
    if body is None and status == 429:
        # Without `Via`, discord.py takes a 429 for a ban by Cloudflare and gives up.
        limits = {"Via": "1.1 google", "Retry-After": str(retry_after), "X-RateLimit-Scope": "user"}
        sent = limits | sent
        body = {
            "message": message or "You are being rate limited.",
            "retry_after": retry_after,
            "global": "X-RateLimit-Global" in sent,
            "code": code,
        }
    if body is None:
        body = {"message": message or f"{status}: injected", "code": code}
    return sent, json.dumps(body).encode()


class Faults:
    """The faults and holds that still wait for their request."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._holds: list[Hold] = []

    def add(self, fault: Fault) -> None:
        """Later faults come after earlier ones."""
        self._faults.append(fault)

    def hold(self, method: str, path: str) -> Hold:
        """Stop the next matching request."""
        hold = Hold(method, path)
        self._holds.append(hold)
        return hold

    def take(self, method: str, path: str) -> Fault | None:
        """The fault for this request, counted down."""
        for fault in self._faults:
            if _matches(fault, method, path):
                if fault.times is not None:
                    fault.times -= 1
                    if fault.times <= 0:
                        self._faults.remove(fault)
                return fault
        return None

    async def pass_hold(self, method: str, path: str) -> None:
        """Wait where a hold was put for this request."""
        for hold in self._holds:
            if not hold.arrived.is_set() and _matches(hold, method, path):
                hold.arrived.set()
                await hold.released.wait()
                return

    def clear(self) -> None:
        """Forget every fault and let everything go on."""
        self._faults.clear()
        for hold in self._holds:
            hold.arrived.set()
            hold.release()


def _matches(rule: Fault | Hold, method: str, path: str) -> bool:
    return rule.method in (method, "*") and fnmatch.fnmatchcase(path, rule.path)
