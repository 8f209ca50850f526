"""A trick's settings: the owner fills in a form, page by page, and what fits is stored at once.

What does not fit is kept as it was typed, so that the same page can be opened again with it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from bot.clock import Clock
from bot.errors import NoSuchTrick, NotOpen, SettingsChanged
from bot.log import logger
from bot.manifest import Setting
from bot.outbound import FormPage
from bot.strict_json import Json
from bot.text import escaped_line
from bot.tricks.drafting import DRAFT_LIFE_MS, keep_draft
from bot.tricks.installed import Installed, InstalledReader
from bot.tricks.lifecycle import Lifecycle
from bot.tricks.notices import OwnerNotices
from bot.tricks.setting_forms import (
    Filled,
    Present,
    form_page,
    mark_of,
    page_of,
    read_page,
    setting_pages,
    typed_of,
)
from bot.tricks.setting_words import labels_in_words
from storage import settings as setting_store
from storage.drafts import Drafts
from storage.records import Installation

DRAFT = "settings"
_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class OpenForm:
    """One page to be filled in. `mark` tells it from a page of other settings (16 hexadecimal digits)."""

    installation_id: str
    mark: str
    page: FormPage


@dataclass(frozen=True, slots=True)
class Filling:
    """What the owner sent for the page `number`, counted from 0, of the form with that `mark`.

    `values` are by the numbers of the fields.
    """

    installation_id: str
    number: int
    mark: str
    values: Mapping[str, Filled] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a page: stored, or with `problems` nothing was, and `draft_id` keeps what was typed.

    `installed` has the settings as they are stored now.
    """

    installed: Installed
    number: int
    problems: tuple[str, ...] = ()
    draft_id: str | None = None

    @property
    def pages(self) -> tuple[tuple[Setting, ...], ...]:
        """All pages of the form."""
        return setting_pages(self.installed.manifest.settings)


