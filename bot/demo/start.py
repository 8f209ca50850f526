"""`kennel demo` from the command line to its end: says what happens, and leaves nothing behind.

What takes long to import comes after the first sentence, when signals already end the program quietly.
"""

import asyncio
import logging
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType

import click

from bot.errors import KennelError, StartupError
from bot.log import configure
from storage.errors import StorageError

NOT_INSTALLED = "The demo needs its extra: from a checkout of Kennel, run pip install '.[demo]'."
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CLOSING_SECONDS = 1.5
_INTRODUCTION = """
Open this page in a browser on this machine:

  {url}

Type there, at the bottom:
  /snacks       and press a button under the answer
  ^snacks       the same as a message, so that everybody sees the answer
  /order        a command with options
  /tricks list  what the server's owner manages; "Viewing as" shows what a member may not
Ctrl-C ends the demo."""


def run_demo(port: int) -> None:
    """Run the demo until a signal, or until its session is ended in the page. Raises `StartupError`."""
    for number in STOPS:
        signal.signal(number, _leave)
    click.echo("Starting a simulated server, the bot, and the sample trick Snack Club …")
    configure()
    logging.disable()
    with tempfile.TemporaryDirectory(prefix="kennel-demo-", ignore_cleanup_errors=True) as folder:
        asyncio.run(_serve_until_stopped(port, Path(folder)))


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


async def _serve_until_stopped(port: int, folder: Path) -> None:
    stop = asyncio.Event()
    for number in STOPS:
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    stopped = asyncio.create_task(stop.wait())
    serving = asyncio.create_task(_serve(port, folder))
    await asyncio.wait([stopped, serving], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    serving.cancel()
    await asyncio.wait([serving], timeout=CLOSING_SECONDS)
    if serving.done() and not serving.cancelled():
        serving.result()


async def _serve(port: int, folder: Path) -> None:
    """As `run_demo`; whatever keeps the demo from running becomes a sentence."""
    try:
        from bot.demo.world import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("bot", "cogs", "storage"):
            raise
        raise StartupError([NOT_INSTALLED]) from None
    try:
        await serve(port, folder, lambda url: click.echo(_INTRODUCTION.format(url=url)))
    except (KennelError, StorageError):
        raise
    except Exception as error:
        raise StartupError([f"The demo could not go on ({type(error).__name__}: {error})."]) from error
