"""A simulated Discord with the real bot in it, for journeys.

The bot's own sockets and database threads run inside simcord's scope, so its actors wait for them; what
outlives a call (kept-alive connections, the trick server) is made outside of it.
"""

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import httpx
import pytest_asyncio
import simcord

from bot.app import Kennel
from bot.config import Config
from bot.demo.outside import OutsideModel, OutsideTransport
from bot.llm.providers import open_model
from bot.run import bring_up_to_date
from bot.services import Services, open_services
from bot.transport import AddressPolicy, SystemResolver
from bot.transport.transport import SECONDS
from tests.support.clock import ShiftedClock
from tests.support.sent import refused_messages
from tests.support.trick import TrickServer


class Hosted(Protocol):
    """A trick that runs somewhere: the scripted one, or a peer in a process of its own."""

    id: str

    @property
    def host_port(self) -> str:
        """`host:port`, as in `network.development_hosts`."""
        ...

    @property
    def manifest_url(self) -> str:
        """Where the manifest is."""
        ...

    def trust(self, *secrets: str) -> None:
        """From now on accept these `whsec_…` secrets."""
        ...


class PatientTransport(OutsideTransport):
    """`patience` is the deadline of the next exchanges in seconds, None for the one that the bot gives."""

    patience: float | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.patience is not None:
            request.extensions[SECONDS] = self.patience
        return await super().handle_async_request(request)


def config_for(url: str, *tricks: Hosted, **sections: Any) -> Config:
    """A configuration that may reach the given trick servers on loopback."""
    network = {"development_hosts": [trick.host_port for trick in tricks]}
    return Config.model_validate({"storage": {"url": url}, "network": network, **sections})


def text_of(message: Any) -> str:
    """Everything that a person can read in a message: content, embeds, labels of its buttons."""
    parts = [message.content or ""]
    for embed in message.embeds:
        parts += [embed.title or "", embed.description or ""]
        parts += [f"{field.name}\n{field.value}" for field in embed.fields]
        parts += [embed.footer.text or ""]
    return "\n".join(part for part in parts if part)


@dataclass
class World:
    """One simulated server with its owner, a member, a channel and the bot."""

    env: simcord.Env
    clock: ShiftedClock
    bot: Kennel
    services: Services
    guild: simcord.GuildHandle
    channel: simcord.ChannelHandle
    owner: simcord.MemberActor
    member: simcord.MemberActor
    transport: PatientTransport

    async def register(self, trick: Hosted) -> simcord.InteractionResult:
        """The owner registers a trick and hands its secret over; gives the message with the secret."""
        preview = await self.owner.slash(self.channel, "tricks register", manifest_url=trick.manifest_url)
        assert preview.response is not None
        register = preview.response.components[0]["components"][0]["custom_id"]
        pressed = await self.owner.click(preview.response, custom_id=register)
        shown = text_of(preview.response)
        secret = re.search(r"whsec_[A-Za-z0-9+/=]+", shown)
        assert secret is not None, shown
        trick.trust(secret.group())
        return pressed

    async def enable(self, trick: Hosted) -> None:
        """The owner enables a registered trick and the commands are written."""
        asked = await self.owner.slash(self.channel, "tricks enable", trick=trick.id)
        assert asked.response is not None
        await self.owner.click([asked.response, *asked.followups][-1], label="Enable")

    async def install(self, trick: Hosted) -> None:
        """Register and enable."""
        await self.register(trick)
        await self.enable(trick)


OpenWorld = Callable[..., AbstractAsyncContextManager[World]]


def outside_transport(config: Config) -> PatientTransport:
    """The way to the tricks that `config` allows."""
    hosts = frozenset(config.network.development_hosts)
    return PatientTransport(SystemResolver(), AddressPolicy(), development_hosts=hosts)


def outside_model(config: Config, clock: ShiftedClock) -> OutsideModel | None:
    """The model that `config` names, if it names one."""
    model = open_model(config.assistant, clock)
    return OutsideModel(model) if model is not None else None


@asynccontextmanager
async def open_world(
    config: Config, clock: ShiftedClock | None = None, **options: Any
) -> AsyncGenerator[World]:
    """Start the bot on a migrated database in a fresh simulated server. Run it from a test or fixture.

    At the end nothing may have failed inside the bot, and it may have sent no message that Discord would refuse.
    """
    transport = outside_transport(config)
    clock = clock or ShiftedClock()
    await bring_up_to_date(config.storage.url)
    async with open_services(config, clock, transport, outside_model(config, clock)) as services:
        bot = Kennel(services, shard_count=1)
        env = simcord.Env(bot, **options)
        await env.start()
        try:
            yield furnish(env, clock, bot, services, transport)
        finally:
            await env.shutdown()
        env.raise_errors()
        assert refused_messages(env.http_requests) == []


def furnish(
    env: simcord.Env, clock: ShiftedClock, bot: Kennel, services: Services, transport: PatientTransport
) -> World:
    """A server with an owner, a member and a channel."""
    guild = env.create_guild(owner=env.create_user("olive"))
    channel = guild.create_text_channel("general")
    owner = simcord.MemberActor(env, guild, guild.owner)
    member = guild.add_member(env.create_user("mia"))
    return World(env, clock, bot, services, guild, channel, owner, member, transport)


@pytest_asyncio.fixture
async def world(sqlite_url: str, trick: TrickServer) -> AsyncGenerator[World]:
    """The bot on SQLite, allowed to reach the trick of the same test; nothing is registered yet.

    Both have the same clock.
    """
    clock = trick.clock = ShiftedClock()
    async with open_world(config_for(sqlite_url, trick), clock) as opened:
        yield opened
