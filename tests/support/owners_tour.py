"""Everything that can be pressed, chosen or sent in the owner's room, gathered by an owner who opens all of it."""

from typing import Any

import simcord

from tests.support.forging import CHANNEL_SELECT, ROLE_SELECT, Forged, controls_of
from tests.support.journeys import answer, tricks, typed
from tests.support.refreshing import grow
from tests.support.trick import TrickServer
from tests.support.trick_answers import status
from tests.support.world import World

SETTINGS: list[dict[str, Any]] = [
    *({"key": f"word_{n}", "label": f"Word {n}", "type": "text", "default": "-"} for n in range(5)),
    {"key": "most", "label": "Most", "type": "number", "default": 1},
]
KEPT = "zebra-kept"
FORGED = "zebra-forged"


class Tour:
    """What was gathered, and in which server."""

    def __init__(self, world: World, trick: TrickServer) -> None:
        self.world = world
        self.trick = trick
        self.found: dict[str, Forged] = {}

    def of(self, *prefixes: str) -> list[Forged]:
        """What was gathered with custom ids that begin like this; without any, all of it."""
        return [each for key, each in self.found.items() if key.startswith(prefixes or "")]

    def one(self, prefix: str) -> Forged:
        """The only one that begins like this."""
        (found,) = self.of(prefix)
        return found

    async def take(self) -> "Tour":
        """Register, enable and change the trick, and leave every panel and form open."""
        self.trick.settings = SETTINGS
        self._keep(await tricks(self.world, "register", manifest_url=self.trick.manifest_url))
        await self.world.register(self.trick)
        await self.ask_to_enable()
        await self.world.enable(self.trick)
        await self._fail()
        await self._open_forms()
        await self._open_access()
        for verb in ("show", "log", "remove"):
            self._keep(await self._do(verb))
        self._keep(await self._do("events", channel=self.world.channel))
        self._keep(
            await self.world.owner.click(answer(await self._do("events")), label="Stop sending events")
        )
        grow(self.trick)
        self.trick.settings = SETTINGS
        self._keep(await self._do("refresh"))
        return self

    async def ask_to_enable(self) -> None:
        """Leave the question of the first enabling open."""
        self._keep(await tricks(self.world, "enable", trick=self.trick.id))

    async def _fail(self) -> None:
        """Enough failures for a second page of the log, and a success, so that nothing pauses."""
        for _ in range(2):
            self.trick.on("tools/call", status(503))
            for _ in range(4):
                await typed(self.world, "^snacks")
            self.trick.behave()
            await typed(self.world, "^snacks")

    async def _open_forms(self) -> None:
        world = self.world
        shown = await self._do("settings")
        saved = await world.owner.submit_modal(shown, {"0": KEPT})
        self._keep(saved)
        second = await world.owner.click(answer(saved), label="Page 2 of 2")
        self._keep(await world.owner.submit_modal(second, {"0": "many"}))
        self._keep_form(await self._do("settings"), {"0": FORGED})
        self._keep_form(await world.owner.click(answer(saved), label="Correct it"), {"0": "7"})
        self._keep_form(await world.owner.slash(world.channel, "guidance"), {"0": FORGED})

    async def _open_access(self) -> None:
        world = self.world
        glance = await self._do("access")
        world.clock.advance(1)
        await world.owner.select(
            answer(glance), [world.channel], custom_id=self._keep(glance)["x:channels:"].custom_id
        )
        self._keep(glance)
        one = await self._do("access", tool="save_snack")
        who = self._keep(one)["x:who:"].custom_id
        await world.owner.select(answer(one), ["roles"], custom_id=who)
        self._keep(one)
        asked = await self._do("access", tool="save_snack")
        await world.owner.select(answer(asked), ["everyone"], custom_id=who)
        self._keep(asked)
        menu = await self._do("access", tool="snack_menu")
        (select,) = [each for each in controls_of([answer(menu)]) if ":who:" in each["custom_id"]]
        await world.owner.select(answer(menu), ["owner"], custom_id=select["custom_id"])
        self._keep(await self._do("access"))

    async def _do(self, verb: str, **options: Any) -> simcord.InteractionResult:
        self.world.clock.advance(45)  # tests and registrations are ten an hour, calls one a second
        return await self.world.owner.slash(
            self.world.channel, f"tricks {verb}", trick=self.trick.id, **options
        )

    def _keep(self, result: simcord.InteractionResult) -> dict[str, Forged]:
        """Gather the controls of an answer; gives them by their prefixes."""
        shown = [*([result.response] if result.response is not None else []), *result.followups]
        found: dict[str, Forged] = {}
        for control in controls_of(shown):
            forged = Forged.of_control(control, *self._values(control))
            self.found[forged.custom_id] = forged
            found[":".join(forged.custom_id.split(":")[:2]) + ":"] = forged
        return found

    def _keep_form(self, result: simcord.InteractionResult, typed_in: dict[str, str]) -> None:
        assert result.modal is not None
        forged = Forged.of_form(result.modal["custom_id"], typed_in)
        self.found[forged.custom_id] = forged

    def _values(self, control: Any) -> tuple[str, ...]:
        """Something that would change what holds."""
        match control["type"]:
            case kind if kind == CHANNEL_SELECT:
                return (str(self.world.channel.id),)
            case kind if kind == ROLE_SELECT:
                return (str(self.world.guild.default_role.id),)
            case _:
                return ("everyone" if ":who:" in control["custom_id"] else "save_snack",)
