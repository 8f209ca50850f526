"""`kennel check`: everything that would keep Kennel from running, told at once, and nothing changed."""

from dataclasses import dataclass
from pathlib import Path

import discord

from bot.config import AssistantSection, Config, read_config
from bot.errors import StartupError
from bot.keys import FINGERPRINT, key_problems
from bot.llm.providers import assistant_problems, model_name
from bot.observability import listening, opening
from bot.run import INTENTS_MISSING, NO_DISCORD, TOKEN_REFUSED, point_at, token_problems
from bot.services import read_links
from storage.errors import DatabaseNewer, StorageError
from storage.meta import look_up
from storage.migrate import REVISIONS, state

ENDPOINT_SET = (
    "An Interactions Endpoint URL is set in the Developer Portal (General Information), so commands and buttons "
    "would go there instead of to Kennel: clear it."
)


NO_MODEL = (
    "The assistant is off, because `assistant.model` is not set. "
    "Set it to turn the assistant on, or take {keys} away."
)
NOT_INSTALLED = (
    "/metrics will show nothing: it needs one more package. Install the extra from the copy of Kennel, like "
    "`pip install '.[metrics]'`. /healthz works without it."
)


@dataclass(frozen=True, slots=True)
class Findings:
    """Sentences. `problems` keep Kennel from running; with `hints` it runs, perhaps not as it was meant."""

    problems: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


async def look_at(path: Path, *, required: bool) -> Findings:
    """Everything that there is to say about the configuration in the file at `path` and what it names."""
    try:
        config = read_config(path, required=required)
    except StartupError as error:
        return Findings(tuple(error.problems))
    return Findings(
        (
            *await _database_and_key(config),
            *_blocklist_problems(config),
            *assistant_problems(config.assistant),
            *listening.problems(config.observability.listen),
            *await _discord(config, path),
        ),
        (*_assistant_hints(config.assistant), *_metrics_hints(config.observability.listen)),
    )


def _assistant_hints(section: AssistantSection) -> list[str]:
    """The example file sets the provider, so that alone says nothing."""
    given = {
        "provider": section.provider != "openai-compatible",
        "base_url": section.base_url is not None,
        "api_key": section.api_key is not None,
    }
    idle = [f"`assistant.{key}`" for key, is_given in given.items() if is_given]
    return [NO_MODEL.format(keys=" and ".join(idle))] if idle and not model_name(section) else []


def _metrics_hints(listen: str | None) -> list[str]:
    return [NOT_INSTALLED] if listen is not None and not opening.is_installed() else []


def _blocklist_problems(config: Config) -> list[str]:
    try:
        read_links(config.links.blocklist)
    except StartupError as error:
        return list(error.problems)
    return []


async def _database_and_key(config: Config) -> list[str]:
    """Together, because only the database knows which key is the right one."""
    try:
        return key_problems(config, await _known_key(config.storage.url))
    except StorageError as error:
        return [*key_problems(config, None), error.advice]


async def _known_key(url: str) -> str | None:
    """The fingerprint of the key that the database was used with, None where there is none yet."""
    found = await state(url)
    if found is None:
        return None
    if found not in REVISIONS:
        raise DatabaseNewer(found)
    return await look_up(url, FINGERPRINT)


async def _discord(config: Config, path: Path) -> list[str]:
    try:
        return _portal_problems(await application(config, path))
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


async def application(config: Config, path: Path) -> discord.AppInfo:
    """The bot's application, as Discord describes it. Raises `StartupError`.

    `path` is where the configuration was looked for.
    """
    if missing := token_problems(config, path):
        raise StartupError(missing)
    point_at(config)
    try:
        async with discord.Client(intents=discord.Intents.none()) as client:
            await client.login(config.discord.bot_token)
            return await client.application_info()
    except discord.LoginFailure:
        raise StartupError([TOKEN_REFUSED]) from None
    except (discord.HTTPException, OSError, TimeoutError):
        raise StartupError([NO_DISCORD]) from None
