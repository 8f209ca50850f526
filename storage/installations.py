"""Installations: one trick in one server, from its registration to the last of its rows."""

from collections.abc import Collection, Sequence

from sqlalchemy import bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import audit, changes, subscriptions, tables
from storage.acceptance import same_pins
from storage.engine import Database
from storage.errors import AlreadyInstalled, NameTaken, NoRoom
from storage.records import Command, Installation, InstallationState, Pin
from storage.rows import dump_names, to_installation, to_pin, to_values

_t = tables.installations.c
_names = tables.commands.c
_ALL = select(tables.installations)
_GET = _ALL.where(_t.id == bindparam("id"))
_BY_TRICK = _ALL.where(_t.guild_id == bindparam("guild_id"), _t.trick_id == bindparam("trick_id"))
_OF_GUILD = _ALL.where(_t.guild_id == bindparam("guild_id")).order_by(_t.created_at, _t.id)
_PINS = select(tables.pins).where(tables.pins.c.installation_id == bindparam("id"))
_PINS_OF_GUILD = (
    select(tables.pins)
    .select_from(tables.pins.join(tables.installations, tables.pins.c.installation_id == _t.id))
    .where(_t.guild_id == bindparam("guild_id"), _t.state == "enabled")
    .order_by(tables.pins.c.tool)
)
_TAKEN = select(_names.name).where(
    _names.guild_id == bindparam("guild_id"), _names.name.in_(bindparam("names", expanding=True))
)
_SLASH_COMMANDS = (
    select(func.count())
    .select_from(tables.commands)
    .where(_names.guild_id == bindparam("guild_id"), _names.slash)
)
_ADD, _ADD_COMMANDS, _ADD_PINS = insert(tables.installations), insert(tables.commands), insert(tables.pins)
_one = update(tables.installations).where(_t.id == bindparam("key"))
_SET_STATE = _one.where(_t.state.in_(bindparam("allowed", expanding=True))).returning(_t.guild_id)
_TURN = _SET_STATE.values(state=bindparam("to"))
_TURN_ON = _SET_STATE.values(state=bindparam("to"), failures=0, notice=None)
_ENABLE_FIRST = (
    _one.where(_t.state == "registered", _t.pinned.is_(False))
    .values(state="enabled", pinned=True, failures=0, notice=None)
    .returning(_t.guild_id)
)
_ENABLE_AS_SEEN = _ENABLE_FIRST.where(_t.manifest == bindparam("seen"))
_HOLD_BACK = _one.values(held_back=bindparam("names"))
_SEALED = select(_t.id, _t.secret, _t.previous_secret)
_SEAL_ANEW = _one.where(_t.secret == bindparam("was")).values(
    secret=bindparam("sealed"), previous_secret=bindparam("previous")
)
_REMOVE = delete(tables.installations).where(_t.id == bindparam("key")).returning(_t.guild_id)


