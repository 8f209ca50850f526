"""What somebody sees at the terminal: sentences that say what to do, exit statuses, no tracebacks."""

import socket
import sqlite3
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from pathlib import Path

import discord
import pytest

from bot.signing import new_key
from tests.support.bridge import Application, Bridge
from tests.support.kennel_process import Kennels

LEAST = "309237730304"


@pytest.fixture
async def kennels(tmp_path: Path) -> AsyncIterator[Kennels]:
    async with Bridge() as bridge:
        yield Kennels(bridge, tmp_path)


async def told(kennels: Kennels, *arguments: str, **variables: str) -> tuple[int, str]:
    """The exit status and everything that was printed; a traceback is never right."""
    async with kennels.process(*arguments, **variables) as process:
        status = await process.exit_status()
    assert "Traceback" not in process.output, process.output
    return status, process.output


async def test_check_says_when_everything_is_in_order_and_changes_nothing(kennels: Kennels) -> None:
    status, output = await told(kennels, "check")
    assert (status, output) == (0, "Everything is in order.\n")
    assert list(kennels.directory.iterdir()) == []


async def test_check_reports_every_problem_at_once(kennels: Kennels) -> None:
    kennels.bridge.application.interactions_endpoint_url = "https://elsewhere.example.com"
    kennels.bridge.application.intents = discord.Intents.default()
    status, output = await told(
        kennels,
        "check",
        KENNEL_STORAGE__URL="sqlite:////nowhere/at/all/kennel.db",
        KENNEL_LINKS__BLOCKLIST="/nowhere/hosts.txt",
    )
    assert status == 1
    for part in ("Endpoint URL", "Message Content Intent", "cannot reach its database", "links.blocklist"):
        assert part in output
    assert len(output.splitlines()) == 4


