"""The gateway: sessions that outlive their connections, shards, intents, replay."""

import asyncio
import json
import secrets
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import discord
from aiohttp import WSMsgType, web
from simcord.gateway import FakeGateway, FakeWebSocket
from simcord.intents import missing_privileged_intents

from tests.support.bridge.application import Application
from tests.support.bridge.changes import Changes
from tests.support.bridge.connection import Connection, Op
from tests.support.bridge.world import World

ENDS_SESSION = (1000, 1001)


class Session:
    """What one IDENTIFY began: its events are numbered and kept, also while nobody is connected."""

    def __init__(
        self, world: World, shard: tuple[int, int], intents: discord.Intents, changes: Changes
    ) -> None:
        self.id = secrets.token_hex(16)
        self.shard = shard
        self.intents = intents
        self.connection: Connection | None = None
        self.parsers = _Parsers(self.push)  # FakeGateway hands every event it lets through to these
        self.filter = FakeGateway(world.backend, self)
        self.members = FakeWebSocket(world.backend, self.filter, shard_id=shard[0])
        self._changes = changes
        self._sent: list[tuple[int, str, Any]] = []

    @property
    def connected(self) -> bool:
        """Whether somebody listens now."""
        return self.connection is not None

    @property
    def sequence(self) -> int:
        """The number of the last event."""
        return len(self._sent)

    def push(self, event: str, payload: Mapping[str, Any]) -> None:
        """Number the event, keep it, and send it if somebody listens."""
        entry = (self.sequence + 1, event, dict(payload))
        self._sent.append(entry)
        if self.connection is not None:
            self.connection.dispatch(*entry)
        self._changes.tell()

    def resume(self, connection: Connection, after: int) -> None:
        """Send again what came after number `after`."""
        self.connection = connection
        for entry in self._sent[after:]:
            connection.dispatch(*entry)
        self.push("RESUMED", {})

    def owns(self, event: str, payload: Mapping[str, Any]) -> bool:
        """Whether the event belongs to this shard; what has no guild belongs to shard 0."""
        guild_id = payload.get("guild_id")
        if guild_id is None and event in ("GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE"):
            guild_id = payload["id"]
        return self.shard[0] == ((int(guild_id) >> 22) % self.shard[1] if guild_id is not None else 0)


