"""What an operator's tools see of a Kennel that runs: from its start to its end, and what members do meanwhile."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.observability import probe
from tests.support.bridge import Bridge
from tests.support.kennel_process import Kennels
from tests.support.pages import ask, free_address, samples
from tests.support.trick import TrickServer
from tests.support.trick_answers import Hang
from tests.support.world import text_of

LISTEN = "KENNEL_OBSERVABILITY__LISTEN"


@pytest.fixture
async def kennels(tmp_path: Path, trick: TrickServer) -> AsyncIterator[Kennels]:
    async with Bridge() as bridge:
        yield Kennels(bridge, tmp_path, trick)


async def test_what_members_do_is_counted_and_a_shutdown_is_seen(
    kennels: Kennels, trick: TrickServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bridge, listen, held = kennels.bridge, free_address(), Hang()
    async with kennels.process(**{LISTEN: listen}) as process:
        await kennels.install(trick)
        bridge.fail_next("PATCH", "/webhooks/*/messages/@original", status=429, retry_after=0.2)
        shown = await (await bridge.slash(kennels.member, kennels.channel, "snacks")).response()
        assert "popcorn" in text_of(shown)
        await trick.next_call()

        health = await ask(listen, "/healthz")
        assert (health.status_code, health.json()["status"]) == (200, "ok")
        (shard,) = health.json()["gateway"]["shards"]
        assert 0 <= shard["heartbeat_age_seconds"] < 60
        monkeypatch.setenv(LISTEN, listen)
        assert probe.main() == 0
        assert '"status":"ok"' in capsys.readouterr().out

        counted = await samples(listen)
        assert counted.value("kennel_calls_total", state="enabled", outcome="succeeded", origin="slash") == 1
        assert counted.value("kennel_call_seconds_count") == 1
        assert counted.value("kennel_installations", state="enabled") == 1
        assert counted.value("kennel_discord_requests_total", status="429") == 1
        assert counted.value("kennel_discord_invalid_requests") == 1
        assert (counted.value("kennel_discord_requests_total", status="200") or 0) > 3
        assert counted.value("kennel_gateway_ready") == 1

        trick.on("tools/call", held)
        await bridge.slash(kennels.owner, kennels.channel, "save", snack="fruit")
        await trick.next_call()
        process.terminate()
        await process.wrote("stopping")
        health = await ask(listen, "/healthz")
        assert health.status_code == 503
        assert "stopping" in health.json()["problems"][0]
        held.release()
        assert await process.exit_status() == 0
    assert probe.main() == 1
    assert kennels.guild.name not in process.output


async def test_a_process_that_still_connects_is_not_well_yet(kennels: Kennels) -> None:
    bridge, listen = kennels.bridge, free_address()
    held = bridge.faults.hold("GET", "/gateway/bot")
    async with kennels.process(**{LISTEN: listen}):
        await held.wait(30)
        health = await ask(listen, "/healthz")
        assert health.status_code == 503
        assert "still connecting" in health.json()["problems"][0]
        assert health.json()["database"] == {"reachable": True}
        held.release()
        await bridge.wait_ready()


async def test_run_says_when_the_address_is_taken_and_check_knows_a_kennel_that_runs(
    kennels: Kennels,
) -> None:
    listen = free_address()
    async with kennels.process(**{LISTEN: listen}):
        await kennels.bridge.wait_ready()
        async with kennels.process("check", **{LISTEN: listen}) as check:
            assert await check.exit_status() == 0
        async with kennels.process(**{LISTEN: listen}) as second:
            assert await second.exit_status() == 1
        assert f"The address {listen} (`observability.listen`) is taken" in second.output
        assert "Traceback" not in second.output
        assert (await ask(listen, "/healthz")).status_code == 200
