"""Makes the pictures in docs/images anew: `python -m tests.support.screenshot_demo`, where Chromium is installed."""

import asyncio
import sys

from tests.support.browser import Tab, find_chromium, open_tab
from tests.support.demo import (
    ROOT,
    be_quiet,
    enter,
    press_button,
    reply_to,
    sees,
    start_demo,
    view_as,
    write,
)

TARGETS = ROOT / "docs" / "images"


async def take_commands(chromium: str) -> bytes:
    """The page after somebody typed `^snacks` and pressed a button of the answer, as PNG."""
    async with start_demo() as demo, open_tab(chromium, 1120, 700) as tab:
        await enter(tab, demo)
        await tab.click("document.getElementById('messages-toggle')")
        await write(tab, "^snacks")
        await sees(tab, "popcorn")
        await press_button(tab, "Save popcorn")
        await sees(tab, "Saved: popcorn.")
        return await _picture(tab)


async def take_card(chromium: str) -> bytes:
    """The page after somebody asked what there is, and then for something that Kennel wants a word about."""
    async with start_demo() as demo, open_tab(chromium, 1120, 900) as tab:
        await enter(tab, demo)
        await view_as(tab, "Mia")
        await be_quiet(tab)
        await tab.click("document.getElementById('messages-toggle')")
        await write(tab, "@Kennel what snacks are there?")
        await sees(tab, "There are popcorn")
        await reply_to(tab, "There are popcorn", "save fruit for me")
        await sees(tab, "Shall I do this?")
        return await _picture(tab)


async def _picture(tab: Tab) -> bytes:
    await be_quiet(tab)
    await tab.evaluate("document.activeElement.blur()")
    await tab.send("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    await be_quiet(tab)
    return await tab.screenshot()


async def take() -> None:
    """Both pictures."""
    chromium = find_chromium()
    if chromium is None:
        sys.exit("There is no Chromium here: install the package chromium.")
    TARGETS.mkdir(parents=True, exist_ok=True)
    (TARGETS / "demo.png").write_bytes(await take_commands(chromium))
    (TARGETS / "card.png").write_bytes(await take_card(chromium))


if __name__ == "__main__":
    asyncio.run(take())
