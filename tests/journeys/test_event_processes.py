"""Events with `kennel run` as a process of its own: connections that break, processes that die, two at once."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import simcord
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.event_tables import deliveries, post_is_open, posts
from tests.support.bridge import BotProcess, Bridge
from tests.support.joining import WELCOME, event_of, told
from tests.support.journeys import database_of
from tests.support.kennel_process import Kennels
from tests.support.trick import Answer, TrickServer
from tests.support.trick_answers import Hang
from tests.support.trick_requests import Received
from tests.support.world import text_of


@pytest.fixture
async def kennels(tmp_path: Path, trick: TrickServer) -> AsyncIterator[Kennels]:
    async with Bridge() as bridge:
        yield Kennels(bridge, tmp_path, trick)


async def by_name(_trick: TrickServer, received: Received) -> Answer:
    """Joins are answered with a welcome that names the member by id."""
    kind, member = event_of(received)
    return {"presentation": WELCOME | {"text": f"Welcome, {member}!"}} if kind == "member.joined" else {}


async def welcoming(kennels: Kennels, trick: TrickServer) -> None:
    """Install the trick, and let it welcome members in the channel."""
    await kennels.install(trick)
    trick.on("events", by_name)
    chosen = await kennels.bridge.slash(
        kennels.owner, kennels.channel, "tricks events", trick=trick.id, channel=kennels.channel
    )
    await chosen.until(lambda message: "Sending" in text_of(message))


def join(kennels: Kennels, name: str = "nina") -> simcord.MemberActor:
    return kennels.guild.add_member(kennels.bridge.world.create_user(name))


def welcomes_in(kennels: Kennels) -> list[Any]:
    """The posts in the channel."""
    return [each for each in kennels.channel.history() if "Welcome" in text_of(each)]


def welcomed(kennels: Kennels) -> list[str]:
    """The members who were welcomed, each as often as they were."""
    return [text_of(each).removeprefix("Welcome, ").removesuffix("!") for each in welcomes_in(kennels)]


async def some_welcomes(kennels: Kennels, count: int = 1) -> list[Any]:
    """The posts, once there are so many."""
    await kennels.bridge.wait_until(
        lambda: len(welcomes_in(kennels)) >= count or None, f"{count} welcomes", 30
    )
    return welcomes_in(kennels)


async def kill(process: BotProcess) -> None:
    process.kill()
    assert await process.exit_status() == -9


async def let_leases_end(kennels: Kennels) -> None:
    """As if the time were over for which nobody touches what a process had begun."""

    async def work(connection: AsyncConnection) -> None:
        await connection.execute(update(deliveries).values(lease_until=1))
        await connection.execute(
            update(posts).where(post_is_open).values(lease_until=1, due_at=posts.c.created_at)
        )

    async with database_of(kennels.url) as database:
        await database.write(work)


async def test_a_join_reaches_the_trick_and_its_welcome_has_buttons_that_work(
    kennels: Kennels, trick: TrickServer
) -> None:
    async with kennels.process():
        await welcoming(kennels, trick)
        nina = join(kennels)
        (post,) = await some_welcomes(kennels)
        shown = await (await kennels.bridge.click(nina, post, label="See the snacks")).response()
        assert "popcorn" in text_of(shown)
    assert told(trick) == [("member.joined", str(nina.id))]
    assert trick.received("events")[0].verified


async def test_who_came_and_went_while_the_connection_was_down_is_told_once_after_the_resume(
    kennels: Kennels, trick: TrickServer
) -> None:
    bridge = kennels.bridge
    async with kennels.process():
        await welcoming(kennels, trick)
        with bridge.gateway.down():
            nina = join(kennels)
            kennels.guild.remove_member(nina)
            nora = join(kennels, "nora")
        await some_welcomes(kennels)
        bridge.redeliver("GUILD_MEMBER_ADD")
        bridge.redeliver("GUILD_MEMBER_REMOVE")
        otis = join(kennels, "otis")
        await some_welcomes(kennels, 2)
    by_member = {
        str(member.id): [kind for kind, of in told(trick) if of == str(member.id)]
        for member in (nina, nora, otis)
    }
    assert by_member == {
        str(nina.id): ["member.joined", "member.left"],
        str(nora.id): ["member.joined"],
        str(otis.id): ["member.joined"],
    }


async def test_two_processes_tell_a_join_once_and_post_one_welcome(
    kennels: Kennels, trick: TrickServer
) -> None:
    async with kennels.process():
        await welcoming(kennels, trick)
        async with kennels.process():
            await kennels.bridge.wait_ready(2)
            members = [join(kennels, f"nina{n}") for n in range(5)]
            await some_welcomes(kennels, 5)
            await kennels.bridge.send(kennels.member, kennels.channel, "^help")
            await kennels.bridge.wait_for_message(
                kennels.channel, lambda message: message.author.bot and "What you can use" in text_of(message)
            )
    assert sorted(told(trick)) == sorted(("member.joined", str(member.id)) for member in members)
    assert sorted(welcomed(kennels)) == sorted(str(member.id) for member in members)


async def test_a_process_that_is_killed_while_the_trick_answers_delivers_again_with_the_same_id(
    kennels: Kennels, trick: TrickServer
) -> None:
    async with kennels.process() as first:
        await welcoming(kennels, trick)
        held = Hang()
        trick.on("events", held)
        join(kennels)
        await trick.next("events", 20)
        await kill(first)
    held.release()
    trick.on("events", by_name)
    await let_leases_end(kennels)
    async with kennels.process():
        await some_welcomes(kennels)
    before, after = trick.received("events")
    assert before.body == after.body
    assert before.headers["webhook-id"] == after.headers["webhook-id"]
    assert len(welcomes_in(kennels)) == 1


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/guilds/*/members/*"), ("POST", "/channels/*/messages")]
)
async def test_a_process_that_is_killed_on_its_way_to_the_channel_is_followed_by_one_that_posts_once(
    kennels: Kennels, trick: TrickServer, method: str, path: str
) -> None:
    async with kennels.process() as first:
        await welcoming(kennels, trick)
        held = kennels.bridge.hold_next(method, path)
        nina = join(kennels)
        await held.wait()
        await kill(first)
    await let_leases_end(kennels)
    async with kennels.process():
        (post,) = await some_welcomes(kennels)
        shown = await (await kennels.bridge.click(nina, post, label="See the snacks")).response()
        assert "popcorn" in text_of(shown)
    assert welcomed(kennels) == [str(nina.id)]
    assert told(trick) == [("member.joined", str(nina.id))]


async def test_a_welcome_that_was_posted_by_a_process_that_died_is_found_and_not_posted_again(
    kennels: Kennels, trick: TrickServer
) -> None:
    async with kennels.process() as first:
        await welcoming(kennels, trick)
        kennels.bridge.drop_next("POST", "/channels/*/messages", carried_out=True)
        nina = join(kennels)
        await some_welcomes(kennels)
        await kill(first)
    await let_leases_end(kennels)
    async with kennels.process():
        await kennels.bridge.wait_ready()
        nora = join(kennels, "nora")
        await kennels.bridge.wait_for_request(
            lambda request: request.method == "GET" and request.path.endswith("/messages"), 20
        )
        found = await some_welcomes(kennels, 2)
        shown = await (await kennels.bridge.click(nora, found[0], label="See the snacks")).response()
        assert "popcorn" in text_of(shown)
    assert welcomed(kennels) == [str(nina.id), str(nora.id)]


async def test_a_term_signal_loses_neither_what_is_on_its_way_nor_what_is_told_meanwhile(
    kennels: Kennels, trick: TrickServer
) -> None:
    async with kennels.process() as first:
        await welcoming(kennels, trick)
        held = Hang()
        trick.on("events", held)
        nina = join(kennels)
        await trick.next("events", 20)
        first.terminate()
        await first.wrote("stopping")
        nora = join(kennels, "nora")
        trick.on("events", by_name)
        held.release()
        assert await first.exit_status() == 0
    async with kennels.process():
        await some_welcomes(kennels)
    assert told(trick) == [("member.joined", str(each.id)) for each in (nina, nora)]
