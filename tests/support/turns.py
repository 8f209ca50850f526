"""The model's side of a conversation: what it calls and what it is told, and rules that change behind it."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import reduce
from operator import add
from typing import Any

import simcord
from sqlalchemy import update

from storage.tables import installations
from tests.support.clock import ShiftedClock
from tests.support.journeys import database_of, rows_of
from tests.support.model import Answer, Asked, ModelServer, Step, call
from tests.support.talks import ask, is_card, spoken
from tests.support.trick import TrickServer
from tests.support.world import World, config_for, open_world, text_of


def load(trick: TrickServer) -> Answer:
    """The model loads the trick."""
    return call("load_trick", trick=trick.id)


def use(trick: TrickServer, tool: str, **arguments: Any) -> Answer:
    """The model calls a tool of the trick."""
    return call(f"{trick.id}__{tool}", **arguments)


def told(asked: Asked) -> list[Any]:
    """What the model was told of the calls in its last message, read from JSON, in their order."""
    contents: list[str] = []
    for message in reversed(asked.messages):
        if message["role"] != "tool":
            break
        contents.insert(0, message["content"])
    return [json.loads(content) for content in contents]


def errors(asked: Asked) -> list[str]:
    """The sentences of Kennel's own that answer the calls in the model's last message."""
    return [str(content.get("kennel", {}).get("error", "")) for content in told(asked)]


async def set_access(url: str, trick: TrickServer, **access: Any) -> None:
    """The owner's access rules for a trick: `audiences` by tool, `channels`."""
    change = update(installations).where(installations.c.trick_id == trick.id)
    async with database_of(url) as database:
        await database.write(lambda connection: connection.execute(change.values(access=json.dumps(access))))


async def open_to(url: str, trick: TrickServer, *tools: str, roles: tuple[int, ...] = ()) -> None:
    """Open these tools to everyone, or with `roles` to those who have one of them."""
    rule: dict[str, Any] = {"kind": "everyone"}
    if roles:
        rule = {"kind": "roles", "roles": [str(role) for role in roles]}
    await set_access(url, trick, audiences=dict.fromkeys(tools, rule))


async def statuses(url: str) -> list[str]:
    """How the requests stand that were made so far, oldest first; ended ones hold no lease."""
    rows = sorted((await rows_of(url))["requests"], key=lambda row: row["created_at"])
    assert all(row["lease_until"] is None for row in rows if row["status"] != "running")
    return [row["status"] for row in rows]


@asynccontextmanager
async def talking(
    url: str, model: ModelServer, *tricks: TrickServer, **sections: Any
) -> AsyncGenerator[World]:
    """The bot with a model and these tricks installed; `sections` are more of its configuration."""
    clock = ShiftedClock()
    assistant = model.config | sections.pop("assistant", {})
    async with open_world(config_for(url, *tricks, assistant=assistant, **sections), clock) as world:
        for trick in tricks:
            trick.clock = clock
            await world.install(trick)
        yield world


async def carded(
    world: World,
    trick: TrickServer,
    model: ModelServer,
    *after: Step,
    snacks: Sequence[str] = ("popcorn",),
    member: simcord.MemberActor | None = None,
) -> list[Any]:
    """The owner, or `member`, asks to save snacks after a look at the menu: the open cards, in their order.

    `after` is how the model goes on once all of them are answered.
    """
    writes = [use(trick, "save_snack", snack=snack) for snack in snacks]
    model.script(load(trick), use(trick, "snack_menu"), reduce(add, writes), *after)
    cards = await ask(world, "save what is there", member=member or world.owner)
    assert [is_card(card) for card in cards] == [True] * len(snacks)
    return sorted(cards, key=lambda card: [snack in text_of(card) for snack in snacks].index(True))


def saved(trick: TrickServer) -> list[str]:
    """The snacks that the trick was told to save, in their order."""
    return [each.arguments["snack"] for each in trick.received("tools/call") if each.tool == "save_snack"]


def shown(world: World, card: Any) -> Any:
    """A message of the bot's as it looks now."""
    return next(each for each in spoken(world) if each.id == card.id)


def said_since(world: World, card: Any) -> list[str]:
    """What the bot has said in the channel after this message."""
    return [text_of(each) for each in spoken(world) if each.id > card.id]
