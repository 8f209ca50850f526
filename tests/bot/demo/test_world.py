"""`kennel demo` as a process: what it prints and serves, and that it goes without a trace."""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.support.browser import PATIENCE
from tests.support.demo import ROOT, Demo, spawn_demo, start_demo

IN_A_MOMENT = 2.0
HINTS = (
    *("/snacks", "^snacks", "/order", "/tricks show"),
    *("@Kennel what snacks are there?", "save fruit for me", "@Kennel help me choose a snack"),
)


@asynccontextmanager
async def page_of(demo: Demo) -> AsyncGenerator[tuple[aiohttp.ClientSession, dict[str, Any]]]:
    """A client that opened the page as the browser does, and what the page shows."""
    origin, _, capability = demo.url.partition("/#")
    async with aiohttp.ClientSession(origin, headers={"X-Simcord-Capability": capability}) as client:
        async with client.post("/api/pages", json={}) as opened:
            assert opened.status == 200
            page = await opened.json()
        client.headers["X-Simcord-Context"] = page["context"]["id"]
        yield client, page


def texts_of(page: dict[str, Any]) -> list[str]:
    return [page["messages"][each]["content"] for each in page["timeline"]]


def wait_for_files_in(folder: Path) -> None:
    until = time.monotonic() + PATIENCE
    while not any(folder.iterdir()):
        assert time.monotonic() < until
        time.sleep(0.005)


async def test_it_prints_one_address_and_what_to_try_and_nothing_else(tmp_path: Path) -> None:
    async with start_demo(TMPDIR=str(tmp_path)) as demo:
        assert demo.said.count("http") == 1
        assert len([line for line in demo.said.splitlines() if line]) <= 14
        assert all(hint in demo.said for hint in HINTS)
        _, rest = await demo.stop(signal.SIGINT)
        assert rest == ""


async def test_the_page_shows_a_channel_with_a_trick_that_is_already_enabled() -> None:
    async with start_demo() as demo, page_of(demo) as (client, page):
        assert "Snack Club is installed here" in " ".join(texts_of(page))
        catalogue = await (await client.get("/api/commands")).json()
        invocations = {entry["invocation"] for entry in catalogue["entries"]}
        assert {"snacks", "favorites", "order", "tricks list"} <= invocations


async def test_nobody_gets_in_without_the_whole_address() -> None:
    async with start_demo() as demo, aiohttp.ClientSession(demo.url.partition("/#")[0]) as stranger:
        refused = await stranger.post("/api/pages", json={})
        assert refused.status == 401


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_all_of_it_at_once_and_leaves_nothing(
    number: signal.Signals, tmp_path: Path
) -> None:
    async with start_demo(TMPDIR=str(tmp_path)) as demo, page_of(demo):
        assert os.listdir(tmp_path)
        began = time.monotonic()
        status, rest = await demo.stop(number)
        assert (status, rest) == (0, "")
        assert time.monotonic() - began < IN_A_MOMENT
        assert not demo.has_processes()
        assert not os.listdir(tmp_path)


@pytest.mark.parametrize("soon", [True, False], ids=["imports", "opens its database"])
async def test_a_signal_while_it_starts_ends_it_without_a_word(soon: bool, tmp_path: Path) -> None:
    process = await spawn_demo(TMPDIR=str(tmp_path))
    assert process.stdout is not None
    first = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
    assert first.startswith(b"Starting")
    if not soon:
        await asyncio.to_thread(wait_for_files_in, tmp_path)
    process.send_signal(signal.SIGTERM)
    rest, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 0
    assert rest == b""
    assert not os.listdir(tmp_path)


async def test_two_run_side_by_side_and_one_starts_again_after_the_other(tmp_path: Path) -> None:
    async with start_demo() as first, start_demo() as second:
        assert first.url != second.url
        assert (await first.stop(signal.SIGINT))[0] == 0
        async with page_of(second) as (_, page):
            assert texts_of(page)
        async with start_demo() as third, page_of(third) as (_, page):
            assert texts_of(page)


async def test_the_page_is_served_on_the_port_that_was_asked_for_and_a_taken_one_is_said(
    tmp_path: Path,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        process = await spawn_demo("--port", port, TMPDIR=str(tmp_path))
        said, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
        assert process.returncode == 1
        assert f"Port {port} is taken" in said.decode().splitlines()[-1]
        assert len(said.splitlines()) == 2
        assert not os.listdir(tmp_path)
    async with start_demo("--port", port) as demo:
        assert f":{port}/" in demo.url


async def test_the_settings_of_a_bot_in_earnest_are_not_used(tmp_path: Path) -> None:
    earnest = tmp_path / "earnest.db"
    async with start_demo(KENNEL_STORAGE__URL=f"sqlite:///{earnest}", KENNEL_DISCORD__PREFIX="!"):
        assert not earnest.exists()


async def test_ending_the_session_in_the_page_ends_the_demo() -> None:
    async with start_demo() as demo, page_of(demo) as (client, page):
        close = {
            "protocol_version": 3,
            "kind": "close",
            "sequence": 1,
            "request_id": "1",
            "generation": page["context"]["generation"],
            "bot_generation": page["botGeneration"],
        }
        async with client.post("/api/action", json=close) as answered:
            assert answered.status == 200
        await asyncio.wait_for(demo.process.wait(), PATIENCE)
        assert demo.process.returncode == 0


async def test_without_its_extra_it_says_how_to_install_it() -> None:
    code = "import sys; sys.modules['simcord'] = None; from bot.cli import main; main()"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, "demo"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 1
    assert said.decode() == (
        "The demo needs its extra: from a checkout of Kennel, run pip install '.[demo]'.\n"
    )


async def test_the_command_line_does_not_bring_in_the_simulator() -> None:
    code = (
        "import sys, bot.cli, bot.demo.start; sys.exit('simcord' in sys.modules or 'discord' in sys.modules)"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, cwd=ROOT)
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
