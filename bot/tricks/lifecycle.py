"""The states of an installation: registered → enabled ⇄ disabled, enabled → paused → enabled, any → removed."""

import dataclasses
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from bot.clock import Clock
from bot.errors import NoSuchTrick, NotOpen
from bot.log import logger
from bot.text import printable
from bot.tricks.challenge import ConnectionTest, TestReport, with_readable_descriptions
from bot.tricks.drafting import DRAFT_LIFE_MS, keep_draft
from bot.tricks.installed import Installed, InstalledReader
from bot.tricks.limits import Limiter, registration_limit, testing_limit
from bot.tricks.looks import next_look
from bot.tricks.pinning import pins_of
from storage.acceptance import version_of
from storage.drafts import Drafts
from storage.installations import Installations
from storage.looks import Looks as LookStore
from storage.records import Installation, Pin

Progress = Callable[[Installed, TestReport], Awaitable[None]]
_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Enabled:
    """The trick's commands work now; `held_back` names tools whose definition has changed."""

    installed: Installed
    report: TestReport
    held_back: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AsksFirst:
    """The first enabling: the tools to show the owner, who confirms `draft_id`."""

    installed: Installed
    report: TestReport
    draft_id: str


@dataclass(frozen=True, slots=True)
class TestFailed:
    """Nothing was changed; the report says why."""

    installed: Installed
    report: TestReport