class SettingsService:
    """Shows, reads and stores the settings of a server's tricks."""

    def __init__(
        self,
        store: setting_store.Settings,
        drafts: Drafts,
        lifecycle: Lifecycle,
        reader: InstalledReader,
        notices: OwnerNotices,
        clock: Clock,
    ) -> None:
        self._store = store
        self._drafts = drafts
        self._lifecycle = lifecycle
        self._reader = reader
        self._notices = notices
        self._clock = clock

    async def form(self, guild_id: str, trick: str, present: Present) -> OpenForm | None:
        """The first page of a trick's form, None when it has no settings. Raises `NoSuchTrick`."""
        installed = await self._lifecycle.installed(guild_id, trick)
        return _form(installed, 0, present) if installed.manifest.settings else None

    async def page(self, guild_id: str, installation_id: str, number: int, present: Present) -> OpenForm:
        """The page `number`, counted from 0, with what is stored. Raises `NoSuchTrick` or `SettingsChanged`."""
        return _form(await self._lifecycle.by_id(guild_id, installation_id), number, present)

    async def page_again(self, guild_id: str, owner_id: str, draft_id: str, present: Present) -> OpenForm:
        """The page with what was typed before. Raises `NotOpen`, `NoSuchTrick` or `SettingsChanged`."""
        not_before = self._clock.now_ms() - DRAFT_LIFE_MS
        draft = await self._drafts.peek(draft_id, guild_id, owner_id, not_before)
        if draft is None or draft.kind != DRAFT or draft.installation_id is None:
            raise NotOpen
        kept = cast("dict[str, Any]", json.loads(draft.payload))
        installed = await self._lifecycle.by_id(guild_id, draft.installation_id)
        form = _form(installed, kept["page"], present, kept["typed"])
        if form.mark != kept["mark"]:
            raise SettingsChanged
        return form

    async def submit(self, guild_id: str, owner_id: str, filling: Filling, present: Present) -> Submitted:
        """Store one page, or keep what was typed with all of its problems.

        Raises `NoSuchTrick` when the trick was removed meanwhile, and `SettingsChanged` when the page has
        other settings by now.
        """
        problems: tuple[str, ...] = ()

        def change(row: Installation) -> str:
            nonlocal problems
            shown = _shown(self._reader.read(row, self._clock.now_ms()), filling)
            values, problems = read_page(shown, filling.values, present)
            return row.settings if problems else self._merged(row, values)

        before = await self._store.set_settings(
            filling.installation_id, guild_id, change, now=self._clock.now_ms(), actor_id=owner_id
        )
        if before is None:
            raise NoSuchTrick
        installed = await self._lifecycle.by_id(guild_id, filling.installation_id)
        if problems:
            draft_id = await self._keep(guild_id, owner_id, installed, filling)
            return Submitted(installed, filling.number, problems, draft_id)
        _log.info("settings stored", guild_id=guild_id, installation_id=filling.installation_id)
        return Submitted(installed, filling.number)

    async def forget(self, guild_id: str, kind: Literal["channel", "role"], id: str) -> None:
        """Take a channel or role that was deleted out of every setting of the server.

        The owner is told where a required setting is empty now.
        """
        for row in await self._store.mentioning(guild_id, id):
            await self._store.set_settings(
                row.id,
                guild_id,
                lambda row: self._without(row, kind, id),
                now=self._clock.now_ms(),
                actor_id=None,
            )
            await self._tell_missing(row, kind)

    def _merged(self, row: Installation, values: Mapping[str, Json]) -> str:
        """What is stored, with `values` on top; None takes a key away, and so do settings that are no more."""
        settings = self._reader.read(row, self._clock.now_ms()).manifest.settings
        merged = {**cast("dict[str, Json]", json.loads(row.settings)), **values}
        kept = {
            setting.key: merged[setting.key] for setting in settings if merged.get(setting.key) is not None
        }
        return json.dumps(kept)

    def _without(self, row: Installation, kind: Literal["channel", "role"], id: str) -> str:
        stored = cast("dict[str, Json]", json.loads(row.settings))
        for setting in self._reader.read(row, self._clock.now_ms()).manifest.settings:
            value = stored.get(setting.key)
            if setting.type == kind and value == id:
                del stored[setting.key]
            elif setting.type == f"{kind}s" and isinstance(value, list) and id in value:
                stored[setting.key] = [each for each in value if each != id] or None
        return json.dumps({key: value for key, value in stored.items() if value is not None})

    async def _tell_missing(self, before: Installation, kind: Literal["channel", "role"]) -> None:
        was_missing = self._reader.read(before, self._clock.now_ms()).missing_settings
        try:
            after = await self._lifecycle.by_id(before.guild_id, before.id)
        except NoSuchTrick:
            return
        missing = [setting for setting in after.missing_settings if setting not in was_missing]
        if missing:
            self._notices.tell(
                before.guild_id,
                f"{escaped_line(before.name)} waits: the {kind} that was chosen for "
                f"{labels_in_words(missing)} was deleted. Choose again with `/tricks settings`.",
            )

    async def _keep(self, guild_id: str, owner_id: str, installed: Installed, filling: Filling) -> str:
        typed = typed_of(_shown(installed, filling), filling.values)
        return await keep_draft(
            self._drafts,
            self._clock,
            kind=DRAFT,
            guild_id=guild_id,
            owner_id=owner_id,
            installation_id=filling.installation_id,
            payload={"page": filling.number, "mark": filling.mark, "typed": typed},
        )


def _form(
    installed: Installed, number: int, present: Present, typed: Mapping[str, Filled] | None = None
) -> OpenForm:
    settings = installed.manifest.settings
    page = form_page(installed.name, settings, number, installed.settings, present, typed)
    return OpenForm(installed.row.id, mark_of(page_of(settings, number)), page)


def _shown(installed: Installed, filling: Filling) -> tuple[Setting, ...]:
    """The settings that the owner saw. Raises `SettingsChanged` when they are others by now."""
    settings = page_of(installed.manifest.settings, filling.number)
    if mark_of(settings) != filling.mark:
        raise SettingsChanged
    return settings
