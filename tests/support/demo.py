"""`kennel demo` in a process of its own, and what somebody does in its page."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.browser import PATIENCE, Tab, read_until

ROOT = Path(__file__).parent.parent.parent
_QUIET = (
    "window.simcordPreview?.ready && !window.simcordPreview.pendingAction"
    " && window.simcordPreview.awaitingRevision === null"
    " && !document.getElementById('channel-composer-input').disabled"
)
_COMPOSER = "document.getElementById('channel-composer-input')"


@dataclass
class Demo:
    """The demo as somebody started it in a terminal: its page's address, and all that it printed so far."""

    process: asyncio.subprocess.Process
    url: str
    said: str

    async def stop(self, number: signal.Signals) -> tuple[int, str]:
        """Send a signal; the exit status, and what was printed after it."""
        self.process.send_signal(number)
        async with asyncio.timeout(PATIENCE):
            rest, _ = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, rest.decode()

    def has_processes(self) -> bool:
        """Whether anything of it still runs."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True


@asynccontextmanager
async def start_demo(*options: str, **environment: str) -> AsyncGenerator[Demo]:
    """Start the demo and wait until it has introduced itself; ended at the end if it still runs."""
    process = await spawn_demo(*options, **environment)
    assert process.stdout is not None
    try:
        said: list[str] = []
        url = await read_until(process.stdout, r"(http://127\.0\.0\.1:\d+/#\S+)", said)
        await read_until(process.stdout, r"(Ctrl-C)", said)
        yield Demo(process, url, "".join(said))
    finally:
        await end(process)


async def end(process: asyncio.subprocess.Process) -> None:
    """End it as a service manager does: kindly, and by force when that takes too long."""
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(PATIENCE):
            await process.communicate()
    except TimeoutError:
        process.kill()
        await process.communicate()
        raise


async def spawn_demo(*options: str, **environment: str) -> asyncio.subprocess.Process:
    """The bare process in a group of its own, its standard error going where its output goes."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", "demo", *options),
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )


async def enter(tab: Tab, demo: Demo) -> None:
    """Open the page and wait until one can write there."""
    await tab.open(demo.url)
    await tab.until(_QUIET, "the channel")


async def be_quiet(tab: Tab) -> None:
    """Wait until the page has nothing under way and takes the next thing."""
    await tab.until(_QUIET, "the end of what was done before")


async def write(tab: Tab, text: str) -> None:
    """Write a message at the bottom and send it."""
    await be_quiet(tab)
    await tab.click(_COMPOSER)
    await tab.type(text)
    await tab.press("Enter", 13)


async def use_command(tab: Tab, name: str) -> None:
    """Type a slash command without options, choose it from the list, and run it."""
    await be_quiet(tab)
    await tab.click(_COMPOSER)
    await tab.type(f"/{name}")
    await tab.until("window.simcordPreview.commandPicker.activeEntryKey", f"/{name} in the list")
    await tab.press("Enter", 13)
    await tab.until("window.simcordPreview.commandPicker.draft?.submittable", f"/{name} chosen")
    await tab.press("Enter", 13)


async def press_button(tab: Tab, label: str) -> None:
    """Press the newest button with this label."""
    await be_quiet(tab)
    buttons = (
        f"[...document.querySelectorAll('#channel-timeline button')].filter(b => b.textContent === '{label}')"
    )
    await tab.click(f"{buttons}.at(-1)")


async def reply_to(tab: Tab, text: str, reply: str) -> None:
    """Reply to the newest message that shows `text`, with the arrow beside it."""
    await be_quiet(tab)
    await tab.click(
        "[...document.querySelectorAll('#channel-timeline article')]"
        f".filter(each => each.innerText.includes({json.dumps(text)})).at(-1)"
        "?.querySelector('button[aria-label=Reply]')"
    )
    await write(tab, reply)


async def view_as(tab: Tab, name: str) -> None:
    """Become another person of the simulated server."""
    await be_quiet(tab)
    await tab.evaluate(
        "(() => { const picker = document.getElementById('viewer-picker');"
        f" picker.value = [...picker.options].find(each => each.text === '{name}').value;"
        " picker.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


async def sees(tab: Tab, text: str) -> None:
    """Wait until the conversation shows `text`."""
    await tab.until(f"document.getElementById('channel-timeline').innerText.includes({text!r})", text)