@contextmanager
def somebody_listens() -> Generator[str]:
    """Another program's `host:port`."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


async def test_check_says_when_the_address_for_metrics_is_taken(kennels: Kennels) -> None:
    with somebody_listens() as listen:
        status, output = await told(kennels, "check", KENNEL_OBSERVABILITY__LISTEN=listen)
        assert status == 1
        assert f"{listen} (`observability.listen`) is taken" in output


async def test_check_tells_a_half_configured_assistant_and_that_kennel_runs_all_the_same(
    kennels: Kennels,
) -> None:
    status, output = await told(kennels, "check", KENNEL_ASSISTANT__BASE_URL="http://127.0.0.1:11434/v1")
    assert status == 0
    assert "`assistant.model` is not set" in output
    assert "`assistant.base_url`" in output
    assert output.endswith("Nothing keeps Kennel from running.\n")


async def test_without_a_token_the_file_is_named_in_which_it_would_stand(kennels: Kennels) -> None:
    for command in ("check", "run", "invite"):
        _, output = await told(kennels, command, KENNEL_DISCORD__TOKEN="")
        assert f"set `discord.token` in {kennels.directory / 'config.toml'}, which is not there yet" in output
    (kennels.directory / "own.toml").write_text('[discord]\nprefix = "!"\n')
    _, output = await told(kennels, "--config", "own.toml", "check", KENNEL_DISCORD__TOKEN="")
    assert "set `discord.token` in own.toml, or KENNEL_DISCORD__TOKEN" in output


async def test_check_and_run_tell_what_the_assistant_lacks(kennels: Kennels) -> None:
    wrong = {"KENNEL_ASSISTANT__MODEL": "m", "KENNEL_ASSISTANT__PROVIDER": "anthropic"}
    for command in ("check", "run"):
        status, output = await told(kennels, command, **wrong)
        assert status == 1
        assert output.splitlines() == [
            "The assistant has no key: set `assistant.api_key`, which the provider anthropic needs."
        ]


async def test_check_and_run_tell_a_wrong_token_apart_from_a_missing_one(kennels: Kennels) -> None:
    for command in ("check", "run"):
        status, output = await told(kennels, command, KENNEL_DISCORD__TOKEN="wrong")
        assert status == 1
        assert "Discord refused the bot token" in output
        status, output = await told(kennels, command, KENNEL_DISCORD__TOKEN="")
        assert status == 1
        assert "There is no bot token" in output


async def test_run_says_which_intents_are_missing(tmp_path: Path) -> None:
    async with Bridge(application=Application(intents=discord.Intents.default())) as bridge:
        status, output = await told(Kennels(bridge, tmp_path))
    assert status == 1
    assert "Server Members Intent and Message Content Intent" in output


async def test_run_says_when_discord_cannot_be_reached(kennels: Kennels) -> None:
    status, output = await told(kennels, "run", KENNEL_DISCORD__API_URL="http://127.0.0.1:9/api/v10")
    assert status == 1
    assert "Discord cannot be reached" in output


async def test_every_problem_of_the_configuration_is_told_at_once(kennels: Kennels) -> None:
    status, output = await told(kennels, "run", KENNEL_DISCORD__PREFIX="a b", KENNEL_TYPO="1")
    assert status == 1
    assert "discord.prefix" in output
    assert "KENNEL_TYPO" in output


async def test_a_database_of_a_newer_kennel_is_refused(kennels: Kennels) -> None:
    assert (await told(kennels, "db", "upgrade"))[0] == 0
    with sqlite3.connect(kennels.directory / "kennel.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    for command in (["run"], ["check"], ["db", "upgrade"]):
        status, output = await told(kennels, *command)
        assert status == 1
        assert "newer version of Kennel" in output
    status, output = await told(kennels, "db", "status")
    assert status == 1
    assert "9999" in output


async def test_the_database_is_made_and_its_state_is_told(kennels: Kennels) -> None:
    assert "empty" in (await told(kennels, "db", "status"))[1]
    assert not (kennels.directory / "kennel.db").exists()
    assert (await told(kennels, "db", "upgrade"))[0] == 0
    assert "up to date" in (await told(kennels, "db", "status"))[1]


async def used_once(kennels: Kennels) -> None:
    """Kennel ran once, so that the database knows its key."""
    async with kennels.process() as process:
        await kennels.bridge.wait_ready()
        process.terminate()
        assert await process.exit_status() == 0


async def test_a_wrong_encryption_key_is_recognised(kennels: Kennels) -> None:
    await used_once(kennels)
    key = kennels.directory / "kennel.key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.write_text(new_key())
    for command in ("check", "run"):
        status, output = await told(kennels, command)
        assert status == 1
        assert "encryption key is not the one" in output


async def test_a_lost_key_file_is_told_and_no_new_one_is_made(kennels: Kennels) -> None:
    await used_once(kennels)
    key = kennels.directory / "kennel.key"
    key.unlink()
    for command in ("check", "run"):
        status, output = await told(kennels, command)
        assert status == 1
        assert f"The key file {key} is missing" in output
        assert "backup" in output
        assert not key.exists()


async def test_with_postgresql_a_key_has_to_be_configured(kennels: Kennels) -> None:
    status, output = await told(kennels, "check", KENNEL_STORAGE__URL="postgresql://127.0.0.1:9/none")
    assert status == 1
    assert "storage.encryption_key" in output
    assert "cannot reach its database" in output


async def test_invite_prints_the_address_with_exactly_what_is_needed(kennels: Kennels) -> None:
    status, output = await told(kennels, "invite")
    assert status == 0
    assert output.startswith("https://discord.com/oauth2/authorize?client_id=")
    assert f"permissions={LEAST}" in output
    assert "scope=bot+applications.commands" in output


async def test_a_named_configuration_file_has_to_exist(kennels: Kennels) -> None:
    status, output = await told(kennels, "--config", "none.toml", "check")
    assert status == 1
    assert "does not exist" in output
