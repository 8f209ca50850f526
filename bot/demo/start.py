"""`kennel demo` from the command line to its end: says what happens, and leaves nothing behind.

What takes long to import comes after the first sentence, when signals already end the program quietly.
"""

import asyncio
import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine
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

Type there, at the bottom, and scroll down for the answers ("jump to latest"):
  /snacks       and press a button under the answer
  ^snacks       the same as a message, so that everybody sees the answer
  /order        a command with options
  /tricks show  what the server's owner manages; its trick is snack_club
Or talk to it:
  @Kennel what snacks are there?
  save fruit for me               as a reply to its answer (the arrow beside it): it asks you first
  @Kennel help me choose a snack  takes a while, and asks you something
You are Olive, the owner; "Viewing as" makes you Mia, who may manage the server, or Tom, who may not.
Ctrl-C ends the demo."""
Serve = Callable[[int, Path, Callable[[str], None]], Coroutine[None, None, None]]


def run_demo(port: int) -> None:
    """Run the demo until a signal, or until its session is ended in the page. Raises `StartupError`."""
    for number in STOPS:
        signal.signal(number, _leave)
    click.echo("Starting a simulated server, the bot, and the sample trick Snack Club …")
    serve = _import_world()
    configure()
    logging.disable()
    asyncio.run(_serve_until_stopped(serve, port))
    sys.stdout.flush()
    os._exit(0)  # all is closed, and taking a thousand modules apart would keep somebody waiting at Ctrl-C


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: there is nothing yet to clear away, and an exception may get lost in an import."""
    os._exit(0)


def _import_world() -> Serve:
    try:
        from bot.demo.world import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("bot", "cogs", "storage"):
            raise
        raise StartupError([NOT_INSTALLED]) from None
    return serve


def _introduce(url: str) -> None:
    click.echo(_INTRODUCTION.format(url=url))


async def _serve_until_stopped(serve: Serve, port: int) -> None:
    stop = asyncio.Event()
    for number in STOPS:
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    with tempfile.TemporaryDirectory(prefix="kennel-demo-", ignore_cleanup_errors=True) as folder:
        stopped = asyncio.create_task(stop.wait())
        serving = asyncio.create_task(serve(port, Path(folder), _introduce))
        await asyncio.wait([stopped, serving], return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        serving.cancel()
        await asyncio.wait([serving], timeout=CLOSING_SECONDS)
        await _let_threads_end()
    if serving.done() and not serving.cancelled() and (error := serving.exception()) is not None:
        raise _in_words(error)


async def _let_threads_end() -> None:
    """A database that was being opened when the signal came still has a word to say to this loop."""
    for _ in range(30):
        if threading.active_count() == 1:
            return
        await asyncio.sleep(0.01)


def _in_words(error: BaseException) -> BaseException:
    if isinstance(error, KennelError | StorageError):
        return error
    return StartupError([f"The demo could not go on ({type(error).__name__}: {error})."])
