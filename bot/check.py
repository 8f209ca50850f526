"""`kennel check`: everything that would keep Kennel from running, told at once, and nothing changed."""

from pathlib import Path

import discord

from bot.config import Config, read_config
from bot.errors import StartupError
from bot.keys import key_path
from bot.llm.providers import assistant_problems
from bot.run import INTENTS_MISSING, NO_DISCORD, NO_TOKEN, TOKEN_REFUSED, point_at
from bot.services import read_links
from bot.signing import SecretBox, load_or_create_key
from storage.errors import DatabaseNewer, StorageError
from storage.migrate import REVISIONS, state

ENDPOINT_SET = (
    "An Interactions Endpoint URL is set in the Developer Portal (General Information), so commands and buttons "
    "would go there instead of to Kennel: clear it."
)


async def find_problems(path: Path, *, required: bool) -> list[str]:
    """Every problem, a sentence each; none when Kennel can run."""
    try:
        config = read_config(path, required=required)
    except StartupError as error:
        return list(error.problems)
    return [
        *_key_problems(config),
        *_blocklist_problems(config),
        *assistant_problems(config.assistant),
        *await _database(config),
        *await _discord(config),
    ]


def _key_problems(config: Config) -> list[str]:
    try:
        if config.storage.keys:
            SecretBox(config.storage.keys)
        elif key_path(config).exists():
            load_or_create_key(key_path(config))
    except StartupError as error:
        return list(error.problems)
    return []


def _blocklist_problems(config: Config) -> list[str]:
    try:
        read_links(config.links.blocklist)
    except StartupError as error:
        return list(error.problems)
    return []


async def _database(config: Config) -> list[str]:
    try:
        found = await state(config.storage.url)
        if found is not None and found not in REVISIONS:
            raise DatabaseNewer(found)
    except StorageError as error:
        return [error.sentence]
    return []


async def _discord(config: Config) -> list[str]:
    try:
        return _portal_problems(await application(config))
    except StartupError as error:
        return list(error.problems)


def _portal_problems(application: discord.AppInfo) -> list[str]:
    flags = application.flags
    members = flags.gateway_guild_members or flags.gateway_guild_members_limited
    content = flags.gateway_message_content or flags.gateway_message_content_limited
    problems = [] if members and content else [INTENTS_MISSING]
    if application.interactions_endpoint_url:
        problems.append(ENDPOINT_SET)
    return problems


async def application(config: Config) -> discord.AppInfo:
    """The bot's application, as Discord describes it. Raises `StartupError`."""
    if not config.discord.bot_token:
        raise StartupError([NO_TOKEN])
    point_at(config)
    try:
        async with discord.Client(intents=discord.Intents.none()) as client:
            await client.login(config.discord.bot_token)
            return await client.application_info()
    except discord.LoginFailure:
        raise StartupError([TOKEN_REFUSED]) from None
    except (discord.HTTPException, OSError, TimeoutError):
        raise StartupError([NO_DISCORD]) from None
