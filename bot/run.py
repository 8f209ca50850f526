"""`kennel run`: bring the database up to date, log in, serve, and stop cleanly."""

import asyncio
import signal
from typing import Any

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.app import Kennel
from bot.config import Config
from bot.errors import StartupError
from bot.log import logger
from bot.services import open_services
from storage.migrate import HEAD, state, upgrade

_log = logger(__name__)

NO_TOKEN = (
    "There is no bot token: set `discord.token` in the configuration, or KENNEL_DISCORD__TOKEN. "
    "The Developer Portal shows it under Bot."
)
TOKEN_REFUSED = (
    "Discord refused the bot token: copy it again from the Developer Portal (Bot, Reset Token) into "
    "`discord.token`."
)
NO_DISCORD = "Discord cannot be reached: check this machine's network connection and `discord.api_url`."
INTENTS_MISSING = (
    "Discord does not allow this bot its intents: in the Developer Portal, under Bot, turn on Server Members "
    "Intent and Message Content Intent, then start again."
)


async def run(config: Config) -> None:
    """Serve until a signal says to stop. Raises `StartupError` or `StorageError` when it cannot start."""
    if not config.discord.bot_token:
        raise StartupError([NO_TOKEN])
    point_at(config)
    await bring_up_to_date(config.storage.url)
    async with open_services(config) as services:
        bot = Kennel(services, **shard_options(config))
        with_signals = _StopOnSignal(bot)
        try:
            async with bot:
                with_signals.install()
                await bot.start(config.discord.bot_token)
        except discord.LoginFailure:
            raise StartupError([TOKEN_REFUSED]) from None
        except discord.PrivilegedIntentsRequired:
            raise StartupError([INTENTS_MISSING]) from None
        except (discord.DiscordServerError, OSError, TimeoutError):
            raise StartupError([NO_DISCORD]) from None
        finally:
            await with_signals.finished()


async def bring_up_to_date(url: str) -> None:
    """Run the missing migrations, if there are any; several processes may do this at once."""
    if await state(url) != HEAD:
        await upgrade(url)
        _log.info("database brought up to date", revision=HEAD)


def point_at(config: Config) -> None:
    """Let discord.py speak to a proxy instead of Discord, where one is configured."""
    if config.discord.api_url is not None:
        Route.BASE = config.discord.api_url.rstrip("/")
    if config.discord.gateway_url is not None:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(config.discord.gateway_url)


def shard_options(config: Config) -> dict[str, Any]:
    """The shards that this process runs, all of them when nothing is configured."""
    if config.discord.shard_ids is None:
        return {}
    return {"shard_ids": config.discord.shard_ids, "shard_count": config.discord.shard_count}


class _StopOnSignal:
    """Closes the bot on SIGINT or SIGTERM, which finishes what is in flight first."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._closing: asyncio.Task[None] | None = None

    def install(self) -> None:
        """Take the signals over from now on."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop)

    def _stop(self) -> None:
        if self._closing is None:
            _log.info("stopping: finishing what is in flight")
            self._closing = asyncio.create_task(self._bot.close())

    async def finished(self) -> None:
        """Wait for a close that a signal began."""
        if self._closing is not None:
            await self._closing
