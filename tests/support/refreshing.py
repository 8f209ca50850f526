"""Reading a trick anew as its owner: what is shown, what is pressed, and how a trick changes."""

from typing import Any

import simcord

from tests.support.journeys import answer, said, tricks, writes
from tests.support.trick import TrickServer
from tests.support.trick_tools import ToolSpec
from tests.support.world import World, text_of

ORDER = ToolSpec("order_snack", "Order a snack", "Orders one.\nFor the asker.", always_ask=True)


def everything(result: simcord.InteractionResult) -> str:
    """The texts of all messages that answer, in their order."""
    return "\n".join(text_of(each) for each in messages(result))


def messages(result: simcord.InteractionResult) -> list[Any]:
    """All messages that answer; every one of them private."""
    shown = [*([result.response] if result.response is not None else []), *result.followups]
    assert all(message.ephemeral for message in shown)
    return shown


async def refresh(world: World, trick: TrickServer) -> simcord.InteractionResult:
    """The owner reads the trick anew; both have the same clock."""
    world.clock.advance(361)  # tests and registrations are ten an hour
    return await tricks(world, "refresh", trick=trick.id)


def written(world: World) -> set[str]:
    """The names of the commands that were written last."""
    return set(writes(world, world.guild)[-1])


async def accept(world: World, result: simcord.InteractionResult) -> str:
    """The owner accepts; gives what they are told."""
    return said(await world.owner.click(answer(result), label="Accept"))


def grow(trick: TrickServer) -> None:
    """The trick gets a tool, a command and a setting, and loses a command."""
    trick.tools.append(ORDER)
    trick.live_tools.append(ORDER)
    trick.commands = [trick.commands[0], {"name": "order", "description": "Order one", "tool": "order_snack"}]
    trick.settings = [{"key": "shelf", "label": "Which shelf", "type": "text"}]
