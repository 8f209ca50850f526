"""What importing the client costs."""

import subprocess
import sys

from tests.bench.report import Figure, ratio

ROUNDS = 7
_TIMED = "import time; started = time.process_time(); {}; print(time.process_time() - started)"


def run() -> list[Figure]:
    """CPU seconds of importing `bot.app` against discord.py and httpx."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(ROUNDS):
        ours.append(_seconds("import bot.app"))
        theirs.append(_seconds("import discord, httpx"))
    return [Figure("imports: bot.app against discord and httpx", ratio(ours, theirs), 3.0, at_least=False)]


def _seconds(statement: str) -> float:
    code = _TIMED.format(statement)
    return float(
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    )