class Installations:
    """The store of installations with their commands' names and their tools' accepted definitions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, installation_id: str) -> Installation | None:
        """The installation, None when there is none."""
        row = await self._database.first(_GET, {"id": installation_id})
        return to_installation(row) if row else None

    async def by_trick(self, guild_id: str, trick_id: str) -> Installation | None:
        """The server's installation of a trick, None when there is none."""
        row = await self._database.first(_BY_TRICK, {"guild_id": guild_id, "trick_id": trick_id})
        return to_installation(row) if row else None

    async def of_guild(self, guild_id: str) -> tuple[Installation, ...]:
        """The server's installations, oldest first."""
        rows = await self._database.all(_OF_GUILD, {"guild_id": guild_id})
        return tuple(to_installation(row) for row in rows)

    async def pins(self, installation_id: str) -> tuple[Pin, ...]:
        """The accepted definitions of its tools, in no order."""
        pins = (to_pin(row) for row in await self._database.all(_PINS, {"id": installation_id}))
        return tuple(pin for pin in pins if pin)

    async def pins_of_guild(self, guild_id: str) -> tuple[Pin, ...]:
        """The accepted definitions of all enabled tricks of a server, by tool."""
        rows = await self._database.all(_PINS_OF_GUILD, {"guild_id": guild_id})
        return tuple(Pin(*row) for row in rows)

    async def taken_names(self, guild_id: str, names: Sequence[str]) -> tuple[str, ...]:
        """Those of `names` that are commands in this server already, sorted."""
        rows = await self._database.all(_TAKEN, {"guild_id": guild_id, "names": list(names)})
        return tuple(sorted(row[0] for row in rows))

    async def slash_commands(self, guild_id: str) -> int:
        """How many slash commands the server's installations of every state hold."""
        row = await self._database.first(_SLASH_COMMANDS, {"guild_id": guild_id})
        return row[0] if row else 0

    async def add(
        self,
        new: Installation,
        commands: Sequence[Command],
        *,
        room: int = 100,
        events: Collection[str] = (),
    ) -> None:
        """Store an installation and its commands, all or nothing, with `new.created_by` as the actor.

        `events` are the types that it hears. `room` is how many slash commands Discord lets a server have.
        Installations of every state hold their names and their room. Raises `AlreadyInstalled`, `NameTaken`
        or `NoRoom`.
        """

        async def work(connection: AsyncConnection) -> None:
            await changes.touch(connection, new.guild_id)  # from here on, one at a time in this server
            await _check(connection, new, commands, room)
            row = to_values(new) | {"held_back": dump_names(new.held_back)}
            await connection.execute(_ADD, row)
            if commands:
                await connection.execute(_ADD_COMMANDS, [to_values(command) for command in commands])
            if events:
                await subscriptions.subscribe(connection, new.id, new.guild_id, events)
            await _record(connection, new.id, new.guild_id, new.created_at, new.created_by, "registered")

        await self._database.write(work)

    async def set_state(
        self,
        installation_id: str,
        allowed_from: Collection[InstallationState],
        to: InstallationState,
        now: int,
        actor_id: str,
    ) -> bool:
        """Change the state if it is one of `allowed_from` at this moment; says whether it was.

        Becoming enabled ends the row of failures and the notice. The server's commands are to be written.
        """
        statement = _TURN_ON if to == "enabled" else _TURN
        values = {"key": installation_id, "allowed": list(allowed_from), "to": to}

        async def work(connection: AsyncConnection) -> bool:
            guild_id = (await connection.execute(statement, values)).scalar()
            if guild_id is None:
                return False
            await changes.want_commands(connection, guild_id)
            await _record(connection, installation_id, guild_id, now, actor_id, to)
            return True

        return await self._database.write(work)

    async def enable_first(
        self, installation_id: str, pins: Sequence[Pin], now: int, actor_id: str, *, seen: str | None = None
    ) -> bool:
        """Accept the tools' definitions and enable, both for the first time; False when that was before.

        With `seen`, False too when the manifest is no longer this one, to which `pins` belong.
        """
        statement = _ENABLE_FIRST if seen is None else _ENABLE_AS_SEEN
        values = {"key": installation_id} | ({} if seen is None else {"seen": seen})

        async def work(connection: AsyncConnection) -> bool:
            guild_id = (await connection.execute(statement, values)).scalar()
            if guild_id is None:
                return False
            if pins:
                await connection.execute(_ADD_PINS, [to_values(pin) for pin in pins])
            await changes.want_commands(connection, guild_id)
            await _record(connection, installation_id, guild_id, now, actor_id, "enabled")
            return True

        return await self._database.write(work)

    async def set_held_back(
        self, installation_id: str, names: Sequence[str], *, judged: Sequence[Pin] | None = None
    ) -> bool:
        """Store which tools do not work until the owner accepts their changed definitions.

        With `judged`, only while these are the accepted definitions: what was compared with older ones says
        nothing about those that the owner accepted meanwhile. Says whether it was stored.
        """
        values = {"key": installation_id, "names": dump_names(names)}

        async def work(connection: AsyncConnection) -> bool:
            if judged is not None and not await same_pins(connection, installation_id, judged):
                return False
            return (await connection.execute(_HOLD_BACK, values)).rowcount == 1

        return await self._database.write(work)

    async def sealed(self) -> tuple[tuple[str, str, str | None], ...]:
        """Every installation's id with its sealed secrets, the present and the previous one."""
        rows = await self._database.all(_SEALED)
        return tuple((row[0], row[1], row[2]) for row in rows)

    async def seal_anew(self, installation_id: str, was: str, secret: str, previous: str | None) -> None:
        """Put the same secrets, sealed with another key, in the place of `was` if that is still there."""
        values = {"key": installation_id, "was": was, "sealed": secret, "previous": previous}

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_SEAL_ANEW, values)

        await self._database.write(work)

    async def remove(self, installation_id: str, now: int, actor_id: str) -> bool:
        """Erase every row of the installation; False when there was none.

        What stays is one audit row that names the server and the actor, not the installation.
        """

        async def work(connection: AsyncConnection) -> bool:
            guild_id = (await connection.execute(_REMOVE, {"key": installation_id})).scalar()
            if guild_id is None:
                return False
            await changes.want_commands(connection, guild_id)
            await _record(connection, None, guild_id, now, actor_id, "removed")
            return True

        removed = await self._database.write(work)
        if removed:
            await self._database.forget_erased()
        return removed


async def _check(
    connection: AsyncConnection, new: Installation, commands: Sequence[Command], room: int
) -> None:
    same = {"guild_id": new.guild_id, "trick_id": new.trick_id}
    if (await connection.execute(_BY_TRICK, same)).first() is not None:
        raise AlreadyInstalled
    wanted = {"guild_id": new.guild_id, "names": [command.name for command in commands]}
    taken = (await connection.execute(_TAKEN, wanted)).scalars().all()
    if taken:
        raise NameTaken(sorted(taken))
    used = (await connection.execute(_SLASH_COMMANDS, {"guild_id": new.guild_id})).scalar_one()
    if used + sum(command.slash for command in commands) > room:
        raise NoRoom(max(0, room - used))


async def _record(
    connection: AsyncConnection, installation_id: str | None, guild_id: str, at: int, actor_id: str, what: str
) -> None:
    await audit.record(
        connection, at=at, guild_id=guild_id, installation_id=installation_id, actor_id=actor_id, what=what
    )
