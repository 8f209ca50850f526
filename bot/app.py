"""The Discord client: intents, the command tree, the cogs, and a shutdown that finishes what is in flight."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

import discord
from discord import app_commands
from discord.ext import commands

from bot.log import logger
from bot.services import Services

COGS = (
    "cogs.messenger",
    "cogs.trick_commands",
    "cogs.actions",
    "cogs.approvals",
    "cogs.autoreview",
    "cogs.questions",
    "cogs.owner",
    "cogs.owner_access",
    "cogs.owner_events",
    "cogs.owner_log",
    "cogs.owner_refresh",
    "cogs.owner_rotate",
    "cogs.owner_settings",
    "cogs.owner_show",
    "cogs.guidance",
    "cogs.privacy",
    "cogs.guilds",
    "cogs.personal",
    "cogs.chat",
    "cogs.event_posts",
    "cogs.members",
    "cogs.command_sync",
    "cogs.continuing",
    "cogs.background",
)
DRAIN_SECONDS = 20.0
PAUSE_AFTER_SECONDS = 15.0
"""From then on conversations pause at their next step; the next start goes on with them."""

LAST_EVENTS_SECONDS = 2.0

SlashRouter = Callable[[discord.Interaction[Any]], Awaitable[None]]
Submit = Callable[[discord.Interaction[Any], re.Match[str]], Awaitable[None]]
"""Takes a form that was filled in; the match is of the form's custom id."""

_log = logger(__name__)


def intents() -> discord.Intents:
    """Servers, messages with their content, and members (both privileged)."""
    wanted = discord.Intents.none()
    wanted.guilds = True
    wanted.guild_messages = True
    wanted.message_content = True
    wanted.members = True
    return wanted


class TrickTree(app_commands.CommandTree["Kennel"]):
    """Sends the guild commands, which are all tricks', to their router; the rest are the bot's own."""

    async def interaction_check(self, interaction: discord.Interaction["Kennel"]) -> bool:
        """False for a trick's command: it has been answered, and the tree has nothing more to do."""
        if interaction.type is not discord.InteractionType.application_command:
            return True
        data = cast("dict[str, Any]", interaction.data)
        if "guild_id" not in data or interaction.client.slash_router is None:
            return True
        await interaction.client.slash_router(interaction)
        return False


class Kennel(commands.AutoShardedBot):
    """One process's connection to Discord. Cogs find what they need in `services`."""

    def __init__(self, services: Services, **options: Any) -> None:
        # there is no voice here: that its libraries are missing is no warning for anybody
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            tree_cls=TrickTree,
            intents=intents(),
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            max_ratelimit_timeout=30.0,
            allowed_contexts=app_commands.AppCommandContext(guild=True),
            allowed_installs=app_commands.AppInstallationType(guild=True),
            **options,
        )
        self.services = services
        self.slash_router: SlashRouter | None = None
        self.draining = False
        self._forms: list[tuple[re.Pattern[str], Submit]] = []
        self._durable: set[type[discord.ui.DynamicItem[Any]]] = set()
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def setup_hook(self) -> None:
        """Read the command table, then load the cogs: the first event already finds both."""
        await self.services.table.load()
        for name in COGS:
            await self.load_extension(name)

    async def on_ready(self) -> None:
        """Say in the log that commands and conversations are served from now on."""
        _log.info("ready", count=len(self.guilds))

    async def on_message(self, message: discord.Message, /) -> None:
        """Messages are read by the cogs' listeners; there are no prefix command objects to run."""

    def add_dynamic_items(self, *items: type[discord.ui.DynamicItem[Any]]) -> None:
        """As in discord.py; what was added once is remembered for `keep_dynamic_items`."""
        self._durable.update(items)
        super().add_dynamic_items(*items)

    def keep_dynamic_items(self) -> None:
        """Add them again: discord.py may drop a class together with some view, and adding costs nothing."""
        super().add_dynamic_items(*self._durable)

    def add_form(self, custom_id: re.Pattern[str], submit: Submit) -> None:
        """Have the forms whose custom id is of this kind taken by `submit`, also after a restart."""
        self._forms.append((custom_id, submit))

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """One look for all forms: this comes for every command and every press too."""
        if interaction.type is not discord.InteractionType.modal_submit:
            return
        form_id = cast("dict[str, Any]", interaction.data)["custom_id"]
        for custom_id, submit in self._forms:
            if (match := custom_id.fullmatch(form_id)) is not None:
                await submit(interaction, match)

    @contextmanager
    def in_flight(self) -> Generator[None]:
        """Marks work that a shutdown waits for."""
        self._in_flight += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._in_flight -= 1
            if not self._in_flight:
                self._idle.set()

    async def drain(self) -> None:
        """Refuse new work, and wait up to twenty seconds for what is in flight.

        Members who join or leave meanwhile are written down all the same: Discord tells of them once.
        """
        self.draining = True
        self.services.deliveries.stop()
        self.services.posts.stop()
        if await self._is_idle_within(PAUSE_AFTER_SECONDS):
            return
        self.services.assistant.stop()
        if not await self._is_idle_within(DRAIN_SECONDS - PAUSE_AFTER_SECONDS):
            _log.warning("work was still in flight at the end", count=self._in_flight)

    async def _is_idle_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self.services.deliveries.idle()
                await self.services.posts.idle()
                await self.services.outbox.idle()
                await self._idle.wait()  # at last: what those have ended in may be told to an owner
        except TimeoutError:
            return False
        return True

    async def _write_last_events(self) -> None:
        """What came while Discord was left."""
        try:
            async with asyncio.timeout(LAST_EVENTS_SECONDS):
                await self.services.outbox.idle()
        except TimeoutError:
            _log.error("events were lost: the database did not answer")

    async def close(self) -> None:
        """Drain, then leave Discord. The database is closed by whoever opened it."""
        await self.drain()
        await super().close()
        await self._write_last_events()
