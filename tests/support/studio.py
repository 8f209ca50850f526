"""A simulated server with a camera in it, two tricks, and an owner whose every answer is photographed."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import simcord

from tests.support.camera import Camera, open_camera
from tests.support.clock import ShiftedClock
from tests.support.journeys import answer, tricks
from tests.support.model import ModelServer
from tests.support.pictured_tricks import overdone, snack_club
from tests.support.trick import TrickServer
from tests.support.world import World, config_for, open_world


@dataclass(frozen=True)
class Studio:
    """Snack Club is `club`, the trick that overdoes everything `big`; neither is registered yet."""

    world: World
    camera: Camera
    club: TrickServer
    big: TrickServer
    model: ModelServer

    async def owner(self, name: str, verb: str, **options: Any) -> Any:
        """The owner gives a command of `/tricks`: every message of the answer is taken, the last one given."""
        return await self.taken(name, await tricks(self.world, verb, **options))

    async def press(self, name: str, message: Any, label: str) -> Any:
        """The owner presses a button: every message of the answer is taken, the last one given."""
        return await self.taken(name, await self.world.owner.click(message, label=label))

    async def taken(
        self, name: str, result: simcord.InteractionResult, by: simcord.MemberActor | None = None
    ) -> Any:
        """Every message of the owner's answer, or of that of `by`, numbered if there are several; the last one."""
        shown = [*([result.response] if result.response is not None else []), *result.followups]
        for number, message in enumerate(shown, 1):
            await self.take(name if len(shown) == 1 else f"{name}-{number}", message, by)
        return answer(result)

    async def take(self, name: str, shown: Any, by: simcord.MemberActor | None = None) -> None:
        """A message or form as the owner or `by` sees it."""
        await self.camera.take(name, shown, by or self.world.owner, self.world.clock.now())

    def later(self, seconds: float = 3_600.0) -> None:
        """Let time pass: after an hour the owner may test and register ten times more."""
        self.world.clock.advance(seconds)


@asynccontextmanager
async def open_studio(chromium: str, folder: Path) -> AsyncGenerator[Studio]:
    """Everything runs in this process; the pictures go into `folder`."""
    clock = ShiftedClock()
    club, big, model = snack_club(clock), overdone(clock), ModelServer()
    async with AsyncExitStack() as stack:
        for server in (club, big, model):
            await server.start()
            stack.push_async_callback(server.stop)
        database = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        config = config_for(f"sqlite:///{database}/kennel.db", club, big, assistant=model.config)
        world = await stack.enter_async_context(open_world(config, clock))
        world.env.backend.bot_user.name = "Kennel"
        clock.advance((world.env.now() - clock.now()).total_seconds())
        camera = await stack.enter_async_context(open_camera(chromium, world.env, world.channel, folder))
        yield Studio(world, camera, club, big, model)
