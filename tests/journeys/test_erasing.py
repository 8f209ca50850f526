"""What is kept of what people wrote, and when it is gone."""

from pathlib import Path
from typing import Any

from tests.support.bridge import Bridge
from tests.support.journeys import answer, rows_of
from tests.support.kennel_process import Kennels
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import tool_error
from tests.support.trick_tools import default_commands
from tests.support.world import World, config_for, open_world, text_of

DAY = 86_400


async def texts_of(url: str) -> list[tuple[Any, ...]]:
    """Of each call that still has any: its inputs, its result, what the trick said."""
    calls = (await rows_of(url))["calls"]
    kept = [(call["arguments"], call["result"], call["said"]) for call in calls]
    return [texts for texts in kept if any(text is not None for text in texts)]


async def test_what_was_kept_with_a_message_goes_with_it(sqlite_url: str, make_trick: MakeTrick) -> None:
    trick = await make_trick(commands=[{**each, "visibility": "public"} for each in default_commands()])
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        message = await world.owner.send(world.channel, "^save fruit")
        shown = answer(await world.owner.slash(world.channel, "save", snack="popcorn"))
        assert len(await texts_of(sqlite_url)) == 2
        await world.owner.delete(message)
        (kept,) = await texts_of(sqlite_url)
        assert "popcorn" in kept[0]
        await world.owner.delete(shown)
        assert await texts_of(sqlite_url) == []


async def test_deleting_many_messages_at_once_erases_what_was_kept_with_each(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    sent = [await world.owner.send(world.channel, f"^save {snack}") for snack in ("fruit", "popcorn")]
    await world.owner.send(world.channel, "^save pretzels")
    ids = [str(message.id) for message in sent]
    place = {"channel_id": str(world.channel.id), "guild_id": str(world.guild.id)}
    world.env.backend.emit("MESSAGE_DELETE_BULK", {"ids": ids, **place})
    await world.env.settle()
    (kept,) = await texts_of(sqlite_url)
    assert "pretzels" in kept[0]


async def test_after_the_retention_only_ids_are_left(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    await world.owner.slash(world.channel, "save", snack="fruit")
    await world.owner.slash(world.channel, "snacks")
    world.clock.advance(29 * DAY)
    await world.services.housekeeping.erase_expired()
    assert len(await texts_of(sqlite_url)) == 2
    world.clock.advance(2 * DAY)
    await world.services.housekeeping.erase_expired()
    rows = await rows_of(sqlite_url)
    assert await texts_of(sqlite_url) == []
    assert rows["actions"] == rows["drafts"] == rows["claims"] == []
    assert [call["status"] for call in rows["calls"]] == ["succeeded", "succeeded"]


async def test_the_audit_trail_holds_ids_only(world: World, trick: TrickServer, sqlite_url: str) -> None:
    await world.install(trick)
    await world.owner.slash(world.channel, "save", snack="fruit")
    rows = (await rows_of(sqlite_url))["audit"]
    assert [row["what"] for row in rows] == ["registered", "enabled", "called"]
    assert "fruit" not in str(rows)
    assert rows[-1].keys() == {
        *("id", "at", "guild_id", "installation_id", "call_id", "actor_id", "what", "tool", "outcome")
    }


async def test_logs_name_ids_and_nothing_that_anybody_wrote(tmp_path: Path, trick: TrickServer) -> None:
    async with Bridge() as bridge:
        kennels = Kennels(bridge, tmp_path, trick)
        async with kennels.process() as process:
            await kennels.install(trick)
            saved = await bridge.slash(kennels.owner, kennels.channel, "save", snack="pretzels")
            assert "pretzels" in text_of(await saved.response())
            trick.on("tools/call", tool_error("words of the trick"))
            failed = await bridge.slash(kennels.owner, kennels.channel, "save", snack="fruit")
            assert "reported a problem" in text_of(await failed.response())
            process.terminate()
            assert await process.exit_status() == 0
    calls = [received.call_id or "" for received in trick.received("tools/call")]
    assert len(calls) == 2
    assert all(call_id in process.output for call_id in calls)
    written = ("pretzels", "fruit", "words of the trick", "popcorn")
    secret = (
        *trick.secrets,
        bridge.token,
        *(r.headers["webhook-signature"] for r in trick.received("tools/call")),
    )
    assert [text for text in (*written, *secret) if text in process.output] == []
