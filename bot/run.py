"""`kennel run`: bring the database up to date, log in, serve, and stop cleanly."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.app import Kennel
from bot.config import Config
from bot.errors import StartupError
from bot.llm.providers import assistant_problems
from bot.log import logger
from bot.observability.gateway import Gateway, rest_trace, shards_of
from bot.observability.server import Pages, served
from bot.services import Services, open_services
from storage.migrate import HEAD, state, upgrade

CLOSING_SECONDS = 2.0
_log = logger(__name__)

NO_TOKEN = (
    "There is no bot token: set `discord.token` in {file}, or KENNEL_DISCORD__TOKEN. "
    "The Developer Portal shows it once, under Bot, Reset Token."
)
NO_FILE = "{path}, which is not there yet (copy config.example.toml)"
TOKEN_REFUSED = (
    "Discord refused the bot token: copy it again from the Developer Portal (Bot, Reset Token) into "
    "`discord.token`."
)
NO_DISCORD = "Discord cannot be reached: check this machine's network connection and `discord.api_url`."
INTENTS_MISSING = (
    "Discord does not allow this bot its intents: in the Developer Portal, under Bot, turn on Server Members "
    "Intent and Message Content Intent, then start again."
)


async def run(config: Config, path: Path) -> None:
    """Serve until a signal says to stop; `path` is where the configuration was looked for.

    Raises `StartupError` or `StorageError` when it cannot start.
    """
    problems = token_problems(config, path)
    problems += assistant_problems(config.assistant)
    if problems:
        raise StartupError(problems)
    point_at(config)
    await bring_up_to_date(config.storage.url)
    async with open_services(config) as services:
        listen = config.observability.listen
        bot = Kennel(services, http_trace=_trace(listen, services), **shard_options(config))
        pages = Pages(services.gauges, services.metrics, services.clock, lambda: _gateway_of(bot))
        try:
            async with served(listen, pages), bot:
                await _serve(bot, config.discord.bot_token)
        except discord.LoginFailure:
            raise StartupError([TOKEN_REFUSED]) from None
        except discord.PrivilegedIntentsRequired:
            raise StartupError([INTENTS_MISSING]) from None
        except (discord.DiscordServerError, OSError, TimeoutError):
            raise StartupError([NO_DISCORD]) from None


def _trace(listen: str | None, services: Services) -> aiohttp.TraceConfig | None:
    """What watches each request to Discord; nothing does unless somebody looks."""
    return rest_trace(services.metrics) if listen is not None else None


def _gateway_of(bot: Kennel) -> Gateway:
    return Gateway(bot.is_ready(), bot.draining, shards_of(bot.shards))


async def _serve(bot: Kennel, token: str) -> None:
    """Serve until Discord or a signal ends it; a signal finishes what is in flight first."""
    serving = asyncio.create_task(bot.start(token))
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if serving.done():
        serving.result()
        return
    _log.info("stopping: finishing what is in flight")
    await bot.close()
    # closed while it was still connecting, discord.py tries to connect for ever
    await asyncio.wait([serving], timeout=CLOSING_SECONDS)
    serving.cancel()
    ended = (await asyncio.gather(serving, return_exceptions=True))[0]
    if isinstance(ended, Exception):
        _log.info("the connection ended with an error", exc_info=ended)


def token_problems(config: Config, path: Path) -> list[str]:
    """That there is no token, and in which file it would stand."""
    if config.discord.bot_token:
        return []
    file = str(path) if path.exists() else NO_FILE.format(path=path.resolve())
    return [NO_TOKEN.format(file=file)]


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
