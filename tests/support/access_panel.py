"""The owner's panel of `/tricks access` in a world: pressed, chosen from, read; and the rules that come of it."""

import dataclasses
from typing import Any

import simcord

from tests.support.journeys import answer, rows_of, tricks
from tests.support.trick import TrickServer
from tests.support.world import World, text_of


@dataclasses.dataclass
class AccessPanel:
    """The owner's panel, which every press and choice redraws."""

    world: World
    message: Any

    @classmethod
    async def open(cls, world: World, trick: TrickServer, **options: str) -> "AccessPanel":
        """What `/tricks access` answers."""
        return cls(world, answer(await tricks(world, "access", trick=trick.id, **options)))

    @property
    def text(self) -> str:
        """All that can be read in it."""
        return text_of(self.message)

    @property
    def controls(self) -> list[dict[str, Any]]:
        """Its buttons and selects."""
        return [each for row in self.message.components for each in row["components"]]

    @property
    def buttons(self) -> list[str]:
        """The labels of its buttons."""
        return [each["label"] for each in self.controls if each["type"] == 2]

    def control(self, verb: str) -> dict[str, Any]:
        """The one button or select of this verb."""
        (found,) = [each for each in self.controls if each["custom_id"].startswith(f"x:{verb}:")]
        return found

    def preset(self, verb: str) -> list[int]:
        """The roles or channels that the select of this verb shows as chosen."""
        return [int(value["id"]) for value in self.control(verb).get("default_values", ())]

    async def choose(self, verb: str, *values: Any) -> simcord.InteractionResult:
        """Choose in the select of this verb."""
        return await self.world.owner.select(self.message, values, custom_id=self.control(verb)["custom_id"])

    async def press(self, label: str) -> simcord.InteractionResult:
        """Press the button with this label."""
        return await self.world.owner.click(self.message, label=label)


async def rules(url: str) -> list[str]:
    """The stored rules of all installations."""
    return [row["access"] for row in (await rows_of(url))["installations"]]


async def audited(url: str) -> list[tuple[str, str | None]]:
    """The changes of access in the audit trail, with their tools."""
    rows = (await rows_of(url))["audit"]
    return [(row["actor_id"], row["tool"]) for row in rows if row["what"] == "access"]
