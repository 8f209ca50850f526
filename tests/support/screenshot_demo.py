"""Makes docs/images/demo.png anew: `python -m tests.support.screenshot_demo`, where Chromium is installed."""

import asyncio
import sys

from tests.support.browser import find_chromium, open_tab
from tests.support.demo import ROOT, be_quiet, enter, press_button, sees, start_demo, write

TARGET = ROOT / "docs" / "images" / "demo.png"


async def take() -> bytes:
    """The page after somebody typed `^snacks` and pressed a button of the answer, as PNG."""
    chromium = find_chromium()
    if chromium is None:
        sys.exit("There is no Chromium here: install the package chromium.")
    async with start_demo() as demo, open_tab(chromium, 1120, 700) as tab:
        await enter(tab, demo)
        await tab.click("document.getElementById('messages-toggle')")
        await write(tab, "^snacks")
        await sees(tab, "popcorn")
        await press_button(tab, "Save popcorn")
        await sees(tab, "Saved: popcorn.")
        await tab.evaluate("document.activeElement.blur()")
        await tab.send("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        await be_quiet(tab)
        return await tab.screenshot()


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_bytes(asyncio.run(take()))
