"""Reading a trick anew: what it has become is tested and shown, and taken over only when the owner accepts it."""

import dataclasses
import json
from dataclasses import dataclass
from typing import Any, cast

from bot.clock import Clock
from bot.errors import ManifestInvalid, NotOpen, Problem
from bot.log import logger
from bot.manifest import (
    Manifest,
    dump_manifest,
    effective_settings,
    foreign_origins,
    load_manifest,
    read_manifest,
)
from bot.manifest.differences import Section, manifest_differences
from bot.manifest.fingerprint import ToolDefinition
from bot.manifest.tool_differences import ToolDifferences, tool_differences
from bot.transport import SignedSender
from bot.tricks.challenge import ConnectionTest, TestReport, with_readable_descriptions
from bot.tricks.drafting import DRAFT_LIFE_MS, keep_draft
from bot.tricks.installed import Installed
from bot.tricks.lifecycle import Lifecycle, Progress, TestFailed
from bot.tricks.limits import Limiter, registration_limit, testing_limit
from bot.tricks.pinning import compare, definition_of, definitions, pins_of, undefined
from bot.tricks.registration import MAX_COMMANDS, command_rows, conflict_problems
from bot.tricks.replacing import access_differences, kept_access, kept_settings
from storage.acceptance import Acceptance, NewDefinition, version_of
from storage.drafts import Drafts
from storage.errors import NameTaken, NoRoom
from storage.installations import Installations
from storage.records import Pin

