"""Rotating an installation's signing secret without cutting off a trick that still has the old one."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NoReturn

from bot.clock import Clock
from bot.errors import NotOpen, RotationUnderWay
from bot.log import logger
from bot.signing import SecretBox, make_secret
from bot.tricks.installed import Installed
from bot.tricks.lifecycle import Lifecycle
from storage.rotations import Rotations

OVERLAP_MS = 10 * 60_000
"""As long as the old secret signs alongside the new one."""
_Store = Callable[[str, str, str, int, int, str], Awaitable[bool]]
"""One of the two ways in which `Rotations` puts a secret into its place."""

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Rotated:
    """A new signing secret in the clear, shown once; the old one signs too until `until_ms`."""

    installed: Installed
    secret_text: str = field(repr=False)
    until_ms: int


class Rotation:
    """The work of `/tricks rotate`."""

    def __init__(self, rotations: Rotations, lifecycle: Lifecycle, box: SecretBox, clock: Clock) -> None:
        self._rotations = rotations
        self._lifecycle = lifecycle
        self._box = box
        self._clock = clock

    async def rotate(self, guild_id: str, trick: str, owner_id: str) -> Rotated:
        """Make a new secret. Raises `NoSuchTrick`, and `RotationUnderWay` within ten minutes of the last one.

        Of several at once one makes a secret, and the others are told that it is under way.
        """
        rotated = await self._made(guild_id, trick, owner_id, self._rotations.rotate)
        if rotated is None:
            await self._refuse(guild_id, trick)
        _log.info("secret rotated", guild_id=guild_id, installation_id=rotated.installed.row.id)
        return rotated

    async def another(self, guild_id: str, trick: str, owner_id: str) -> Rotated:
        """Make another secret in the place of the newest one, which nobody got; the one before it goes on signing.

        Raises `NoSuchTrick`, and `NotOpen` once the newest one alone signs.
        """
        rotated = await self._made(guild_id, trick, owner_id, self._rotations.replace)
        if rotated is None:
            raise NotOpen
        _log.info("secret made once more", guild_id=guild_id, installation_id=rotated.installed.row.id)
        return rotated

    async def forget_retired(self) -> None:
        """Erase old secrets whose ten minutes are over."""
        await self._rotations.forget_retired(self._clock.now_ms())

    async def _made(self, guild_id: str, trick: str, owner_id: str, store: _Store) -> Rotated | None:
        """A new secret that `store` has put into its place, None when it would not."""
        installed = await self._lifecycle.installed(guild_id, trick)
        row, now = installed.row, self._clock.now_ms()
        secret, until = make_secret(self._clock), now + OVERLAP_MS
        sealed = self._box.seal(row.id, secret.text)
        if not await store(row.id, row.secret, sealed, now, until, owner_id):
            return None
        return Rotated(installed, secret.text, until)

    async def _refuse(self, guild_id: str, trick: str) -> NoReturn:
        row = (await self._lifecycle.installed(guild_id, trick)).row
        until = row.previous_secret_until or 0
        if until > self._clock.now_ms():
            raise RotationUnderWay(-(-until // 1000))
        raise NotOpen
