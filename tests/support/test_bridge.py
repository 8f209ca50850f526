"""The bridge against a real bot in a process of its own."""

from collections.abc import AsyncIterator

import discord
import pytest

from tests.support.bridge import Application, Bridge, RestRequest
from tests.support.echo_town import Town


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    async with Bridge() as bridge:
        yield Town(bridge)


def creates(request: RestRequest) -> bool:
    return request.method == "POST" and request.path.endswith("/messages")


async def test_a_bot_connects_and_answers_messages_and_commands(town: Town) -> None:
    bridge = town.bridge
    async with town.bot():
        await bridge.wait_ready()
        await bridge.send(town.ada, town.channel, "!ping")
        assert (await bridge.wait_for_message(town.channel)).content == "pong"
        await bridge.wait_for_command("echo")
        handle = await bridge.slash(town.ada, town.channel, "echo", text="twice")
        response = await handle.response()
        assert response.content == "twice"
        assert response.ephemeral
        assert (await handle.followup()).content == "that was all"
        offered = await bridge.autocomplete(town.ada, town.channel, "echo", "text", "hi")
        assert offered == [{"name": "HI", "value": "hi"}]


async def test_buttons_and_forms_work_also_after_the_process_was_killed(town: Town) -> None:
    bridge = town.bridge
    async with town.bot() as first:
        await bridge.wait_ready()
        await bridge.wait_for_command("card")
        card = await (await bridge.slash(town.ada, town.channel, "card")).response()
        first.kill()
        assert await first.exit_status() == -9
        await bridge.wait_until(lambda: not bridge.sessions or None, "the connection to end")
    async with town.bot():
        await bridge.wait_ready()
        opened = await bridge.click(town.ada, card, label="Form")
        sent = await bridge.submit_modal(town.ada, opened, {"name": "Ada"})
        assert (await sent.response()).content == "hello Ada"
        pressed = await bridge.click(town.ada, card, custom_id="press")
        assert (await pressed.until(lambda message: message.content == "pressed")).components == []


async def test_rate_limits_and_gateway_errors_are_tried_again(town: Town) -> None:
    bridge = town.bridge
    async with town.bot():
        await bridge.wait_ready()
        bridge.fail_next("POST", "/channels/*/messages", status=429, retry_after=0.1)
        bridge.fail_next("POST", "/channels/*/messages", status=502, body="<html>Bad Gateway</html>")
        await bridge.send(town.ada, town.channel, "!ping")
        await town.heard("pong")
        assert [one.status for one in bridge.requests if creates(one)] == [429, 502, 200]


async def test_service_unavailable_is_not_tried_again(town: Town) -> None:
    bridge = town.bridge
    async with town.bot() as process:
        await bridge.wait_ready()
        bridge.fail_next("POST", "/channels/*/messages", status=503)
        await bridge.send(town.ada, town.channel, "!ping")
        await bridge.wait_for_request(lambda one: creates(one) and one.status == 503)
        await bridge.send(town.ada, town.channel, "!ping two")
        await town.heard("pongtwo")
    assert "DiscordServerError: 503" in process.output
    assert town.texts() == ["pongtwo"]


async def test_a_lost_answer_leaves_the_message_there_and_a_nonce_finds_it(town: Town) -> None:
    bridge = town.bridge
    async with town.bot():
        await bridge.wait_ready()
        bridge.drop_next("POST", "/channels/*/messages", carried_out=True)
        await bridge.send(town.ada, town.channel, "!ping once")
        lost = await bridge.wait_for_request(creates)
        assert lost.status == 0
        assert lost.json["enforce_nonce"]
        await bridge.send(town.ada, town.channel, "!ping once")
        await bridge.wait_for_request(lambda one: creates(one) and one.status == 200)
    assert town.texts() == ["pongonce"]


async def test_what_was_missed_while_disconnected_is_replayed_on_resume(town: Town) -> None:
    bridge = town.bridge
    async with town.bot():
        await bridge.wait_ready()
        session = bridge.sessions[0]
        with bridge.gateway.down():
            await bridge.send(town.ada, town.channel, "!ping")
            assert town.texts() == []
        await town.heard("pong")
        assert bridge.sessions == [session]
    assert bridge.gateway.log == [("identify", "/", (0, 1)), ("resume", "/resume", (0, 1))]


@pytest.mark.parametrize("abrupt", [False, True])
async def test_a_broken_connection_is_resumed(town: Town, abrupt: bool) -> None:
    bridge = town.bridge
    async with town.bot():
        await bridge.wait_ready()
        bridge.gateway.drop(abrupt=abrupt)
        await bridge.wait_ready()
        bridge.gateway.ask_reconnect()
        await bridge.wait_ready()
        await bridge.send(town.ada, town.channel, "!ping")
        await town.heard("pong")
    assert [kind for kind, _, _ in bridge.gateway.log] == ["identify", "resume", "resume"]


@pytest.mark.parametrize("how", ["invalidate", "forget"])
async def test_a_session_that_is_gone_is_begun_anew(town: Town, how: str) -> None:
    bridge = town.bridge
    async with town.bot():
        await bridge.wait_ready()
        old = bridge.sessions[0]
        if how == "invalidate":
            bridge.gateway.invalidate()
        else:
            bridge.gateway.drop(resumable=False)
        await bridge.wait_ready()
        assert bridge.sessions[0].id != old.id
        await bridge.send(town.ada, town.channel, "!ping")
        await town.heard("pong")
    assert [kind for kind, _, _ in bridge.gateway.log] == ["identify", "identify"]