DRAFT = "refresh"
_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The trick is what the owner accepted; nothing of it is held back."""

    installed: Installed


@dataclass(frozen=True, slots=True)
class Differs:
    """What is different, and the tools to read in full; the owner accepts it under `draft_id`, or not.

    `addresses` are origins, other than the manifest's own, that the owner has not confirmed before.
    """

    installed: Installed
    sections: tuple[Section, ...]
    to_read: tuple[ToolDefinition, ...]
    addresses: tuple[str, ...]
    draft_id: str


class Refresh:
    """The two steps of `/tricks refresh`."""

    def __init__(
        self,
        sender: SignedSender,
        lifecycle: Lifecycle,
        installations: Installations,
        acceptance: Acceptance,
        drafts: Drafts,
        test: ConnectionTest,
        limiter: Limiter,
        clock: Clock,
        development_hosts: frozenset[str],
    ) -> None:
        self._sender = sender
        self._lifecycle = lifecycle
        self._installations = installations
        self._acceptance = acceptance
        self._drafts = drafts
        self._test = test
        self._limiter = limiter
        self._clock = clock
        self._development_hosts = development_hosts

    async def look(
        self, guild_id: str, trick: str, owner_id: str, progress: Progress
    ) -> Unchanged | Differs | TestFailed:
        """Read the manifest, test what it names, and compare both with what the owner accepted.

        A tool whose live definition differs is held back from now on, one that does not is not. Raises
        `NoSuchTrick`, `LimitReached`, a `TrickFault` when the manifest cannot be fetched, and
        `ManifestInvalid` with every problem.
        """
        installed = await self._lifecycle.installed(guild_id, trick)
        self._limiter.take(registration_limit(guild_id), testing_limit(installed.row.id))
        manifest = read_manifest(await self._sender.get(installed.row.manifest_url), self._development_hosts)
        await self._refuse_conflicts(installed, manifest)
        addresses = _unconfirmed(installed, manifest)
        pins = await self._installations.pins(installed.row.id)
        candidate = _candidate(installed, manifest, confirmed=not addresses)
        report = await self._test.run(candidate, (), owner_id, lambda so_far: progress(installed, so_far))
        report = await self._held_back(installed, pins, report)
        if not report.passed:
            return TestFailed(installed, report)
        return await self._compared(installed, pins, manifest, report, owner_id)

    async def accept(self, draft_id: str, guild_id: str, owner_id: str) -> Installed:
        """Take over exactly what was shown.

        Raises `NotOpen`, also when the trick has become another one since it was compared, and
        `ManifestInvalid` on a new conflict with another trick.
        """
        draft = await self._drafts.take(draft_id, guild_id, owner_id, self._clock.now_ms() - DRAFT_LIFE_MS)
        if draft is None or draft.kind != DRAFT or draft.installation_id is None:
            raise NotOpen
        row = await self._installations.get(draft.installation_id)
        if row is None:
            raise NotOpen
        shown = cast("dict[str, Any]", json.loads(draft.payload))
        old, manifest = load_manifest(row.manifest), load_manifest(shown["manifest"])
        new = NewDefinition(
            name=manifest.name,
            manifest=shown["manifest"],
            mcp=manifest.endpoints.mcp,
            commands=command_rows(row, manifest),
            pins=[Pin(**pin) for pin in shown["pins"]] or None,
            events=manifest.events,
            settings_from=lambda stored: kept_settings(stored, manifest),
            access_from=lambda stored: kept_access(stored, old, manifest),
        )
        now = self._clock.now_ms()
        try:
            done = await self._acceptance.accept(
                row.id, shown["version"], new, now, owner_id, room=MAX_COMMANDS
            )
        except (NameTaken, NoRoom) as conflict:
            raise ManifestInvalid(conflict_problems(conflict, manifest)) from None
        if not done:
            raise NotOpen
        _log.info("trick accepted anew", guild_id=guild_id, installation_id=row.id)
        return await self._lifecycle.installed(guild_id, row.trick_id)

    async def keep(self, draft_id: str, guild_id: str, owner_id: str) -> Installed:
        """Forget what was shown. Raises `NotOpen` when it is gone: it may have been accepted."""
        draft = await self._drafts.take(draft_id, guild_id, owner_id, 0)
        if draft is None or draft.kind != DRAFT or draft.installation_id is None:
            raise NotOpen
        return await self._lifecycle.by_id(guild_id, draft.installation_id)

    async def _refuse_conflicts(self, installed: Installed, manifest: Manifest) -> None:
        row = installed.row
        if manifest.id != row.trick_id:
            message = f"is another one than `{row.trick_id}`, so this is another trick: register it by itself"
            raise ManifestInvalid([Problem("id", message)])
        commands = command_rows(row, manifest)
        try:
            await self._acceptance.refuse_conflicts(row.id, row.guild_id, commands, room=MAX_COMMANDS)
        except (NameTaken, NoRoom) as conflict:
            raise ManifestInvalid(conflict_problems(conflict, manifest)) from None

    async def _held_back(self, installed: Installed, pins: tuple[Pin, ...], report: TestReport) -> TestReport:
        """Compare the live list with what is accepted, as a test does: by the flags of the old manifest."""
        if not pins or not (report.live or report.problems):
            return report
        comparison = compare(pins, definitions(installed.manifest, report.live))
        if comparison.held_back != installed.row.held_back:
            await self._installations.set_held_back(installed.row.id, comparison.held_back, judged=pins)
        return dataclasses.replace(report, comparison=comparison)

    async def _compared(
        self,
        installed: Installed,
        pins: tuple[Pin, ...],
        manifest: Manifest,
        report: TestReport,
        owner_id: str,
    ) -> Unchanged | Differs | TestFailed:
        tools = _tool_differences(installed, pins, manifest, report)
        sections = _sections(installed, manifest, tools)
        if not sections:
            return Unchanged(installed)
        to_read = tools.to_read if pins else ()
        readable = with_readable_descriptions(
            dataclasses.replace(report, definitions={tool.name: tool for tool in to_read})
        )
        if not readable.passed:
            return TestFailed(installed, readable)
        new_pins = pins_of(installed.row.id, report.definitions, self._clock.now_ms()) if pins else ()
        draft_id = await self._draft(installed, pins, manifest, new_pins, owner_id)
        return Differs(installed, sections, to_read, _unconfirmed(installed, manifest), draft_id)

    async def _draft(
        self,
        installed: Installed,
        pins: tuple[Pin, ...],
        manifest: Manifest,
        new_pins: tuple[Pin, ...],
        owner_id: str,
    ) -> str:
        shown = {
            "version": version_of(installed.row.manifest, pins),
            "manifest": dump_manifest(manifest),
            "pins": [dataclasses.asdict(pin) for pin in new_pins],
        }
        return await keep_draft(
            self._drafts,
            self._clock,
            kind=DRAFT,
            guild_id=installed.row.guild_id,
            owner_id=owner_id,
            installation_id=installed.row.id,
            payload=shown,
        )


def _unconfirmed(installed: Installed, manifest: Manifest) -> tuple[str, ...]:
    """The other origins of `manifest` that the owner did not confirm with the present one."""
    url = installed.row.manifest_url
    confirmed = foreign_origins(installed.manifest, url)
    return tuple(origin for origin in foreign_origins(manifest, url) if origin not in confirmed)


def _candidate(installed: Installed, manifest: Manifest, *, confirmed: bool) -> Installed:
    """The installation as it would be. An address that the owner has yet to confirm gets no settings."""
    settings = effective_settings(manifest.settings, json.loads(installed.row.settings)) if confirmed else {}
    return dataclasses.replace(installed, manifest=manifest, settings=settings)


def _tool_differences(
    installed: Installed, pins: tuple[Pin, ...], manifest: Manifest, report: TestReport
) -> ToolDifferences:
    """A trick that was never enabled has no accepted texts: only the manifests' flags are compared."""
    if not pins:
        return tool_differences(undefined(installed.manifest), undefined(manifest))
    return tool_differences({pin.tool: definition_of(pin) for pin in pins}, report.definitions)


def _sections(installed: Installed, manifest: Manifest, tools: ToolDifferences) -> tuple[Section, ...]:
    old, stored = installed.manifest, json.loads(installed.row.settings)
    about = manifest_differences(old, manifest, stored, _unconfirmed(installed, manifest))
    access = access_differences(installed.access, old, manifest)
    listed = (Section("Tools", tools.lines), Section("Who may use them", access), *about)
    found = tuple(section for section in listed if section.lines)
    if not found and dump_manifest(old) != dump_manifest(manifest):
        return (Section("Manifest", ("• Only the order of some of its parts is another.",)),)
    return found
