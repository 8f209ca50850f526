"""What Discord delivers twice runs once and is answered once, also when it is refused."""

from collections.abc import Callable

import pytest
import simcord

from tests.support.journeys import answer, deliver_again, replies, said, tricks, typed
from tests.support.trick import TrickServer
from tests.support.trick_answers import drop, status, tool_error
from tests.support.world import World, text_of

MESSAGES = {
    "a read": "^snacks",
    "a write": "^save fruit",
    "wrong arguments": "^save gravel",
    "an unknown option": "^snacks --wrong",
    "help": "^help",
    "the prefix": "^prefix",
    "a wrong prefix": "^prefix too/long",
}


def newest(world: World, event: str) -> dict[str, object]:
    """The payload of the newest gateway event of this kind."""
    return next(data for _, name, data in reversed(world.env.backend.transcript) if name == event)


@pytest.mark.parametrize("what", MESSAGES)
async def test_a_message(world: World, trick: TrickServer, what: str) -> None:
    await world.install(trick)
    assert await typed(world, MESSAGES[what], world.owner) != ""
    await deliver_again(world, "MESSAGE_CREATE", times=3)
    assert len(replies(world)) == 1
    assert trick.count("tools/call") <= 1


async def test_a_message_that_is_delivered_twice_at_the_same_moment(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    for content in ("^save fruit", "^save gravel", "^help"):
        before = len(replies(world))
        world.env.backend.create_message(world.channel.id, world.owner.id, content)
        created = next(
            data
            for _, name, data in reversed(world.env.backend.transcript)
            if name == "MESSAGE_CREATE" and data["content"] == content
        )
        world.env.backend.emit("MESSAGE_CREATE", created)
        await world.env.settle()
        assert len(replies(world)) == before + 1, content
    assert sum(trick.effects.values()) == 1


async def test_a_message_without_access(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    assert "manage the server" in await typed(world, "^save fruit")
    await deliver_again(world, "MESSAGE_CREATE")
    assert len(replies(world)) == 1


FAILURES: dict[str, Callable[[], object]] = {"drop": drop, "status": lambda: status(500), "error": tool_error}


@pytest.mark.parametrize("failure", FAILURES)
async def test_a_message_whose_call_failed(world: World, trick: TrickServer, failure: str) -> None:
    await world.install(trick)
    trick.on("tools/call", FAILURES[failure]())  # pyright: ignore[reportArgumentType]
    assert await typed(world, "^save fruit", world.owner) != ""
    trick.behave()
    await deliver_again(world, "MESSAGE_CREATE", times=2)
    assert len(replies(world)) == 1
    assert trick.count("tools/call") == 1


async def test_the_last_message_within_a_limit_is_not_refused_afterwards(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    for _ in range(20):
        assert "popcorn" in await typed(world, "^snacks")
    await deliver_again(world, "MESSAGE_CREATE")
    assert len(replies(world)) == 20


async def test_a_message_that_was_refused_does_not_run_later(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    for _ in range(20):
        await typed(world, "^snacks")
    assert "Try again" in await typed(world, "^snacks")
    world.clock.advance(61)
    await deliver_again(world, "MESSAGE_CREATE")
    assert len(replies(world)) == 21
    assert trick.count("tools/call") == 20


async def test_the_failure_that_pauses_is_told_once(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.on("tools/call", status(500))
    for _ in range(5):
        assert "did not answer" in await typed(world, "^snacks")
    await deliver_again(world, "MESSAGE_CREATE")
    assert len(replies(world)) == 5


async def test_a_slash_command(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    shown = await world.owner.slash(world.channel, "save", snack="fruit")
    await deliver_again(world, "INTERACTION_CREATE", times=2)
    assert "Saved: fruit." in said(shown)
    assert shown.followups == []
    assert sum(trick.effects.values()) == 1


async def test_a_refused_slash_command(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    shown = await world.member.slash(world.channel, "save", snack="fruit")
    told = said(shown)
    await deliver_again(world, "INTERACTION_CREATE")
    assert said(shown) == told
    assert shown.followups == []


async def test_a_press(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    shown = await world.owner.slash(world.channel, "snacks")
    pressed = await world.owner.click(answer(shown), label="Save fruit")
    await deliver_again(world, "INTERACTION_CREATE", times=2)
    assert "Saved: fruit." in said(pressed)
    assert pressed.followups == []
    assert sum(trick.effects.values()) == 1


async def test_a_press_of_the_owner(world: World, trick: TrickServer) -> None:
    shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
    pressed = await world.owner.click(shown, label="Register")
    await deliver_again(world, "INTERACTION_CREATE", times=2)
    assert "whsec_" in text_of(shown)
    assert pressed.followups == []


async def test_an_interaction_that_discord_does_not_let_us_acknowledge_runs_nothing(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    world.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10062)
    shown: simcord.InteractionResult = await world.owner.slash(world.channel, "save", snack="fruit")
    assert not shown.acknowledged
    assert shown.response is None
    assert trick.count("tools/call") == 0


async def test_an_edited_message_runs_nothing(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    message = await world.owner.send(world.channel, "save fruit")
    await world.owner.edit(message, "^save fruit")
    assert replies(world) == []
    assert not trick.effects
