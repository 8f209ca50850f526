"""A member's story of long work on FastMCP: the whole bot, and a server that somebody else wrote."""

from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.peers.whole import MOST_TICKS, PeerTrick, whole_bot
from tests.support.brewing import WORKING, begin, find, heard, until, woken
from tests.support.journeys import labels
from tests.support.model import ModelServer
from tests.support.peers import PEERS, serving
from tests.support.talks import spoken, texts
from tests.support.world import World, text_of


@pytest.fixture(scope="module")
def peer(fastmcp_python: Path) -> Iterator[PeerTrick]:
    with serving([str(fastmcp_python), str(PEERS / "fastmcp_server.py")], r"^PORT (\d+)") as found:
        yield PeerTrick(found[1])


@pytest_asyncio.fixture
async def world(peer: PeerTrick, sqlite_url: str, model: ModelServer) -> AsyncGenerator[World]:
    async with whole_bot(peer, sqlite_url, model) as opened:
        yield opened


async def test_progress_and_the_end_are_told(world: World, peer: PeerTrick, model: ModelServer):
    assert texts(await begin(world, model, "slow", trick="peer")) == [WORKING]
    await heard(world, "So far: Half way.", ticks=MOST_TICKS)
    peer.release()
    assert "worked slowly" in text_of(await heard(world, "Done:", ticks=MOST_TICKS))
    assert woken(model) == ["progress", "result"]


@pytest.mark.parametrize(("button", "action"), [("Yes", "accept"), ("Skip", "decline")])
async def test_a_question_is_answered_by_a_button(world: World, model: ModelServer, button: str, action: str):
    await begin(world, model, "ask", trick="peer")
    question = await heard(world, "Tell me: Really?", ticks=MOST_TICKS)
    assert labels(question) == ["Yes", "No", "Skip"]
    await world.member.click(question, label=button)
    assert f"answered {action}" in text_of(await heard(world, "Done:", ticks=MOST_TICKS))
    assert woken(model) == ["question", "result"]


async def test_a_question_is_answered_in_words(world: World, model: ModelServer):
    await begin(world, model, "ask", trick="peer")
    await heard(world, "Tell me: Really?", ticks=MOST_TICKS)
    await world.member.send(world.channel, "yes")
    assert "answered accept" in text_of(await heard(world, "Done:", ticks=MOST_TICKS))


async def test_work_that_breaks_is_told_as_a_failure(world: World, model: ModelServer):
    def is_told() -> bool:
        """In a message of its own, or within the turn to the model."""
        within = any("did not work" in asked.last["content"] for asked in model.asked)
        return within or find(world, "That did not work") is not None

    await begin(world, model, "broken", trick="peer")
    await until(world, is_told, MOST_TICKS)
    assert woken(model) == []
    assert "the reason" not in "".join([*texts(spoken(world)), *(asked.text for asked in model.asked)])
