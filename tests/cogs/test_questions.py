"""A question's buttons and its form: what was answered is handed to the desk, whatever happens to the process."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

import discord
import pytest
import simcord

from bot.app import Kennel
from bot.errors import CardClosed, NotYours, sentence_for
from bot.outbound import FormPage, Reply
from bot.strict_json import Json
from bot.tasks.forms import Given, page
from bot.tasks.question_desk import FormOutcome
from bot.tasks.questions import read_question
from tests.support.cards import post_buttons, stand_in
from tests.support.journeys import answer, labels, said
from tests.support.world import World, text_of

KEY = "abcdefghij-_0123"
CHOICES = {f"q:c0:{KEY}": "Apple", f"q:c23:{KEY}": "Bread", f"q:skip:{KEY}": "Skip"}
FORM = {f"q:form:{KEY}": "Answer", f"q:skip:{KEY}": "Skip"}
NAMES = [f"field {number}" for number in range(6)]
PROPERTIES: dict[str, Json] = {name: {"type": "string", "maxLength": 50} for name in NAMES}
QUESTION = read_question("Well?", {"type": "object", "properties": PROPERTIES})
CLOSED = Reply(content="Which one?\n-# Answered.")
Pressed = tuple[str, int | str, str]
Submitted = tuple[str, str, int, dict[str, Given]]


@dataclass
class Desk:
    """Records what it is asked, keeps what was typed, and answers with `error` if there is one."""

    outcome: FormOutcome = field(default_factory=lambda: FormOutcome(None))
    error: Exception | None = None
    waits: Callable[[], Awaitable[None]] | None = None
    pressed: list[Pressed] = field(default_factory=list[Pressed])
    submitted: list[Submitted] = field(default_factory=list[Submitted])
    draft: dict[str, Given] = field(default_factory=dict[str, Given])

    async def press(self, key: str, choice: int | str, presser_id: str) -> Reply:
        self.pressed.append((key, choice, presser_id))
        if self.error:
            raise self.error
        return CLOSED

    async def form(self, key: str, presser_id: str, number: int = 0) -> FormPage:
        if self.error:
            raise self.error
        if self.waits:
            await self.waits()
        assert (key, len(presser_id) > 9) == (KEY, True)
        return page(QUESTION, number, self.draft)

    async def submit(
        self, key: str, presser_id: str, number: int, values: Mapping[str, Given]
    ) -> FormOutcome:
        self.submitted.append((key, presser_id, number, dict(values)))
        self.draft |= values
        if self.error:
            raise self.error
        return self.outcome


async def posted(world: World, desk: Desk, buttons: Mapping[str, str]) -> discord.Message:
    """A posted question whose answers reach `desk`."""
    stand_in(world, questions=desk)
    return await post_buttons(world, "Which one?", buttons)


def in_channel(world: World) -> tuple[str, list[str]]:
    """What everybody sees of the question."""
    (message,) = [each for each in world.channel.history() if not each.flags.ephemeral]
    return text_of(message), labels(message)


async def opened(world: World, message: discord.Message) -> simcord.InteractionResult:
    """The result of opening the form of `message`."""
    shown = await world.member.click(message, label="Answer")
    assert shown.modal is not None
    return shown


@pytest.mark.parametrize(("label", "choice"), [("Apple", 0), ("Bread", 23), ("Skip", "skip")])
async def test_a_press_answers_and_the_question_looks_closed(
    world: World, label: str, choice: int | str
) -> None:
    desk = Desk()
    message = await posted(world, desk, CHOICES)

    pressed = await world.member.click(message, label=label)

    assert desk.pressed == [(KEY, choice, str(world.member.id))]
    assert pressed.followups == []
    assert in_channel(world) == (CLOSED.content, [])


@pytest.mark.parametrize("error", [NotYours(), CardClosed(), RuntimeError("zebra")], ids=repr)
async def test_a_refusal_is_said_beside_the_question_in_private(world: World, error: Exception) -> None:
    message = await posted(world, Desk(error=error), CHOICES)

    pressed = await world.owner.click(message, label="Apple")

    (beside,) = pressed.followups
    assert beside.ephemeral
    assert text_of(beside) == sentence_for(error)
    assert in_channel(world) == ("Which one?", ["Apple", "Bread", "Skip"])


async def test_what_discord_did_not_acknowledge_answers_nothing(world: World) -> None:
    desk = Desk()
    message = await posted(world, desk, CHOICES)
    world.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10062)

    await world.member.click(message, label="Apple")

    assert desk.pressed == []


async def test_a_form_opens_with_the_press_and_what_was_typed_is_the_answer(world: World) -> None:
    desk = Desk()
    message = await posted(world, desk, FORM)

    shown = await opened(world, message)
    sent = await world.member.submit_modal(shown, {"0": "one", "4": "five"})

    values = dict.fromkeys(NAMES[:5], "") | {"field 0": "one", "field 4": "five"}
    assert desk.submitted == [(KEY, str(world.member.id), 0, values)]
    assert sent.ephemeral
    assert said(sent) == "Thank you, I will pass that on."
    assert in_channel(world) == ("Which one?", ["Answer", "Skip"])


async def test_the_next_page_comes_by_a_private_button_that_the_last_answer_replaces(world: World) -> None:
    desk = Desk(FormOutcome(1))
    message = await posted(world, desk, FORM)

    first = await world.member.submit_modal(await opened(world, message), {"0": "one"})
    assert first.ephemeral
    assert labels(answer(first)) == ["Next page"]

    desk.outcome = FormOutcome(None)
    shown = await world.member.click(answer(first), label="Next page")
    last = await world.member.submit_modal(shown, {"0": "six"})

    assert desk.submitted[1] == (KEY, str(world.member.id), 1, {"field 5": "six"})
    assert last.followups == []
    assert said(first) == "Thank you, I will pass that on."
    assert labels(answer(first)) == []
    assert in_channel(world) == ("Which one?", ["Answer", "Skip"])


async def test_what_does_not_fit_is_said_at_once_and_the_form_opens_again_with_what_was_typed(
    world: World,
) -> None:
    desk = Desk(FormOutcome(0, ("`field 0` is missing.", "`field 1` is too long.")))
    message = await posted(world, desk, FORM)

    sent = await world.member.submit_modal(await opened(world, message), {"1": "typed"})

    assert sent.ephemeral
    assert "`field 0` is missing.\n• `field 1` is too long." in said(sent)
    again = await world.member.click(answer(sent), label="Correct it")
    assert again.modal is not None
    assert again.modal["components"][1]["component"]["value"] == "typed"


async def test_many_problems_fit_into_one_message(world: World) -> None:
    desk = Desk(FormOutcome(0, tuple(f"`field {number}` {'x' * 400}" for number in range(10))))
    message = await posted(world, desk, FORM)

    sent = await world.member.submit_modal(await opened(world, message), {"1": "typed"})

    assert "`field 3`" in said(sent)
    assert labels(answer(sent)) == ["Correct it"]


@pytest.mark.parametrize("error", [NotYours(), CardClosed(), RuntimeError("zebra")], ids=repr)
async def test_a_form_that_is_not_to_be_had_is_refused_in_private(world: World, error: Exception) -> None:
    message = await posted(world, Desk(error=error), FORM)

    shown = await world.owner.click(message, label="Answer")

    assert shown.modal is None
    assert shown.ephemeral
    assert said(shown) == sentence_for(error)
    assert in_channel(world) == ("Which one?", ["Answer", "Skip"])


async def test_a_form_that_takes_too_long_is_refused_in_time(world: World) -> None:
    async def forever() -> None:
        await world.env.external_wait(asyncio.Event().wait(), reason="a database that does not answer")

    message = await posted(world, Desk(waits=forever), FORM)

    shown = await world.member.click(message, label="Answer")
    assert not shown.acknowledged
    await world.env.advance_time(2.5)

    assert shown.modal is None
    assert shown.ephemeral
    assert "Try again in a minute" in said(shown)


async def test_a_refused_submit_says_so_in_private(world: World) -> None:
    desk = Desk()
    message = await posted(world, desk, FORM)
    shown = await opened(world, message)
    desk.error = CardClosed()

    sent = await world.member.submit_modal(shown, {"0": "one"})

    assert sent.ephemeral
    assert said(sent) == sentence_for(desk.error)
    assert in_channel(world) == ("Which one?", ["Answer", "Skip"])


async def test_a_refused_second_page_stands_beside_the_button_for_it(world: World) -> None:
    desk = Desk(FormOutcome(1))
    message = await posted(world, desk, FORM)
    first = await world.member.submit_modal(await opened(world, message), {"0": "one"})
    shown = await world.member.click(answer(first), label="Next page")
    desk.error = CardClosed()

    sent = await world.member.submit_modal(shown, {"0": "six"})

    assert [text_of(each) for each in sent.followups] == [sentence_for(desk.error)]
    assert sent.followups[0].ephemeral
    assert labels(answer(first)) == ["Next page"]


async def test_a_submit_that_discord_did_not_take_answers_nothing(world: World) -> None:
    desk = Desk()
    message = await posted(world, desk, FORM)
    shown = await opened(world, message)
    world.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10062)

    await world.member.submit_modal(shown, {"0": "one"})

    assert desk.submitted == []


async def test_buttons_and_an_opened_form_work_after_a_restart(world: World) -> None:
    desk = Desk()
    message = await posted(world, desk, FORM)
    shown = await opened(world, message)
    services = world.bot.services
    await world.env.restart_bot(Kennel(services, shard_count=1))

    sent = await world.member.submit_modal(shown, {"0": "one"})
    assert said(sent) == "Thank you, I will pass that on."
    assert [each[2] for each in desk.submitted] == [0]

    await world.member.click(message, label="Skip")
    assert desk.pressed == [(KEY, "skip", str(world.member.id))]


async def test_a_process_that_is_stopping_takes_no_answer_and_says_so(world: World) -> None:
    desk = Desk()
    message = await posted(world, desk, FORM)
    shown = await opened(world, message)
    world.bot.draining = True

    for result in (
        await world.member.submit_modal(shown, {"0": "one"}),
        await world.member.click(message, label="Answer"),
        await world.member.click(message, label="Skip"),
    ):
        assert "restarting" in said(result)
        assert result.ephemeral
        assert result.modal is None
    assert (desk.pressed, desk.submitted) == ([], [])
