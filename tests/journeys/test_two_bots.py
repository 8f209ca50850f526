"""Two processes on one database: what happens once happens in one of them, and each follows the other."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import pytest

from bot.config import Config
from bot.errors import AlreadyPressed, Duplicate, KennelError, NotOpen
from bot.policy.audiences import Asker, Place
from bot.services import Services, open_services
from bot.signing import new_key
from bot.tricks.calls import Answer, Origin, Start
from cogs.messenger import DiscordMessenger
from tests.support.journeys import answer, let_pass, replies, rows_of, said, tricks, typed, writes
from tests.support.trick import TrickServer
from tests.support.trick_answers import status
from tests.support.world import World, config_for, open_world


@dataclass
class Two:
    """A bot in its simulated server, and the services of a second one on the same database."""

    world: World
    other: Services
    config: Config

    @property
    def both(self) -> tuple[Services, Services]:
        """The services of both."""
        return self.world.services, self.other

    @property
    def asker(self) -> Asker:
        """The owner of the server."""
        return Asker(str(self.world.owner.id), str(self.world.guild.id), True, True, frozenset())

    async def call(self, services: Services, origin: Origin, event_id: str) -> Answer:
        """`save snack:fruit` in one of the two."""
        place = Place(str(self.world.channel.id))
        ready = await services.checks.command("save", "prefix", self.asker, place)
        start = Start(origin, event_id, self.asker, place, services.clock.monotonic())
        return await services.calls.run(ready, {"snack": "fruit"}, start)


@pytest.fixture
async def two(database_url: str, trick: TrickServer) -> AsyncGenerator[Two]:
    """Both on one database, with the trick enabled."""
    storage = {"url": database_url, "encryption_key": new_key()}
    config = config_for(database_url, trick, storage=storage)
    async with open_world(config) as world:
        trick.clock = world.clock
        await world.install(trick)
        async with open_services(config, world.clock) as other:
            await other.table.load()
            other.notices.attach(DiscordMessenger(world.bot))
            yield Two(world, other, config)


def kinds(results: list[Any]) -> list[str]:
    """The kinds of what was given and raised, sorted."""
    return sorted(type(result).__name__ for result in results)


async def nobody_waits(installation_id: str, name: str) -> None:
    """What has to be closed before a removal: nothing here."""


async def test_a_message_that_both_see_runs_in_one_of_them(two: Two, trick: TrickServer) -> None:
    results = await asyncio.gather(
        *(two.call(services, "prefix", "m:1") for services in two.both * 3), return_exceptions=True
    )
    assert kinds(results) == ["Answer", *["Duplicate"] * 5]
    assert sum(trick.effects.values()) == 1
    with pytest.raises(Duplicate):
        await two.call(two.other, "prefix", "m:1")


async def test_a_message_that_one_has_answered_is_over_for_the_other(two: Two, trick: TrickServer) -> None:
    message = await two.world.owner.send(two.world.channel, "^save fruit")
    with pytest.raises(Duplicate):
        await two.call(two.other, "prefix", f"m:{message.id}")
    refused = await two.world.owner.send(two.world.channel, "^save gravel")
    with pytest.raises(Duplicate):
        await two.call(two.other, "prefix", f"m:{refused.id}")
    assert sum(trick.effects.values()) == 1


async def test_a_press_that_both_see_runs_in_one_of_them(two: Two, trick: TrickServer) -> None:
    results = await asyncio.gather(
        *(two.call(services, "button", "p:key:1") for services in two.both), return_exceptions=True
    )
    assert kinds(results) == ["AlreadyPressed", "Answer"]
    two.world.clock.advance(4)
    await two.call(two.other, "button", "p:key:1")
    with pytest.raises(AlreadyPressed):
        await two.call(two.world.services, "button", "p:key:1")
    assert sum(trick.effects.values()) == 2


async def test_a_panel_is_pressed_in_one_of_them(two: Two, trick: TrickServer) -> None:
    guild_id, owner_id = two.asker.guild_id, two.asker.member_id
    _, draft_id = await two.other.lifecycle.ask_remove(guild_id, trick.id, owner_id)
    results = await asyncio.gather(
        *(
            services.lifecycle.confirm_remove(draft_id, guild_id, owner_id, closing=nobody_waits)
            for services in two.both
        ),
        return_exceptions=True,
    )
    assert kinds(results) == ["Installation", "NotOpen"]
    with pytest.raises(NotOpen):
        await two.other.lifecycle.confirm_remove(draft_id, guild_id, owner_id, closing=nobody_waits)


async def test_a_prefix_set_in_one_is_used_by_the_other_after_its_next_look(two: Two) -> None:
    await two.other.prefixes.set(two.asker.guild_id, "!")
    await let_pass(two.world, 2)
    assert "popcorn" in await typed(two.world, "!snacks")
    assert await typed(two.world, "^snacks") == ""
    await two.world.owner.slash(two.world.channel, "prefix", value="?")
    assert two.other.table.prefix(two.asker.guild_id) == "!"
    await two.other.table.refresh()
    assert two.other.table.prefix(two.asker.guild_id) == "?"


async def test_a_trick_that_one_disables_is_off_for_the_other_at_once_and_its_commands_go(
    two: Two, trick: TrickServer
) -> None:
    guild_id, owner_id = two.asker.guild_id, two.asker.member_id
    await two.other.lifecycle.disable(guild_id, trick.id, owner_id)
    assert "is turned off here" in said(await two.world.member.slash(two.world.channel, "snacks"))
    assert "is turned off here" in await typed(two.world, "^snacks")
    await let_pass(two.world, 4)
    assert writes(two.world)[-1] == []
    assert await typed(two.world, "^snacks") == ""
    assert len(writes(two.world)) == 2


async def test_a_button_made_by_one_is_pressed_in_the_other(two: Two) -> None:
    shown = answer(await two.world.owner.slash(two.world.channel, "snacks"))
    custom_id: str = shown.components[0]["components"][0]["custom_id"]
    place = Place(str(two.world.channel.id))
    ready = await two.other.checks.action(custom_id.removeprefix("t:"), str(shown.id), two.asker, place)
    assert ready.arguments == {"snack": "fruit"}


async def test_failures_in_both_make_one_row_and_one_pause(two: Two, trick: TrickServer) -> None:
    trick.on("tools/call", status(503))
    for n in range(6):
        try:
            await two.call(two.both[n % 2], "prefix", f"m:{n}")
        except KennelError as error:
            told = error.sentence
            assert ("is paused" in told) == (n == 5), n
    await let_pass(two.world, 2)
    assert "is paused" in await typed(two.world, "^snacks")
    assert "paused" in said(await tricks(two.world, "list"))


async def test_one_of_them_writes_a_servers_commands(two: Two, trick: TrickServer) -> None:
    guild_id = two.asker.guild_id
    await two.other.lifecycle.disable(guild_id, trick.id, two.asker.member_id)
    turns = await asyncio.gather(*(services.command_set.take_turn(guild_id) for services in two.both))
    (turn,) = [each for each in turns if each is not None]
    holder = two.both[turns.index(turn)]
    assert await two.other.command_set.take_turn(guild_id) is None
    two.world.clock.advance(61)
    late = await two.both[1 - turns.index(turn)].command_set.take_turn(guild_id)
    assert late is not None
    await holder.command_set.give_back(turn)
    assert await holder.command_set.take_turn(guild_id) is None


async def test_one_of_them_looks_at_a_trick(two: Two, trick: TrickServer) -> None:
    seen = trick.count("tools/list")
    two.world.clock.advance(3_600)
    looked = await asyncio.gather(*(services.looks.look_at_due() for services in two.both))
    assert sorted(looked) == [0, 1]
    assert trick.count("tools/list") == seen + 1


async def test_what_one_left_half_done_is_ended_by_the_other_and_not_repeated(
    two: Two, trick: TrickServer, database_url: str
) -> None:
    hanging = asyncio.Event()

    async def hang(trick: TrickServer, received: Any) -> Any:
        result = trick.good_answer(received)
        hanging.set()
        await asyncio.Event().wait()
        return result

    trick.on("tools/call", hang)
    call = asyncio.create_task(two.call(two.other, "prefix", "m:1"))
    await asyncio.wait_for(hanging.wait(), 5)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    assert [row["status"] for row in (await rows_of(database_url))["calls"]] == ["sent"]
    await two.world.services.housekeeping.end_abandoned_calls()
    assert [row["status"] for row in (await rows_of(database_url))["calls"]] == ["sent"]
    two.world.clock.advance(61)
    await two.world.services.housekeeping.end_abandoned_calls()
    assert [row["status"] for row in (await rows_of(database_url))["calls"]] == ["unknown"]
    trick.behave()
    with pytest.raises(Duplicate):
        await two.call(two.world.services, "prefix", "m:1")
    assert sum(trick.effects.values()) == 1
    assert replies(two.world) == []
