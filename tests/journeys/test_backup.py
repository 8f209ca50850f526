"""The commands for backup and restore, run as they stand on the page, while Kennel runs."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from bot.signing import new_key
from tests.support.bridge import Bridge
from tests.support.databases import find_binaries, new_database
from tests.support.documentation import example, page
from tests.support.kennel_process import Kennels
from tests.support.trick import TrickServer
from tests.support.world import text_of

PAGE = page("docs/operating.md")


@pytest.fixture
async def bridge() -> AsyncIterator[Bridge]:
    async with Bridge() as opened:
        yield opened


async def as_written(name: str, folder: Path, **variables: str) -> None:
    """Run one example of the page in `folder`; its Python is the one that runs the tests."""
    commands = example(PAGE, name).replace("kennel/bin/python", sys.executable)
    shell = await asyncio.create_subprocess_exec(
        "bash", "-euo", "pipefail", "-c", commands, cwd=folder, env={**os.environ, **variables}
    )
    assert await asyncio.wait_for(shell.wait(), 60) == 0


async def menu(kennels: Kennels) -> str:
    """What a member gets who asks for the trick's menu: proof that the signing secret can be read."""
    slash = await kennels.bridge.slash(kennels.member, kennels.channel, "snacks")
    return text_of(await slash.response())


async def removed(kennels: Kennels, trick: TrickServer) -> None:
    """The owner removes the trick with every row of it."""
    asked = await kennels.bridge.slash(kennels.owner, kennels.channel, "tricks remove", trick=trick.id)
    panel = await asked.until(lambda message: bool(message.components))
    await kennels.bridge.click(kennels.owner, panel, label="Remove")
    backend, guild = kennels.bridge.world.backend, kennels.guild.id
    await kennels.bridge.wait_until(
        lambda: backend.find_command("snacks", guild) is None or None, "the command to go"
    )


async def test_a_backup_of_sqlite_made_while_kennel_runs_brings_everything_back(
    bridge: Bridge, trick: TrickServer, tmp_path: Path
) -> None:
    kennels = Kennels(bridge, tmp_path, trick)
    async with kennels.process() as process:
        await kennels.install(trick)
        await as_written("sqlite backup", tmp_path)
        assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o700
        await removed(kennels, trick)
        process.kill()
        await process.exit_status()
    (tmp_path / "kennel.key").unlink()

    await as_written("sqlite restore", tmp_path)

    async with kennels.process("check") as check:
        assert await check.exit_status() == 0, check.output
    async with kennels.process():
        await bridge.wait_for_command("snacks", kennels.guild)
        await bridge.wait_ready()
        assert "popcorn" in await menu(kennels)
    assert trick.received("tools/call")[-1].verified


async def test_a_dump_of_postgresql_made_while_kennel_runs_brings_everything_back(
    bridge: Bridge, trick: TrickServer, postgresql_server: str, tmp_path: Path
) -> None:
    binaries = find_binaries()
    if shutil.which("pg_dump") is None and (binaries is None or not (binaries / "pg_dump").exists()):
        pytest.skip("pg_dump is not installed")
    key = {"KENNEL_STORAGE__ENCRYPTION_KEY": new_key()}
    with new_database(postgresql_server) as url:
        kennels, address = Kennels(bridge, tmp_path, trick, url=url), make_url(url)
        named = {
            "PGHOST": address.host or "",
            "PGPORT": str(address.port or 5432),
            "PGUSER": address.username or "",
            "PGDATABASE": address.database or "",
            "PATH": f"{os.environ['PATH']}:{binaries}",
        }
        async with kennels.process(**key) as process:
            await kennels.install(trick)
            await as_written("postgresql backup", tmp_path, **named)
            await removed(kennels, trick)
            process.terminate()
            assert await process.exit_status() == 0

        await as_written("postgresql restore", tmp_path, **named)

        async with kennels.process("check", **key) as check:
            assert await check.exit_status() == 0, check.output
        async with kennels.process(**key):
            await bridge.wait_ready()
            await bridge.wait_for_command("snacks", kennels.guild)
            assert "popcorn" in await menu(kennels)
    assert trick.received("tools/call")[-1].verified
