"""Accepting what a trick has become: its manifest, commands and definitions change together or not at all."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import bindparam, delete, exists, func, insert, not_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import audit, changes, tables
from storage.engine import Database
from storage.errors import NameTaken, NoRoom
from storage.records import Command, Pin
from storage.request_tables import consents
from storage.rows import to_values
from storage.subscriptions import subscribe

_t, _names, _pins = tables.installations.c, tables.commands.c, tables.pins.c
_CURRENT = (
    select(_t.guild_id, _t.manifest, _t.settings, _t.access)
    .where(_t.id == bindparam("key"))
    .with_for_update(key_share=True)  # rows that belong to it may be added meanwhile
)
_HASHES = select(_pins.tool, _pins.definition_hash).where(_pins.installation_id == bindparam("key"))
_others = (_names.guild_id == bindparam("guild_id"), _names.installation_id != bindparam("key"))
_TAKEN = select(_names.name).where(*_others, _names.name.in_(bindparam("names", expanding=True)))
_USED = select(func.count()).select_from(tables.commands).where(*_others, _names.slash)
_DROP_COMMANDS = delete(tables.commands).where(_names.installation_id == bindparam("key"))
_ADD_COMMANDS = insert(tables.commands)
_DROP_PINS = delete(tables.pins).where(_pins.installation_id == bindparam("key"))
_ADD_PINS = insert(tables.pins)
_ACCEPT = (
    update(tables.installations)
    .where(_t.id == bindparam("key"))
    .values(
        name=bindparam("new_name"),
        manifest=bindparam("new_manifest"),
        settings=bindparam("new_settings"),
        access=bindparam("new_access"),
        held_back="[]",
    )
)
_LAPSE = delete(consents).where(
    consents.c.installation_id == bindparam("key"),
    or_(
        consents.c.endpoint != bindparam("mcp"),
        not_(
            exists().where(
                _pins.installation_id == consents.c.installation_id,
                _pins.tool == consents.c.tool,
                _pins.definition_hash == consents.c.definition_hash,
            )
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class NewDefinition:
    """What an owner accepted, whole. `manifest` is JSON, `mcp` the endpoint that consents hang on.

    `pins` is None for a trick that was never enabled: its tools are accepted at the first enabling.
    `settings_from` and `access_from` turn the stored JSON into what fits the new manifest; pure functions, which
    see the rows as they are in the moment of accepting.
    """

    name: str
    manifest: str = field(repr=False)
    mcp: str
    commands: Sequence[Command]
    pins: Sequence[Pin] | None
    events: Collection[str]
    settings_from: Callable[[str], str]
    access_from: Callable[[str], str]


def version_of(manifest: str, pins: Iterable[Pin]) -> str:
    """A digest of what an installation is: its manifest's text and its tools' accepted definitions."""
    return _digest(manifest, ((pin.tool, pin.definition_hash) for pin in pins))


class Acceptance:
    """The store's side of accepting."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def refuse_conflicts(
        self, installation_id: str, guild_id: str, commands: Sequence[Command], *, room: int = 100
    ) -> None:
        """Raises `NameTaken` or `NoRoom` when the server's other tricks leave no place for `commands`.

        Nothing is kept for them: `accept` looks again.
        """

        async def work(connection: AsyncConnection) -> None:
            await _refuse_conflicts(connection, installation_id, guild_id, commands, room)

        await self._database.write(work)

    async def accept(
        self,
        installation_id: str,
        version: str,
        new: NewDefinition,
        now: int,
        actor_id: str,
        *,
        room: int = 100,
    ) -> bool:
        """Put `new` in the place of what is there, if that is still `version` (`version_of`).

        Nothing is held back any more, and consents for other definitions lapse. False when the installation
        is gone or has become another one. Raises `NameTaken` or `NoRoom`, and then nothing is changed.
        """

        async def work(connection: AsyncConnection) -> bool:
            key = {"key": installation_id}
            current = (await connection.execute(_CURRENT, key)).first()
            if current is None or await _version(connection, installation_id, current.manifest) != version:
                return False
            await changes.want_commands(connection, current.guild_id)  # from here on one at a time
            await _refuse_conflicts(connection, installation_id, current.guild_id, new.commands, room)
            await connection.execute(_DROP_COMMANDS, key)
            if new.commands:
                await connection.execute(_ADD_COMMANDS, [to_values(command) for command in new.commands])
            if new.pins is not None:
                await connection.execute(_DROP_PINS, key)
                await connection.execute(_ADD_PINS, [to_values(pin) for pin in new.pins])
            values = {
                "new_name": new.name,
                "new_manifest": new.manifest,
                "new_settings": new.settings_from(current.settings),
                "new_access": new.access_from(current.access),
            }
            await connection.execute(_ACCEPT, key | values)
            await connection.execute(_LAPSE, key | {"mcp": new.mcp})
            await subscribe(connection, installation_id, current.guild_id, new.events)
            await audit.record(
                connection,
                at=now,
                guild_id=current.guild_id,
                installation_id=installation_id,
                actor_id=actor_id,
                what="accepted",
            )
            return True

        return await self._database.write(work)


async def same_pins(connection: AsyncConnection, installation_id: str, pins: Iterable[Pin]) -> bool:
    """Whether the accepted definitions are still `pins`; nobody changes them before the transaction ends."""
    current = (await connection.execute(_CURRENT, {"key": installation_id})).first()
    found = await _version(connection, installation_id, "")
    return current is not None and found == version_of("", pins)


async def _version(connection: AsyncConnection, installation_id: str, manifest: str) -> str:
    rows = await connection.execute(_HASHES, {"key": installation_id})
    return _digest(manifest, ((row.tool, row.definition_hash) for row in rows))


def _digest(manifest: str, hashes: Iterable[tuple[str, str]]) -> str:
    tools = sorted(f"{tool}:{definition_hash}" for tool, definition_hash in hashes)
    return hashlib.sha256("\n".join([*tools, manifest]).encode()).hexdigest()


async def _refuse_conflicts(
    connection: AsyncConnection, installation_id: str, guild_id: str, commands: Sequence[Command], room: int
) -> None:
    where = {"key": installation_id, "guild_id": guild_id}
    wanted = where | {"names": [command.name for command in commands]}
    taken = (await connection.execute(_TAKEN, wanted)).scalars().all()
    if taken:
        raise NameTaken(sorted(taken))
    used = (await connection.execute(_USED, where)).scalar_one()
    if used + sum(command.slash for command in commands) > room:
        raise NoRoom(max(0, room - used))