async def test_a_joined_guild_arrives_with_its_channels(town: Town) -> None:
    async with town.bot() as process:
        await process.wrote("all guilds are here")
        _, channels = town.bridge.join_guild("Harbour", channels=("quay",))
        greeting = await town.bridge.wait_for_message(channels["quay"])
        assert greeting.content == "hello Harbour"


async def test_two_processes_with_one_token_both_get_every_event(town: Town) -> None:
    bridge = town.bridge
    async with town.bot(), town.bot():
        await bridge.wait_ready(processes=2)
        await bridge.send(town.ada, town.channel, "!ping")
        await town.heard("pong", times=2)
        since = len(bridge.requests)
        await bridge.send(town.ada, town.channel, "!ping once")
        await bridge.wait_until(lambda: len(bridge.requests) >= since + 2 or None, "both answers")
    assert town.texts() == ["pong", "pong", "pongonce"]  # one nonce, one message


async def test_two_processes_with_a_shard_each_share_the_guilds() -> None:
    async with Bridge(shards=2) as bridge:
        town = Town(bridge)
        shard = (town.guild.id >> 22) % 2
        other = bridge.world.create_guild("Other", shard_id=1 - shard)
        quay = other.create_text_channel("quay")
        bob = other.add_member(bridge.world.create_user("bob"))
        count = {"ECHO_SHARD_COUNT": "2"}
        async with town.bot(ECHO_SHARDS="0", **count), town.bot(ECHO_SHARDS="1", **count):
            await bridge.wait_ready(processes=2)
            await bridge.send(town.ada, town.channel, "!ping")
            await bridge.send(bob, quay, "!ping")
            await town.heard("pong")
            await bridge.wait_for_message(quay)
            await bridge.send(town.ada, town.channel, "!ping end")
            await town.heard("pongend")
        assert town.texts() == ["pong", "pongend"]


async def test_a_redelivered_event_arrives_twice(town: Town) -> None:
    bridge = town.bridge
    async with town.bot():
        await bridge.wait_ready()
        hold = bridge.hold_next("POST", "/channels/*/messages")
        await bridge.send(town.ada, town.channel, "!ping")
        await hold.wait()
        bridge.redeliver("MESSAGE_CREATE")
        hold.release()
        await town.heard("pong", times=2)


async def test_sigterm_while_a_request_is_held(town: Town) -> None:
    bridge = town.bridge
    async with town.bot() as process:
        await bridge.wait_ready()
        hold = bridge.hold_next("POST", "/channels/*/messages")
        await bridge.send(town.ada, town.channel, "!ping")
        await hold.wait()
        process.terminate()
        assert await process.exit_status() != 0
        hold.release()
        await bridge.wait_for_request(creates)


async def test_an_answer_after_three_seconds_is_too_late(town: Town) -> None:
    async with town.bot() as process:
        await town.bridge.wait_ready()
        await town.bridge.wait_for_command("late")
        await town.bridge.slash(town.ada, town.channel, "late")
        await town.bridge.wait_for_request(lambda one: one.path.endswith("/callback") and one.status == 404)
        await town.bridge.send(town.ada, town.channel, "!ping")
        await town.heard("pong")
    assert "refused 10062" in process.output


async def test_members_are_sent_in_chunks_on_request(town: Town) -> None:
    async with town.bot(ECHO_CHUNK="1") as process:
        await process.wrote("all guilds are here")
        await town.bridge.send(town.ada, town.channel, "!members")
        assert (await town.bridge.wait_for_message(town.channel)).content == "3 members"


async def test_files_come_with_their_names_and_descriptions(town: Town) -> None:
    async with town.bot():
        await town.bridge.wait_ready()
        await town.bridge.send(town.ada, town.channel, "!file")
        message = await town.bridge.wait_for_message(town.channel)
        assert [(file.filename, file.description) for file in message.attachments] == [("echo.py", "itself")]


async def test_a_wrong_token_is_refused(town: Town) -> None:
    async with town.bot(ECHO_TOKEN="wrong") as process:
        assert await process.exit_status() == 1
    assert "LoginFailure" in process.output


async def test_an_intent_that_the_portal_does_not_allow_is_refused() -> None:
    intents = discord.Intents.all()
    intents.message_content = False
    async with Bridge(application=Application(intents=intents)) as bridge:
        town = Town(bridge)
        async with town.bot() as process:
            assert await process.exit_status() == 1
        assert "PrivilegedIntentsRequired" in process.output
        assert bridge.application.flags & (1 << 19) == 0


async def test_an_outage_is_told_from_a_removal(town: Town) -> None:
    bridge = town.bridge
    async with town.bot() as process:
        await process.wrote("all guilds are here")
        bridge.guild_outage(town.guild)
        await process.wrote("unavailable Town")
        bridge.guild_back(town.guild)
        await process.wrote("available again Town")
        bridge.leave_guild(town.guild)
        await process.wrote("removed from Town")
