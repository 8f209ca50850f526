"""The simulated Discord on a loopback port, what members do in it, and what can be awaited."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import discord
from aiohttp import web
from simcord import ChannelHandle, GuildHandle, InteractionResult, MemberActor, ResponseMessage, UserHandle

from tests.support.bridge.application import Application
from tests.support.bridge.changes import Changes
from tests.support.bridge.faults import Fault, Faults, Hold, error_answer
from tests.support.bridge.gateway import Gateway, Session
from tests.support.bridge.handle import Handle
from tests.support.bridge.rest import BASE, Rest, RestRequest
from tests.support.bridge.rules import Rules
from tests.support.bridge.world import World

MessageLike = discord.Message | ResponseMessage


class Bridge:
    """`async with Bridge() as bridge`: a Discord for bots in other processes.

    Point the bot's REST base at `api_url`, its gateway at `gateway_url`, and give it `token`. `world` builds
    guilds, channels and members at any time. Leaving raises what the bot used and the simulation lacks.
    """

    def __init__(self, *, shards: int = 1, application: Application | None = None) -> None:
        self.application = application or Application()
        self.world = World(shards)
        self.changes = Changes(self._recent)
        self.faults = Faults()
        self.rules = Rules(self.world.backend)
        self.rest = Rest(self.world, self.application, self.faults, self.rules, self.changes)
        self.gateway = Gateway(self.world, self.application, self.changes)
        app = web.Application(client_max_size=26 * 1024 * 1024)
        app.router.add_get("/", self.gateway.accept)
        app.router.add_get("/resume", self.gateway.accept)
        app.router.add_route("*", BASE + "/{path:.*}", self.rest.handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=2)
        self.api_url = ""
        self.gateway_url = ""

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        port = self._runner.addresses[0][1]
        self.api_url = f"http://127.0.0.1:{port}{BASE}"
        self.gateway_url = self.rest.gateway_url = f"ws://127.0.0.1:{port}/"
        self.gateway.resume_url = f"ws://127.0.0.1:{port}/resume"
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        self.faults.clear()
        self.gateway.close()
        await self._runner.cleanup()
        if kind is None and self.rest.gaps:
            raise ExceptionGroup("the bot used what the simulated Discord lacks", self.rest.gaps)

    @property
    def token(self) -> str:
        """The bot's token."""
        return self.application.token

    @property
    def requests(self) -> list[RestRequest]:
        """Every REST request, oldest first."""
        return self.rest.requests

    @property
    def sessions(self) -> list[Session]:
        """The sessions that somebody is connected to now."""
        return [session for session in self.gateway.sessions.values() if session.connected]

    # Waiting

    async def wait_until(self, look: Callable[[], Any], what: str, timeout: float = 10) -> Any:
        """What `look` gives once it is not None; it is asked after every event and request."""
        return await self.changes.until(look, what, timeout)

    async def wait_ready(self, processes: int = 1, timeout: float = 60) -> None:
        """Until so many sessions are connected and were sent their guilds (a shard is a session)."""

        def look() -> bool | None:
            return len(self.sessions) >= processes or None

        await self.wait_until(look, f"{processes} connected sessions", timeout)

    async def wait_for_request(
        self, fits: Callable[[RestRequest], bool], timeout: float = 10, *, since: int = 0
    ) -> RestRequest:
        """The first answered request that `fits`, from number `since` of `requests` on."""

        def look() -> RestRequest | None:
            answered = (one for one in self.requests[since:] if one.status is not None)
            return next((one for one in answered if fits(one)), None)

        return await self.wait_until(look, "a request", timeout)

    async def wait_for_message(
        self,
        channel: ChannelHandle,
        fits: Callable[[discord.Message], bool] = lambda message: message.author.bot,
        timeout: float = 10,
    ) -> discord.Message:
        """The first message of the channel that `fits` as it stands now; by default the bot's first."""

        def look() -> discord.Message | None:
            return next((message for message in channel.history() if fits(message)), None)

        return await self.wait_until(look, f"a message in #{channel.name}", timeout)

    async def wait_for_command(
        self, name: str, guild: GuildHandle | None = None, timeout: float = 60
    ) -> dict[str, Any]:
        """The slash command once it is registered (in the guild, or for all)."""

        def look() -> dict[str, Any] | None:
            return self.world.backend.find_command(name, guild.id if guild else None)

        return await self.wait_until(look, f"/{name}", timeout)

    # What members do

    async def send(
        self,
        member: MemberActor,
        channel: ChannelHandle,
        content: str,
        *,
        reply_to: MessageLike | None = None,
    ) -> discord.Message:
        """Write a message."""
        return await member.send(channel, content, reply_to=reply_to)

    async def slash(
        self, member: MemberActor, channel: ChannelHandle, name: str, /, **options: Any
    ) -> Handle:
        """Run a registered slash command; a subcommand's path is written with spaces."""
        return self._handle(await member.slash(channel, name, **options))

    async def click(
        self,
        member: MemberActor,
        message: MessageLike,
        *,
        label: str | None = None,
        custom_id: str | None = None,
    ) -> Handle:
        """Press the button with this label or custom id."""
        return self._handle(await member.click(message, label=label, custom_id=custom_id))

    async def select(
        self,
        member: MemberActor,
        message: MessageLike,
        values: Sequence[Any],
        *,
        custom_id: str | None = None,
    ) -> Handle:
        """Choose values in a select."""
        return self._handle(await member.select(message, values, custom_id=custom_id))

    async def submit_modal(self, member: MemberActor, shown: Handle, values: dict[str, Any]) -> Handle:
        """Send the form that `shown` opened; values by custom id."""
        await shown.modal()
        return self._handle(await member.submit_modal(shown.result, values))

    async def autocomplete(
        self, member: MemberActor, channel: ChannelHandle, name: str, option: str, typed: str, **filled: Any
    ) -> list[dict[str, Any]]:
        """Type into an option; what the bot offers."""
        await member.autocomplete(channel, name, option, typed, **filled)
        record = next(reversed(self.world.backend.interactions.values()))
        return await self._handle(InteractionResult(self.world, record)).choices()

    def _handle(self, result: InteractionResult) -> Handle:
        return Handle(result, self.changes)

    def redeliver(self, event: str) -> None:
        """Send the last event of this name once more, with a new number, to everybody."""
        payload = next(payload for name, payload in reversed(self.gateway.emitted) if name == event)
        self.gateway.send(event, payload)

    # Guilds that come and go

    def join_guild(
        self, name: str, *, channels: Sequence[str] = ("general",), owner: UserHandle | None = None
    ) -> tuple[GuildHandle, dict[str, ChannelHandle]]:
        """Somebody adds the bot to a new guild with these text channels."""
        return self.world.join_guild(name, channels=channels, owner=owner)

    def leave_guild(self, guild: GuildHandle) -> None:
        """The bot is removed from the guild."""
        self.world.backend.remove_guild(guild.id)

    def guild_outage(self, guild: GuildHandle) -> None:
        """The guild is unavailable for a while: no removal."""
        self.gateway.send("GUILD_DELETE", {"id": str(guild.id), "unavailable": True})

    def guild_back(self, guild: GuildHandle) -> None:
        """The end of `guild_outage`."""
        self.gateway.send("GUILD_CREATE", self.world.guild_payload(guild.id))

    # What goes wrong

    def fail_next(
        self,
        method: str,
        path: str,
        *,
        status: int,
        code: int = 0,
        message: str | None = None,
        retry_after: float = 0.2,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        times: int | None = 1,
    ) -> None:
        """Answer the next matching requests with `status` and do nothing. `path`: a glob, no `/api/v10`."""
        sent, data = error_answer(
            status, code=code, message=message, retry_after=retry_after, headers=headers, body=body
        )
        self.faults.add(Fault(method, path, "answer", status, sent, data, times))

    def drop_next(self, method: str, path: str, *, carried_out: bool = False, times: int | None = 1) -> None:
        """End the connection of the next matching requests without an answer, perhaps after doing them."""
        self.faults.add(Fault(method, path, "lose" if carried_out else "drop", times=times))

    def hold_next(self, method: str, path: str) -> Hold:
        """Stop the next matching request before it is carried out: `await hold.wait()`, `hold.release()`."""
        return self.faults.hold(method, path)

    def _recent(self) -> str:
        requests = [f"  {one.method} {one.path} → {one.status}" for one in self.requests[-12:]]
        events = [f"  {event}" for event, _ in self.gateway.emitted[-12:]]
        sessions = [f"  {one.id[:6]} shard {one.shard}" for one in self.sessions]
        gaps = [f"  {gap!r}" for gap in self.rest.gaps]
        return "\n".join(
            ["requests:", *requests, "events:", *events, "connected:", *sessions, "gaps:", *gaps]
        )
