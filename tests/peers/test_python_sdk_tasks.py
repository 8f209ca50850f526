"""A member's story of long work on the official Python SDK: the whole bot, and a server that somebody else wrote."""

import sys
from collections.abc import AsyncGenerator, Iterator

import pytest
import pytest_asyncio

from tests.peers.whole import MOST_TICKS, PeerTrick, whole_bot
from tests.support.brewing import WORKING, begin, find, heard, woken
from tests.support.journeys import labels
from tests.support.model import ModelServer
from tests.support.peers import serving
from tests.support.talks import texts
from tests.support.world import World, text_of


@pytest.fixture(scope="module")
def peer() -> Iterator[PeerTrick]:
    with serving([sys.executable, "-m", "tests.peers.sdk_server"], r"^PORT (\d+)") as found:
        yield PeerTrick(found[1])


@pytest_asyncio.fixture
async def world(peer: PeerTrick, sqlite_url: str, model: ModelServer) -> AsyncGenerator[World]:
    async with whole_bot(peer, sqlite_url, model) as opened:
        yield opened


async def test_progress_a_question_and_the_end_are_told(world: World, peer: PeerTrick, model: ModelServer):
    assert texts(await begin(world, model, "slow_work", trick="peer")) == [WORKING]
    await heard(world, "So far: Half way.", ticks=MOST_TICKS)
    peer.release()
    question = await heard(world, "Tell me: Really?", ticks=MOST_TICKS)
    assert labels(question) == ["Yes", "No", "Skip"]
    await world.member.click(question, label="No")
    assert '"sure":false' in text_of(await heard(world, "Done:", ticks=MOST_TICKS))
    assert woken(model) == ["progress", "question", "result"]


async def test_a_question_within_the_turn_is_answered_in_words(world: World, model: ModelServer):
    await begin(world, model, "long_work", trick="peer")
    await heard(world, "Tell me: Really?", ticks=MOST_TICKS)
    await world.member.send(world.channel, "yes")
    assert "Answered: Yes" in text_of(find(world, "Tell me: Really?"))
    assert '"sure":true' in text_of(await heard(world, "Done:", ticks=MOST_TICKS))
    assert woken(model) == ["question", "result"]


@pytest.mark.parametrize(("button", "action"), [("Yes", "accept"), ("Skip", "decline")])
async def test_a_question_straight_from_the_call_goes_back_with_its_state(
    world: World, model: ModelServer, button: str, action: str
):
    await begin(world, model, "ask", trick="peer")
    await world.member.click(await heard(world, "Tell me: Really?", ticks=MOST_TICKS), label=button)
    assert f"{action} st ä te" in text_of(await heard(world, "Done:", ticks=MOST_TICKS))
    assert woken(model) == ["question", "result"]