class Lifecycle:
    """Tests, enables, disables and removes installations."""

    def __init__(
        self,
        installations: Installations,
        drafts: Drafts,
        reader: InstalledReader,
        test: ConnectionTest,
        looks: LookStore,
        limiter: Limiter,
        clock: Clock,
    ) -> None:
        self._installations = installations
        self._drafts = drafts
        self._looks = looks
        self._reader = reader
        self._test = test
        self._limiter = limiter
        self._clock = clock

    async def installed(self, guild_id: str, trick: str) -> Installed:
        """The installation that `trick` (an id) names in this server. Raises `NoSuchTrick`."""
        row = await self._installations.by_trick(guild_id, printable(trick).strip().lower())
        if row is None:
            raise NoSuchTrick
        return self.read(row)

    async def by_id(self, guild_id: str, installation_id: str) -> Installed:
        """The server's installation of this id. Raises `NoSuchTrick` when the server has it no more."""
        row = await self._installations.get(installation_id)
        if row is None or row.guild_id != guild_id:
            raise NoSuchTrick
        return self.read(row)

    def read(self, row: Installation) -> Installed:
        """The values of a row, as they are now."""
        return self._reader.read(row, self._clock.now_ms())

    async def of_guild(self, guild_id: str) -> tuple[Installation, ...]:
        """All installations of a server, by name."""
        return await self._installations.of_guild(guild_id)

    async def test(
        self, guild_id: str, trick: str, owner_id: str, progress: Progress
    ) -> tuple[Installed, TestReport]:
        """Test a trick; a definition that changed is held back from now on, one that is as pinned is not."""
        installed = await self.installed(guild_id, trick)
        self._limiter.take(registration_limit(guild_id), testing_limit(installed.row.id))
        pins = await self._installations.pins(installed.row.id)
        report = await self._test.run(installed, pins, owner_id, lambda so_far: progress(installed, so_far))
        await self._keep_comparison(installed, report, pins)
        return installed, report

    async def enable(
        self, guild_id: str, trick: str, owner_id: str, progress: Progress
    ) -> Enabled | AsksFirst | TestFailed:
        """Test, then enable; the first time the tools are pinned only after the owner has seen them."""
        installed, report = await self.test(guild_id, trick, owner_id, progress)
        if not report.passed:
            return TestFailed(installed, report)
        if not installed.row.pinned:
            report = with_readable_descriptions(report)
            if not report.passed:
                return TestFailed(installed, report)
            return AsksFirst(installed, report, await self._draft(installed, report, owner_id))
        await self._installations.set_state(
            installed.row.id, {"registered", "disabled", "paused"}, "enabled", self._clock.now_ms(), owner_id
        )
        await self._look_hourly(installed.row.id)
        held_back = report.comparison.held_back if report.comparison else ()
        return Enabled(installed, report, held_back)

    async def confirm_enable(self, draft_id: str, guild_id: str, owner_id: str) -> Installed:
        """Pin exactly what was shown and enable. Raises `NotOpen`."""
        draft = await self._drafts.take(draft_id, guild_id, owner_id, self._clock.now_ms() - DRAFT_LIFE_MS)
        if draft is None or draft.kind != "enable" or draft.installation_id is None:
            raise NotOpen
        row = await self._installations.get(draft.installation_id)
        shown = json.loads(draft.payload)
        if row is None or version_of(row.manifest, ()) != shown["version"]:  # refreshed meanwhile
            raise NotOpen
        pins, now = tuple(Pin(**pin) for pin in shown["pins"]), self._clock.now_ms()
        if not await self._installations.enable_first(row.id, pins, now, owner_id, seen=row.manifest):
            raise NotOpen
        await self._look_hourly(row.id)
        return self._reader.read(row, self._clock.now_ms())

    async def disable(self, guild_id: str, trick: str, owner_id: str) -> tuple[Installed, bool]:
        """Disable; false when it was not on."""
        installed = await self.installed(guild_id, trick)
        done = await self._installations.set_state(
            installed.row.id, {"enabled", "paused"}, "disabled", self._clock.now_ms(), owner_id
        )
        return installed, done

    async def ask_remove(self, guild_id: str, trick: str, owner_id: str) -> tuple[Installed, str]:
        """The installation to remove, and the draft that the owner confirms."""
        installed = await self.installed(guild_id, trick)
        draft_id = await self._add_draft("remove", installed, owner_id, {})
        return installed, draft_id

    async def confirm_remove(
        self,
        draft_id: str,
        guild_id: str,
        owner_id: str,
        *,
        closing: Callable[[str, str], Awaitable[None]],
    ) -> Installation:
        """Erase the installation and every row of it. Raises `NotOpen`.

        `closing` gets its id and name, and ends what still waits while the rows that say where are there.
        """
        draft = await self._drafts.take(draft_id, guild_id, owner_id, self._clock.now_ms() - DRAFT_LIFE_MS)
        if draft is None or draft.kind != "remove" or draft.installation_id is None:
            raise NotOpen
        row = await self._installations.get(draft.installation_id)
        if row is not None:
            await closing(row.id, row.name)
        if row is None or not await self._installations.remove(row.id, self._clock.now_ms(), owner_id):
            raise NotOpen
        _log.info("trick removed", guild_id=guild_id, installation_id=row.id)
        return row

    async def _look_hourly(self, installation_id: str) -> None:
        _log.info("trick enabled", installation_id=installation_id)
        await self._looks.schedule(installation_id, next_look(installation_id, self._clock.now_ms()))

    async def _keep_comparison(self, installed: Installed, report: TestReport, pins: tuple[Pin, ...]) -> None:
        if report.comparison is not None and report.comparison.held_back != tuple(installed.row.held_back):
            held_back = report.comparison.held_back
            await self._installations.set_held_back(installed.row.id, held_back, judged=pins)

    async def _draft(self, installed: Installed, report: TestReport, owner_id: str) -> str:
        pins = pins_of(installed.row.id, report.definitions, self._clock.now_ms())
        shown = {
            "version": version_of(installed.row.manifest, ()),
            "pins": [dataclasses.asdict(pin) for pin in pins],
        }
        return await self._add_draft("enable", installed, owner_id, shown)

    async def _add_draft(
        self, kind: str, installed: Installed, owner_id: str, payload: dict[str, Any]
    ) -> str:
        return await keep_draft(
            self._drafts,
            self._clock,
            kind=kind,
            guild_id=installed.row.guild_id,
            owner_id=owner_id,
            installation_id=installed.row.id,
            payload=payload,
        )
