"""The buttons of approval cards: who pressed what is handed to the desk, once, and a refusal hides no card."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import discord
import pytest
import simcord

from bot.app import Kennel
from bot.errors import CardClosed, NotYours, ToolHeldBack, sentence_for
from bot.policy.audiences import Asker, Place
from tests.support.cards import post_buttons, stand_in
from tests.support.journeys import answer, labels, said
from tests.support.world import World, text_of

KEY = "abcdefghij-_0123"
CARD = {
    f"a:do:{KEY}": "Do it",
    f"a:auto:{KEY}": "Auto-review",
    f"a:dont:{KEY}": "Don't",
    f"a:details:{KEY}": "Details",
}
Press = tuple[str, str, Asker, Place]


@dataclass
class Desk:
    """Records what it is asked; answers with `error` if there is one."""

    error: Exception | None = None
    texts: tuple[str, ...] = ("inputs",)
    pressed: list[Press] = field(default_factory=list[Press])
    detailed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    advanced: list[str] = field(default_factory=list[str])

    async def press(self, key: str, verb: str, asker: Asker, place: Place) -> Any:
        self.pressed.append((key, verb, asker, place))
        if self.error:
            raise self.error
        return SimpleNamespace(request_id="the request")

    async def details(self, key: str, member_id: str) -> tuple[str, ...]:
        self.detailed.append((key, member_id))
        if self.error:
            raise self.error
        return self.texts

    async def advance(self, request_id: str) -> None:
        self.advanced.append(request_id)


async def card(world: World, desk: Desk) -> discord.Message:
    """A posted card whose presses reach `desk`."""
    stand_in(world, approvals=desk, assistant=desk)
    return await post_buttons(world, "May I?", CARD)


def as_posted(world: World) -> bool:
    """Whether the card, the channel's only message, still is what it was."""
    (message,) = world.channel.history()
    return message.content == "May I?" and labels(message) == list(CARD.values())


@pytest.mark.parametrize(("label", "verb"), [("Do it", "do"), ("Auto-review", "auto"), ("Don't", "dont")])
async def test_a_press_is_decided_by_the_desk_and_the_request_goes_on(
    world: World, label: str, verb: str
) -> None:
    desk = Desk()
    message = await card(world, desk)

    pressed = await world.owner.click(message, label=label)

    (call,) = desk.pressed
    assert call[:2] == (KEY, verb)
    assert (call[2].member_id, call[2].guild_id) == (str(world.owner.id), str(world.guild.id))
    assert call[2].is_owner
    assert call[3] == Place(str(world.channel.id))
    assert desk.advanced == ["the request"]
    assert pressed.deferred
    assert pressed.followups == []
    assert as_posted(world)


async def test_a_press_in_a_thread_names_its_parent(world: World) -> None:
    desk = Desk()
    stand_in(world, approvals=desk, assistant=desk)
    made = world.env.backend.create_thread(world.channel.id, "work", world.owner.id)
    thread = simcord.builders.ChannelHandle(world.env, world.guild, made)
    message = await post_buttons(world, "May I?", CARD, thread)

    await world.owner.click(message, label="Do it")

    assert desk.pressed[0][3] == Place(str(thread.id), str(world.channel.id))


@pytest.mark.parametrize(
    "error", [NotYours(), CardClosed(), ToolHeldBack("Snack Club"), RuntimeError("zebra")], ids=repr
)
async def test_a_refusal_is_said_beside_the_card_in_private(world: World, error: Exception) -> None:
    desk = Desk(error)
    message = await card(world, desk)

    pressed = await world.member.click(message, label="Do it")

    (beside,) = pressed.followups
    assert beside.ephemeral
    assert text_of(beside) == sentence_for(error)
    assert desk.advanced == []
    assert as_posted(world)


async def test_a_request_that_cannot_go_on_is_said_beside_the_card(world: World) -> None:
    class Stuck(Desk):
        async def advance(self, request_id: str) -> None:
            raise CardClosed

    message = await card(world, Stuck())

    pressed = await world.owner.click(message, label="Do it")

    assert "no longer open" in said(pressed)
    assert pressed.followups[0].ephemeral
    assert as_posted(world)


async def test_what_discord_did_not_acknowledge_is_not_decided(world: World) -> None:
    desk = Desk()
    message = await card(world, desk)
    for label in ("Do it", "Details"):
        world.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10062)
        await world.owner.click(message, label=label)
    assert (desk.pressed, desk.detailed, desk.advanced) == ([], [], [])
    assert as_posted(world)


@pytest.mark.parametrize("label", ["Do it", "Details"])
async def test_a_process_that_is_stopping_decides_nothing_and_says_so(world: World, label: str) -> None:
    desk = Desk()
    message = await card(world, desk)
    world.bot.draining = True

    pressed = await world.owner.click(message, label=label)

    assert "restarting" in said(pressed)
    assert pressed.ephemeral
    assert (desk.pressed, desk.detailed) == ([], [])
    assert as_posted(world)


async def test_a_card_works_after_a_restart(world: World) -> None:
    desk = Desk()
    message = await card(world, desk)
    services = world.bot.services
    await world.env.restart_bot(Kennel(services, shard_count=1))

    await world.owner.click(message, label="Don't")

    assert [call[:2] for call in desk.pressed] == [(KEY, "dont")]


async def test_details_are_private_and_in_order(world: World) -> None:
    texts = tuple(f"part {number}" for number in range(5))
    desk = Desk(texts=texts)
    message = await card(world, desk)

    pressed = await world.owner.click(message, label="Details")

    assert desk.detailed == [(KEY, str(world.owner.id))]
    assert pressed.response is not None
    shown = [pressed.response, *pressed.followups]
    assert [text_of(each) for each in shown] == list(texts)
    assert all(each.ephemeral for each in shown)
    assert desk.pressed == []
    assert as_posted(world)


async def test_details_of_somebody_elses_card_are_refused(world: World) -> None:
    message = await card(world, Desk(NotYours()))

    pressed = await world.member.click(message, label="Details")

    assert "Only the member who asked" in said(pressed)
    assert pressed.ephemeral
    assert as_posted(world)


async def test_details_too_long_for_five_messages_are_one_file(world: World) -> None:
    texts = tuple(f"part {number} ☂" for number in range(6))
    message = await card(world, Desk(texts=texts))

    pressed = await world.owner.click(message, label="Details")

    assert pressed.followups == []
    assert pressed.ephemeral
    (file,) = answer(pressed).attachments
    assert file.filename == "details.txt"
    assert (await file.read()).decode() == "\n".join(texts)


async def test_where_a_file_is_refused_the_first_five_parts_are_shown(world: World) -> None:
    texts = tuple(f"part {number}" for number in range(6))
    message = await card(world, Desk(texts=texts))
    world.env.inject_error("PATCH", "/webhooks/*/*/messages/@original", status=403, code=50013)

    pressed = await world.owner.click(message, label="Details")

    assert pressed.response is not None
    shown = [text_of(each) for each in (pressed.response, *pressed.followups)]
    assert shown[:5] == list(texts[:5])
    assert "There is more" in shown[5]
    assert len(shown) == 6
