"""The demo's world: a simulated server in the browser, the real bot on SQLite, the sample trick over HTTP.

Everything lives in this process and in one temporary folder; only the browser's page and the trick listen, on
loopback. The trick is registered and enabled as in earnest: its owner runs the commands and presses the
buttons, and every call to it is signed. A script stands in for the assistant's model.
"""

import re
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import discord
import simcord
from aiohttp import web
from simcord.backend.errors import SetupError

from bot.app import Kennel
from bot.clock import Clock
from bot.config import Config, NetworkSection, StorageSection
from bot.demo.outside import OutsideClock, OutsideTransport
from bot.demo.page import LivePage
from bot.demo.sample_trick import build_app
from bot.demo.scripted_model import ScriptedModel
from bot.errors import StartupError
from bot.run import bring_up_to_date
from bot.services import open_services
from bot.transport import AddressPolicy, SystemResolver

LOOPBACK = "127.0.0.1"
TRICK_ID = "snack_club"
COMMANDS_ARE_WRITTEN_AFTER = 3.0
"""Seconds of the simulated server's time; the bot waits two, so that several changes make one write."""
POSTS_ARE_LOOKED_FOR_EVERY = 2.5
"""Seconds of the simulated server's time, with a little room."""
_WELCOME = (
    "Snack Club is installed here. Type `/snacks` or `^snacks` to see the menu, or ask "
    "`@Kennel what snacks are there?`"
)


@dataclass(frozen=True)
class Trick:
    """The sample trick as it runs: `host_port` is where, `secrets` what it trusts, which may grow."""

    host_port: str
    secrets: list[str]

    @property
    def manifest_url(self) -> str:
        """What the owner registers."""
        return f"http://{self.host_port}/manifest.json"


@dataclass(frozen=True)
class Server:
    """A simulated server; the owner manages tricks in a channel that the page does not show.

    `people` are whom one can be in the page: the owner, somebody who may manage the server, and a member.
    """

    guild: simcord.GuildHandle
    channel: simcord.ChannelHandle
    office: simcord.ChannelHandle
    owner: simcord.MemberActor
    people: tuple[simcord.MemberActor, ...]


async def serve(port: int, folder: Path, ready: Callable[[str], None]) -> None:
    """Run the demo until its session is ended in the page, or until it is cancelled.

    `port` is the page's (0: any free one) and `folder` takes the database. `ready` is told the page's address,
    which is a credential: whoever has it acts in the simulated server. Raises `StartupError`.
    """
    async with open_server(folder) as (env, server):
        try:
            async with env.preview(
                server.channel, viewers=list(server.people), layout="channel", port=port
            ) as preview:
                ready(preview.url)
                await LivePage(env, preview).serve()
        except SetupError as error:
            raise StartupError([_why_no_page(error, port)]) from None


@asynccontextmanager
async def open_server(folder: Path, *, pace: float = 1.0) -> AsyncGenerator[tuple[simcord.Env, Server]]:
    """The simulated Discord and its one server, with the bot in it and the sample trick enabled.

    `folder` takes the database; `pace` is the seconds of each step of the trick's task. Raises `StartupError`.
    """
    async with _sample_trick(pace) as trick, _bot(folder, trick) as env:
        server = _furnish(env)
        await _install(env, server, trick)
        await _welcome_somebody(env, server)
        await server.owner.send(server.channel, _WELCOME)
        yield env, server


def _why_no_page(error: SetupError, port: int) -> str:
    if isinstance(error.__cause__, OSError):
        return f"Port {port} is taken: choose another one with --port, or leave it out for any free one."
    return f"The page could not be served: {error}"


@asynccontextmanager
async def _sample_trick(pace: float) -> AsyncGenerator[Trick]:
    """The trick on a free port of loopback; it trusts nobody yet."""
    with socket.create_server((LOOPBACK, 0)) as listening:
        trick = Trick(f"{LOOPBACK}:{listening.getsockname()[1]}", [])
        runner = web.AppRunner(
            build_app(trick.secrets, f"http://{trick.host_port}", pace=pace), access_log=None
        )
        await runner.setup()
        try:
            await web.SockSite(runner, listening).start()
            yield trick
        finally:
            await runner.cleanup()


@asynccontextmanager
async def _bot(folder: Path, trick: Trick) -> AsyncGenerator[simcord.Env]:
    """The bot, logged in to a simulated Discord where nothing is yet."""
    # Not read from the environment: what is set there belongs to a bot in earnest.
    config = Config.model_construct(
        storage=StorageSection(url=f"sqlite:///{folder / 'kennel.db'}"),
        network=NetworkSection(development_hosts=[trick.host_port]),
    )
    await bring_up_to_date(config.storage.url)
    hosts = frozenset(config.network.development_hosts)
    transport = OutsideTransport(SystemResolver(), AddressPolicy(), development_hosts=hosts)
    async with open_services(config, OutsideClock(), transport, ScriptedModel()) as services:
        env = simcord.Env(Kennel(services, shard_count=1))
        env.backend.bot_user.name = "Kennel"
        env.backend.advance_clock((Clock().now() - env.now()).total_seconds() - COMMANDS_ARE_WRITTEN_AFTER)
        await env.start()
        try:
            yield env
        finally:
            await env.shutdown()


def _furnish(env: simcord.Env) -> Server:
    guild = env.create_guild("The Kennel", owner=env.create_user("olive", global_name="Olive"))
    channel = guild.create_text_channel("snacks")
    office = guild.create_text_channel("office")
    owner = simcord.MemberActor(env, guild, guild.owner)
    helpers = guild.create_role("helpers", permissions=discord.Permissions(manage_guild=True))
    mia = guild.add_member(env.create_user("mia", global_name="Mia"), roles=[helpers])
    tom = guild.add_member(env.create_user("tom", global_name="Tom"))
    return Server(guild, channel, office, owner, (owner, mia, tom))


async def _install(env: simcord.Env, server: Server, trick: Trick) -> None:
    """The owner registers the trick, hands its secret over, and enables it."""
    asked = await server.owner.slash(server.office, "tricks register", manifest_url=trick.manifest_url)
    await server.owner.click(_last(asked), label="Register")
    trick.secrets.extend(re.findall(r"whsec_[A-Za-z0-9+/=]+", _text(_last(asked))))
    asked = await server.owner.slash(server.office, "tricks enable", trick=TRICK_ID)
    await server.owner.click(_last(asked), label="Enable")
    await env.advance_time(COMMANDS_ARE_WRITTEN_AFTER)
    if "snacks" not in server.owner.available_commands(server.channel):
        raise StartupError([f"The sample trick could not be enabled: {_text(_last(asked))}"])


async def _welcome_somebody(env: simcord.Env, server: Server) -> None:
    """The owner chooses the channel for events, and somebody joins: the trick's welcome is posted there."""
    await server.owner.slash(server.office, "tricks events", trick=TRICK_ID, channel=server.channel)
    server.guild.add_member(env.create_user("ida", global_name="Ida"))
    await env.advance_time(POSTS_ARE_LOOKED_FOR_EVERY)


def _last(result: simcord.InteractionResult) -> simcord.ResponseMessage:
    messages = [*([result.response] if result.response else []), *result.followups]
    return messages[-1]


def _text(message: simcord.ResponseMessage) -> str:
    return " ".join([message.content, *(embed.description or "" for embed in message.embeds)])
