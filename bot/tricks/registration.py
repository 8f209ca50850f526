"""Registering a trick: fetch and check its manifest, show it, and store exactly what was shown."""

import json
from dataclasses import dataclass, field

from bot.clock import Clock
from bot.errors import ManifestInvalid, NotOpen, Problem
from bot.log import logger
from bot.manifest import Manifest, dump_manifest, foreign_origins, load_manifest, read_manifest
from bot.signing import SecretBox, make_secret
from bot.transport import SignedSender
from bot.tricks.drafting import DRAFT_LIFE_MS, keep_draft
from bot.tricks.limits import Limiter, registration_limit
from storage.drafts import Drafts
from storage.errors import AlreadyInstalled, NameTaken, NoRoom
from storage.installations import Installations
from storage.records import Command as StoredCommand
from storage.records import Installation

MAX_COMMANDS = 100
"""Discord's number of slash commands for one application in one server."""

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Preview:
    """A manifest that was fetched and found valid, waiting for the owner's word under `draft_id`.

    `foreign_origins` are the origins of endpoints that are not the manifest's own.
    """

    draft_id: str
    manifest_url: str
    manifest: Manifest
    foreign_origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Registered:
    """A new installation, with its signing secret in the clear: shown once, never again."""

    installation: Installation
    secret_text: str = field(repr=False)


class Registration:
    """The two steps of `/tricks register`."""

    def __init__(
        self,
        sender: SignedSender,
        installations: Installations,
        drafts: Drafts,
        box: SecretBox,
        limiter: Limiter,
        clock: Clock,
        development_hosts: frozenset[str],
    ) -> None:
        self._sender = sender
        self._installations = installations
        self._drafts = drafts
        self._box = box
        self._limiter = limiter
        self._clock = clock
        self._development_hosts = development_hosts

    async def preview(self, guild_id: str, owner_id: str, manifest_url: str) -> Preview:
        """Fetch the manifest and keep it as a draft.

        Raises `LimitReached`, a `TrickFault` when it cannot be fetched, `ManifestInvalid` with every problem.
        """
        self._limiter.take(registration_limit(guild_id))
        data = await self._sender.get(manifest_url)
        manifest = read_manifest(data, self._development_hosts)
        await self._refuse_conflicts(guild_id, manifest)
        draft_id = await keep_draft(
            self._drafts,
            self._clock,
            kind="register",
            guild_id=guild_id,
            owner_id=owner_id,
            installation_id=None,
            payload={"url": manifest_url, "manifest": dump_manifest(manifest)},
        )
        return Preview(draft_id, manifest_url, manifest, foreign_origins(manifest, manifest_url))

    async def confirm(self, draft_id: str, guild_id: str, owner_id: str) -> Registered:
        """Store the draft as an installation. Raises `NotOpen`, or `ManifestInvalid` on a new conflict."""
        draft = await self._drafts.take(draft_id, guild_id, owner_id, self._clock.now_ms() - DRAFT_LIFE_MS)
        if draft is None or draft.kind != "register":
            raise NotOpen
        payload = json.loads(draft.payload)
        manifest = load_manifest(payload["manifest"])
        secret = make_secret(self._clock)
        installation_id = self._clock.new_id()
        installation = Installation(
            id=installation_id,
            guild_id=guild_id,
            trick_id=manifest.id,
            name=manifest.name,
            manifest_url=payload["url"],
            manifest=payload["manifest"],
            state="registered",
            secret=self._box.seal(installation_id, secret.text),
            previous_secret=None,
            previous_secret_until=None,
            settings="{}",
            access="{}",
            failures=0,
            pinned=False,
            held_back=(),
            notice=None,
            next_look_at=None,
            look_until=None,
            created_at=self._clock.now_ms(),
            created_by=owner_id,
        )
        try:
            await self._installations.add(
                installation,
                command_rows(installation, manifest),
                room=MAX_COMMANDS,
                events=manifest.events,
            )
        except (NameTaken, AlreadyInstalled, NoRoom) as conflict:
            raise ManifestInvalid(conflict_problems(conflict, manifest)) from None
        _log.info(
            "trick registered", guild_id=guild_id, installation_id=installation_id, trick_id=manifest.id
        )
        return Registered(installation, secret.text)

    async def cancel(self, draft_id: str, guild_id: str, owner_id: str) -> None:
        """Forget a draft of any kind. Raises `NotOpen` when it is gone: what it was for may have happened."""
        if await self._drafts.take(draft_id, guild_id, owner_id, 0) is None:
            raise NotOpen

    async def _refuse_conflicts(self, guild_id: str, manifest: Manifest) -> None:
        """What stands in the way in this server, told together, before anything is shown for confirmation."""
        if await self._installations.by_trick(guild_id, manifest.id) is not None:
            raise ManifestInvalid(conflict_problems(AlreadyInstalled(), manifest))
        names = tuple(command.name for command in manifest.commands)
        taken = await self._installations.taken_names(guild_id, names)
        if taken:
            raise ManifestInvalid(conflict_problems(NameTaken(taken), manifest))
        room = MAX_COMMANDS - await self._installations.slash_commands(guild_id)
        if sum("slash" in command.surfaces for command in manifest.commands) > room:
            raise ManifestInvalid(conflict_problems(NoRoom(room), manifest))


def command_rows(installation: Installation, manifest: Manifest) -> tuple[StoredCommand, ...]:
    """The rows that hold a trick's command names in its server."""
    return tuple(
        StoredCommand(
            guild_id=installation.guild_id,
            name=command.name,
            installation_id=installation.id,
            position=position,
            tool=command.tool,
            visibility=command.visibility,
            slash="slash" in command.surfaces,
            prefix="prefix" in command.surfaces,
            spec=command.model_dump_json(by_alias=True),
        )
        for position, command in enumerate(manifest.commands)
    )


def conflict_problems(conflict: NameTaken | AlreadyInstalled | NoRoom, manifest: Manifest) -> list[Problem]:
    """What the server's other tricks forbid, as problems of the manifest."""
    if isinstance(conflict, AlreadyInstalled):
        return [Problem("id", "is already registered here; remove it first to register it anew.")]
    if isinstance(conflict, NoRoom):
        return [Problem("commands", f"are too many: this server has room for {conflict.count} more.")]
    return [
        Problem(f"commands[{index}].name", "is already a command of another trick here.")
        for index, command in enumerate(manifest.commands)
        if command.name in conflict.names
    ]