class _Parsers:
    """Stands where discord.py keeps a parser for each event: every event ends in `push`."""

    def __init__(self, push: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._push = push

    def __getitem__(self, event: str) -> Callable[[Mapping[str, Any]], None]:
        return partial(self._push, event)

    get = __getitem__


class Gateway:
    """Accepts connections on `/` and, for RESUME, on `/resume`."""

    def __init__(self, world: World, application: Application, changes: Changes) -> None:
        self.world = world
        self.application = application
        self.changes = changes
        self.heartbeat_interval = 41_250
        self.resume_url = ""
        self.sessions: dict[str, Session] = {}
        self.emitted: list[tuple[str, Mapping[str, Any]]] = []
        self.log: list[tuple[str, str, tuple[int, int]]] = []
        self._connections: set[Connection] = set()
        self._open = asyncio.Event()
        self._open.set()
        world.backend.subscribers.append(self._emit)

    def _emit(self, event: str, payload: Mapping[str, Any]) -> None:
        if event == "GUILD_CREATE":
            # discord.py tells a new guild from one that came back by this key's absence.
            payload = {key: value for key, value in payload.items() if key != "unavailable"}
        self.emitted.append((event, payload))
        self.send(event, payload)

    def send(self, event: str, payload: Mapping[str, Any]) -> None:
        """Send the event to every session whose shard and intents it belongs to."""
        for session in list(self.sessions.values()):
            if session.owns(event, payload):
                session.filter.feed(event, payload)
        self.changes.tell()  # also where nobody is connected: the world changed

    async def accept(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until it ends."""
        await self._open.wait()
        socket = web.WebSocketResponse(max_msg_size=0, timeout=2)
        await socket.prepare(request)
        connection = Connection(socket, request)
        self._connections.add(connection)
        connection.send(Op.HELLO, {"heartbeat_interval": self.heartbeat_interval})
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    await self._receive(connection, message.data)
        finally:
            self._ended(connection)
            await connection.stop()
        return socket

    def _ended(self, connection: Connection) -> None:
        self._connections.discard(connection)
        for session in list(self.sessions.values()):
            if session.connection is connection:
                session.connection = None
                if connection.closed_by_peer in ENDS_SESSION:
                    del self.sessions[session.id]
        self.changes.tell()

    async def _receive(self, connection: Connection, text: str) -> None:
        try:
            message = json.loads(text)
            op, data = message["op"], message["d"]
        except (ValueError, KeyError, TypeError):
            connection.close(4002)
            return
        session = next((one for one in self.sessions.values() if one.connection is connection), None)
        if len(text.encode()) > 4096:
            connection.close(4002)
        elif op == Op.HEARTBEAT:
            connection.send(Op.HEARTBEAT_ACK)
        elif op == Op.IDENTIFY:
            connection.close(4005) if session else self._identify(connection, data)
        elif op == Op.RESUME:
            connection.close(4005) if session else self._resume(connection, data)
        elif op not in (Op.PRESENCE, Op.VOICE_STATE, Op.REQUEST_MEMBERS):
            connection.close(4001)
        elif session is None:
            connection.close(4003)
        elif op == Op.REQUEST_MEMBERS:
            await session.members.request_chunks(
                int(data["guild_id"]),
                data.get("query"),
                limit=data.get("limit", 0),
                user_ids=data.get("user_ids"),
                presences=data.get("presences", False),
                nonce=data.get("nonce"),
            )

    def _identify(self, connection: Connection, data: dict[str, Any]) -> None:
        shard_id, shard_count = data.get("shard") or (0, 1)
        intents = discord.Intents.none()
        intents.value = data["intents"]
        self.log.append(("identify", connection.path, (shard_id, shard_count)))
        if data["token"] != self.application.token:
            return connection.close(4004)
        if not 0 <= shard_id < shard_count:
            return connection.close(4010)
        if intents.value & ~discord.Intents.all().value:
            return connection.close(4013)
        if missing_privileged_intents(intents, self.application.intents):
            return connection.close(4014)
        session = Session(self.world, (shard_id, shard_count), intents, self.changes)
        session.connection = connection
        self.sessions[session.id] = session
        return self._welcome(session)

    def _welcome(self, session: Session) -> None:
        backend = self.world.backend
        guilds = [
            str(guild_id) for guild_id in backend.guilds if session.owns("GUILD_CREATE", {"id": guild_id})
        ]
        session.push(
            "READY",
            {
                "v": 10,
                "user": self.world.user_payload(),
                "guilds": [{"id": guild_id, "unavailable": True} for guild_id in guilds],
                "session_id": session.id,
                "resume_gateway_url": self.resume_url,
                "shard": list(session.shard),
                "application": {"id": str(backend.application_id), "flags": self.application.flags},
            },
        )
        for guild_id in guilds:
            session.filter.feed("GUILD_CREATE", self.world.guild_payload(int(guild_id)))

    def _resume(self, connection: Connection, data: dict[str, Any]) -> None:
        session = self.sessions.get(data["session_id"])
        if data["token"] != self.application.token:
            connection.close(4004)
        elif session is None:
            connection.send(Op.INVALID_SESSION, False)
        elif data["seq"] > session.sequence:
            connection.close(4007)
        else:
            self.log.append(("resume", connection.path, session.shard))
            session.resume(connection, data["seq"])

    def drop(self, *, resumable: bool = True, abrupt: bool = False) -> None:
        """End every connection; `abrupt`: without a closing frame. Not resumable: forget the sessions too."""
        for connection in self._connections:
            connection.abort() if abrupt else connection.close(4000)
        self._detach(forget=not resumable)

    def invalidate(self) -> None:
        """Op 9: the sessions are gone and the bot has to identify anew."""
        for connection in self._connections:
            connection.send(Op.INVALID_SESSION, False)
        self._detach(forget=True)

    def ask_reconnect(self) -> None:
        """Op 7: the bot should reconnect and resume."""
        for connection in self._connections:
            connection.send(Op.RECONNECT)
        self._detach(forget=False)

    def _detach(self, *, forget: bool) -> None:
        for session in self.sessions.values():
            session.connection = None
        if forget:
            self.sessions.clear()

    @contextmanager
    def down(self) -> Generator[None]:
        """Nobody is connected and newcomers wait; what happens meanwhile is kept for RESUME."""
        self._open.clear()
        self.drop()
        try:
            yield
        finally:
            self._open.set()

    def close(self) -> None:
        """Let waiting connections in and end all."""
        self._open.set()
        self.drop(resumable=False)
