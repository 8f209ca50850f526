"""A presentation's buttons: for whoever presses them, after a restart, once, and no longer than they should."""

from pathlib import Path

from bot.app import Kennel
from tests.support.trick import TrickServer
from tests.support.world import World, config_for, open_world, text_of

THIRTY_DAYS = 30 * 86_400


async def test_a_button_runs_its_tool_for_whoever_presses_it_and_answers_privately(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    shown = await world.owner.slash(world.channel, "snacks")
    assert shown.response is not None

    pressed = await world.owner.click(shown.response, label="Save fruit")

    assert pressed.response is not None
    assert pressed.ephemeral
    assert "Save your snack preference" in text_of(pressed.response)
    assert "Saved: fruit." in text_of(pressed.response)
    call = trick.received("tools/call")[-1]
    assert call.arguments == {"snack": "fruit"}
    assert call.context["askerId"] == str(world.owner.id)


async def test_a_button_works_after_a_restart(tmp_path: Path, trick: TrickServer) -> None:
    async with open_world(config_for(f"sqlite:///{tmp_path}/kennel.db", trick)) as world:
        await world.install(trick)
        message = await world.owner.send(world.channel, "^snacks")
        reply = world.channel.last_message
        assert reply is not None
        assert reply.id != message.id

        await world.env.restart_bot(Kennel(world.services, shard_count=1))
        pressed = await world.owner.click(reply, label="Save fruit")

        assert pressed.response is not None
        assert "Saved: fruit." in text_of(pressed.response)
        assert sum(trick.effects.values()) == 1


async def test_one_persons_double_press_runs_once_and_says_so(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await world.owner.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None

    await world.owner.click(reply, label="Save fruit")
    second = await world.owner.click(reply, label="Save fruit")

    assert second.response is not None
    assert "runs only once" in text_of(second.response)
    assert sum(trick.effects.values()) == 1


async def test_a_later_press_by_the_same_person_runs_again(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await world.owner.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None

    await world.owner.click(reply, label="Save fruit")
    world.clock.advance(4)
    await world.owner.click(reply, label="Save fruit")

    assert sum(trick.effects.values()) == 2


async def test_a_press_by_somebody_without_access_is_refused_privately(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await world.owner.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None

    pressed = await world.member.click(reply, label="Save fruit")

    assert pressed.response is not None
    assert pressed.ephemeral
    assert "members who may manage the server" in text_of(pressed.response)
    assert not trick.effects


async def test_a_button_expires_with_the_retention(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await world.owner.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None

    world.clock.advance(THIRTY_DAYS)
    pressed = await world.owner.click(reply, label="Save fruit")

    assert pressed.response is not None
    assert "expired" in text_of(pressed.response)
    assert not trick.effects


async def test_a_button_of_a_removed_trick_has_expired(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await world.owner.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None
    asked = await world.owner.slash(world.channel, "tricks remove", trick=trick.id)
    assert asked.response is not None
    await world.owner.click(asked.response, label="Remove")

    pressed = await world.owner.click(reply, label="Save fruit")

    assert pressed.response is not None
    assert "expired" in text_of(pressed.response)


async def test_a_button_of_a_disabled_trick_says_that_it_is_off(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await world.owner.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None
    await world.owner.slash(world.channel, "tricks disable", trick=trick.id)

    pressed = await world.owner.click(reply, label="Save fruit")

    assert pressed.response is not None
    assert "turned off" in text_of(pressed.response)
    assert not trick.effects
