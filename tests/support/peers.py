"""Real peers for the tests of the MCP client: how they are installed, started and stopped.

Everything goes under `.cache/peers`, named by what it was made from, so that it is installed once. Where
something cannot be had the test is skipped with the reason.
"""

import hashlib
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

ROOT = Path(__file__).parents[2]
PEERS = ROOT / "tests" / "peers"
CACHE = ROOT / ".cache" / "peers"
FASTMCP = "fastmcp[tasks]==4.1.4"
INSTALL_SECONDS = 600
START_SECONDS = 60


@pytest.fixture(scope="session")
def npm_peers() -> Path:
    """The directory where the packages of `tests/peers/package.json` are installed."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    wanted = (PEERS / "package.json").read_bytes()
    installed = CACHE / f"npm-{hashlib.sha256(wanted).hexdigest()[:12]}"

    def install(directory: Path) -> None:
        (directory / "package.json").write_bytes(wanted)
        _run([npm, "install", "--no-audit", "--no-fund"], directory)

    return _installed(installed, install)


@pytest.fixture(scope="session")
def fastmcp_python() -> Path:
    """The Python of a virtual environment with FastMCP, whose pins differ from ours."""
    name = re.sub(r"[^a-z0-9.]+", "-", FASTMCP)

    def install(directory: Path) -> None:
        _run([sys.executable, "-m", "venv", str(directory)], directory)
        wanted = [FASTMCP, "standardwebhooks>=1.1,<2"]
        _run([str(directory / "bin" / "python"), "-m", "pip", "install", "--quiet", *wanted], directory)

    return _installed(CACHE / name, install) / "bin" / "python"


def node(npm_peers: Path) -> str:
    """The Node among the peers: the conformance tool needs a newer one than many machines have."""
    return str(npm_peers / "node_modules" / ".bin" / "node")


@contextmanager
def serving(
    command: Sequence[str], announces: str, environment: Mapping[str, str] | None = None
) -> Generator[re.Match[str]]:
    """Run a server, from the moment it has printed a line in which `announces` is found, whose match it gives."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    found: queue.Queue[re.Match[str] | str] = queue.Queue()
    reader = threading.Thread(target=_read, args=(process.stdout, announces, found))
    reader.start()
    try:
        match = found.get(timeout=START_SECONDS)
        assert isinstance(match, re.Match), f"the peer ended: {match[-2000:]}"
        yield match
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        reader.join()
        process.stdout.close()


def _read(output: IO[str], announces: str, found: queue.Queue[re.Match[str] | str]) -> None:
    told = ""
    for line in output:
        told += line
        match = re.search(announces, line)
        if match is not None:
            found.put(match)
    found.put(told)


def _installed(directory: Path, install: Callable[[Path], None]) -> Path:
    """`directory`, installed before or now; whole or not at all, also when two runs install at once."""
    if directory.exists():
        return directory
    CACHE.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix="making-", dir=CACHE))
    try:
        install(making)
        making.rename(directory)
    except (OSError, subprocess.SubprocessError) as exc:
        shutil.rmtree(making, ignore_errors=True)
        if not directory.exists():
            pytest.skip(f"{directory.name} cannot be installed: {exc}")
    return directory


def _run(command: Sequence[str], directory: Path) -> None:
    subprocess.run(command, cwd=directory, check=True, capture_output=True, timeout=INSTALL_SECONDS)
