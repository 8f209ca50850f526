"""`kennel run` from outside: a real process, real HTTP and a real gateway, and what may go wrong between them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.bridge import Bridge
from tests.support.kennel_process import Kennels
from tests.support.trick import TrickServer
from tests.support.trick_answers import Hang
from tests.support.world import text_of


@pytest.fixture
async def kennels(tmp_path: Path, trick: TrickServer) -> AsyncIterator[Kennels]:
    async with Bridge() as bridge:
        yield Kennels(bridge, tmp_path, trick)


async def test_a_member_uses_a_trick_of_a_bot_in_a_process_of_its_own(
    kennels: Kennels, trick: TrickServer
) -> None:
    async with kennels.process() as process:
        await kennels.install(trick)
        assert '"ready"' in process.output
        assert "voice" not in process.output
        shown = await (await kennels.bridge.slash(kennels.member, kennels.channel, "snacks")).response()
        assert "popcorn" in text_of(shown)
        assert trick.received("tools/call")[-1].verified


async def test_an_edit_that_is_rate_limited_or_fails_once_arrives_all_the_same(
    kennels: Kennels, trick: TrickServer
) -> None:
    bridge = kennels.bridge
    async with kennels.process():
        await kennels.install(trick)
        for status in (429, 502):
            bridge.fail_next("PATCH", "/webhooks/*/messages/@original", status=status, retry_after=0.2)
            shown = await (await bridge.slash(kennels.member, kennels.channel, "snacks")).response()
            assert "popcorn" in text_of(shown)
    assert trick.count("tools/call") == 2


async def test_a_command_typed_while_the_connection_was_down_is_answered_once_after_the_resume(
    kennels: Kennels, trick: TrickServer
) -> None:
    bridge = kennels.bridge
    async with kennels.process():
        await kennels.install(trick)
        with bridge.gateway.down():
            await bridge.send(kennels.member, kennels.channel, "^snacks")
        await bridge.wait_for_message(kennels.channel)
        bridge.redeliver("MESSAGE_CREATE")
        await bridge.send(kennels.member, kennels.channel, "^help")
        await bridge.wait_for_message(
            kennels.channel, lambda message: message.author.bot and "What you can use" in text_of(message)
        )
    assert trick.count("tools/call") == 1
    assert bridge.gateway.log[1][0] == "resume"


async def test_an_invalid_session_is_replaced_by_a_new_one(kennels: Kennels, trick: TrickServer) -> None:
    bridge = kennels.bridge
    async with kennels.process():
        await kennels.install(trick)
        bridge.gateway.invalidate()
        await bridge.wait_until(
            lambda: [kind for kind, _, _ in bridge.gateway.log].count("identify") == 2 or None,
            "a new session",
            30,
        )
        await bridge.wait_ready()
        shown = await (await bridge.slash(kennels.member, kennels.channel, "snacks")).response()
        assert "popcorn" in text_of(shown)


async def test_a_server_that_the_bot_joins_gets_its_tricks_without_a_restart(
    kennels: Kennels, trick: TrickServer
) -> None:
    bridge = kennels.bridge
    async with kennels.process():
        await bridge.wait_for_command("tricks")
        guild, channels = bridge.join_guild("New here", owner=kennels.guild.owner)
        kennels.guild, kennels.channel = guild, channels["general"]
        kennels.owner = guild.add_member(guild.owner)
        await kennels.install(trick)
        shown = await (await bridge.slash(kennels.owner, kennels.channel, "snacks")).response()
        assert "popcorn" in text_of(shown)


async def test_a_term_signal_in_the_middle_of_a_call_lets_it_finish(
    kennels: Kennels, trick: TrickServer
) -> None:
    bridge = kennels.bridge
    held = Hang()
    async with kennels.process() as process:
        await kennels.install(trick)
        trick.on("tools/call", held)
        running = await bridge.slash(kennels.owner, kennels.channel, "save", snack="fruit")
        await trick.next_call()
        process.terminate()
        await process.wrote("stopping")
        refused = await bridge.slash(kennels.owner, kennels.channel, "snacks")
        assert "restarting" in text_of(await refused.response())
        held.release()
        assert "Saved: fruit." in text_of(await running.response())
        assert await process.exit_status() == 0
    assert sum(trick.effects.values()) == 1


async def test_a_term_signal_while_it_connects_ends_it_too(kennels: Kennels) -> None:
    bridge = kennels.bridge
    for moment in range(3):
        seen = len(bridge.gateway.log)
        async with kennels.process() as process:
            await bridge.wait_until(
                lambda seen=seen: len(bridge.gateway.log) > seen or None, "an identify", 30
            )
            for _ in range(moment * 200):
                await asyncio.sleep(0)
            process.terminate()
            assert await process.exit_status() == 0


async def test_a_process_that_is_killed_in_the_middle_of_a_call_never_repeats_it(
    kennels: Kennels, trick: TrickServer
) -> None:
    bridge = kennels.bridge
    held = Hang()
    async with kennels.process() as process:
        await kennels.install(trick)
        trick.on("tools/call", held)
        await bridge.slash(kennels.owner, kennels.channel, "save", snack="fruit")
        await trick.next_call()
        process.kill()
        assert await process.exit_status() == -9
    held.release()
    trick.behave()
    async with kennels.process():
        await bridge.wait_ready()
        bridge.redeliver("INTERACTION_CREATE")
        shown = await (await bridge.slash(kennels.member, kennels.channel, "snacks")).response()
        assert "popcorn" in text_of(shown)
    assert [call.tool for call in trick.received("tools/call")] == ["save_snack", "snack_menu"]


async def test_two_processes_on_one_database_answer_a_message_once(
    kennels: Kennels, trick: TrickServer
) -> None:
    bridge = kennels.bridge
    async with kennels.process():
        await kennels.install(trick)
        async with kennels.process():
            await bridge.wait_ready(2)
            for number in range(5):
                await bridge.send(kennels.member, kennels.channel, "^snacks")
                await bridge.wait_until(
                    lambda wanted=number + 1: len(_answers(kennels)) >= wanted or None, "an answer"
                )
            await bridge.send(kennels.member, kennels.channel, "^help")
            await bridge.wait_until(lambda: len(_answers(kennels)) >= 6 or None, "the help")
    assert trick.count("tools/call") == 5
    assert len(_answers(kennels)) == 6


def _answers(kennels: Kennels) -> list[str]:
    return [text_of(message) for message in kennels.channel.history() if message.author.bot]
