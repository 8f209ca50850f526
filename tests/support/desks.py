"""A stand-in for the services of a conversation, and what is said to it."""

from dataclasses import dataclass, field, replace
from typing import Any, cast

import discord
import pytest_asyncio
import simcord

from bot.assistant.assistant import Incoming
from bot.errors import Duplicate, NotYours
from bot.tasks.question_desk import WordsOutcome
from cogs.chat import Chat
from tests.support.world import World


@dataclass
class Desks:
    """Stands in for the services of a conversation, and records what they are asked."""

    enabled: bool = True
    started: list[Incoming] = field(default_factory=list[Incoming])
    refusal: Exception | None = None
    own_threads: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    cards: dict[str, str] = field(default_factory=dict[str, str])
    pressed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    advanced: list[str] = field(default_factory=list[str])
    questions_at: dict[str, str] = field(default_factory=dict[str, str])
    places: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    outcome: WordsOutcome = field(default_factory=lambda: WordsOutcome("taken"))
    asked: list[tuple[str, str, dict[str, bool]]] = field(
        default_factory=list[tuple[str, str, dict[str, bool]]]
    )

    @property
    def contents(self) -> list[str]:
        return [incoming.content for incoming in self.started]

    async def start(self, incoming: Incoming) -> None:
        if any(each.message_id == incoming.message_id for each in self.started):
            raise Duplicate
        self.started.append(incoming)
        if self.refusal is not None:
            raise self.refusal

    async def advance(self, request_id: str) -> None:
        self.advanced.append(request_id)

    async def is_askers(self, thread_id: str, member_id: str) -> bool:
        return (thread_id, member_id) in self.own_threads

    async def by_card(self, message_id: str) -> Any:
        owner = self.cards.get(message_id)
        return None if owner is None else Card(owner)

    async def press(self, key: str, verb: str, asker: Any, place: Any) -> Any:
        if key != asker.member_id:
            raise NotYours
        self.pressed.append((verb, place.channel_id))
        return Card(key)

    async def to_reply(self, message_id: str, member_id: str) -> Any:
        return message_id if self.questions_at.get(message_id) == member_id else None

    async def newest(self, channel_id: str, member_id: str) -> Any:
        return self.places.get((channel_id, member_id))

    def has(self, channel_id: str, member_id: str) -> bool:
        return (channel_id, member_id) in self.places

    async def words(self, row: str, text: str, **how: bool) -> WordsOutcome:
        self.asked.append((row, text, {name: value for name, value in how.items() if value}))
        return self.outcome


@dataclass
class Card:
    """A card whose key is its asker."""

    key: str
    request_id: str = "request"


@pytest_asyncio.fixture
async def desks(world: World) -> Desks:
    made = Desks()
    stand_in = cast("Any", made)
    world.bot.services = replace(
        world.bot.services,
        assistant=stand_in,
        approvals=stand_in,
        questions=stand_in,
        watch=stand_in,
        threads=stand_in,
    )
    await world.bot.remove_cog("Chat")
    await world.bot.add_cog(Chat(world.bot))
    return made


def mention(world: World) -> str:
    return f"<@{world.env.backend.bot_user.id}>"


async def spoken(
    world: World, channel: simcord.ChannelHandle | None = None, content: str = "hi"
) -> discord.Message:
    """A message of the bot's."""
    backend, bot_id = world.env.backend, world.env.backend.bot_user.id
    backend.create_message((channel or world.channel).id, bot_id, content)
    await world.env.settle()
    last = (channel or world.channel).last_message
    assert last is not None
    return last


def thread_in(world: World) -> simcord.ChannelHandle:
    made = world.env.backend.create_thread(world.channel.id, "talk", world.owner.id)
    return simcord.builders.ChannelHandle(world.env, world.guild, made)
