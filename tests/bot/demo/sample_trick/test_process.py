"""The sample trick as a process of its own, from this package and from a copy."""

import asyncio
import os
import shutil
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import bot.demo.sample_trick
from tests.support.signed_client import OTHER_SECRET, SECRET, SignedClient

FILE = Path(bot.demo.sample_trick.__file__)
ROOT = FILE.parents[2]
PUBLIC_URL = "https://snacks.example.com"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@asynccontextmanager
async def _process(
    module: str, directory: Path, *arguments: str, **variables: str
) -> AsyncGenerator[asyncio.subprocess.Process]:
    environment: Mapping[str, str] = {"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1", **variables}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        cwd=directory,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def _line(process: asyncio.subprocess.Process, part: str) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(30):
        while line := (await process.stdout.readline()).decode():
            if part in line:
                return line
    raise AssertionError(f"the process ended without saying {part!r}")


@pytest.mark.parametrize("separator", [",", " ", ", "])
async def test_it_serves_with_either_secret_until_sigterm(separator: str) -> None:
    port = _free_port()
    secrets = separator.join([SECRET, OTHER_SECRET])
    async with _process(
        "bot.demo.sample_trick",
        ROOT,
        "--port",
        str(port),
        TRICK_PUBLIC_URL=PUBLIC_URL + "/",
        TRICK_WEBHOOK_SECRETS=secrets,
    ) as process:
        await _line(process, f":{port}")
        for secret in (SECRET, OTHER_SECRET):
            async with SignedClient(f"http://127.0.0.1:{port}", secret) as client:
                assert (await client.post("/challenge", b'{"challenge":"a"}')).json() == {"challenge": "a"}
                manifest = (await client.http.get("/manifest.json")).json()
        assert manifest["endpoints"]["mcp"] == f"{PUBLIC_URL}/mcp"
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(10):
            assert await process.wait() == 0


async def test_a_copy_runs_without_kennel(tmp_path: Path) -> None:
    shutil.copy(FILE, tmp_path / "my_trick.py")
    port = _free_port()
    async with _process(
        "my_trick", tmp_path, "--port", str(port), TRICK_PUBLIC_URL=PUBLIC_URL, PYTHONPATH=""
    ) as process:
        await _line(process, f":{port}")
        async with SignedClient(f"http://127.0.0.1:{port}", SECRET) as client:
            assert (await client.http.get("/manifest.json")).status_code == 200
            # Before it is registered there is no secret, and nobody is let in.
            assert (await client.post("/challenge", b'{"challenge":"a"}')).status_code == 401


def test_it_imports_nothing_of_kennel() -> None:
    lines = FILE.read_text().split("\n")
    assert not [line for line in lines if line.lstrip().startswith(("from bot", "import bot", "from ."))]


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "TRICK_PUBLIC_URL"),
        ({"TRICK_PUBLIC_URL": PUBLIC_URL, "TRICK_WEBHOOK_SECRETS": "secret"}, "TRICK_WEBHOOK_SECRETS"),
    ],
)
async def test_a_wrong_environment_is_one_plain_sentence(variables: dict[str, str], said: str) -> None:
    async with _process("bot.demo.sample_trick", ROOT, **variables) as process:
        line = await _line(process, said)
        assert line.startswith("sample_trick: error:")
        async with asyncio.timeout(10):
            assert await process.wait() == 2
