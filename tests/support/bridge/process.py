"""A bot in a process of its own."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from tests.support.bridge.changes import Changes

ROOT = Path(__file__).parents[3]


class BotProcess:
    """`async with BotProcess(["-m", "bot", "run"], {...}) as process`: Python with these arguments.

    `variables` are added to the environment. Standard output and error come together in `output`. Leaving
    kills what still runs.
    """

    def __init__(
        self, arguments: Sequence[str], variables: Mapping[str, str], directory: Path | None = None
    ) -> None:
        self._arguments = arguments
        self._variables = variables
        self._directory = directory or ROOT
        self._written = bytearray()
        self._changes = Changes(lambda: self.output)

    @property
    def output(self) -> str:
        """What it wrote so far."""
        return self._written.decode(errors="replace")

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *self._arguments,
            cwd=self._directory,
            env={**os.environ, "PYTHONPATH": str(ROOT), **self._variables},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_error: object) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        await self._reader

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while data := await self._process.stdout.read(65_536):
            self._written += data
            self._changes.tell()

    async def wrote(self, text: str, timeout: float = 60) -> None:
        """Once `text` stands in the output."""
        await self._changes.until(lambda: text in self.output or None, f"{text!r} in the output", timeout)

    def terminate(self) -> None:
        """SIGTERM: the polite end."""
        self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL: the end without a word."""
        self._process.kill()

    async def exit_status(self, timeout: float = 30) -> int:
        """Its exit status once it has ended; negative for a signal."""
        async with asyncio.timeout(timeout):
            return await self._process.wait()
