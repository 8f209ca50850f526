"""One way to wait: look again whenever something happened."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


class Changes:
    """Wakes everybody who waits; each looks whether what happened is what they wait for."""

    def __init__(self, describe: Callable[[], str]) -> None:
        self._describe = describe
        self._happened = asyncio.Event()

    def tell(self) -> None:
        """Something happened."""
        self._happened.set()
        self._happened = asyncio.Event()

    async def until(self, look: Callable[[], Found | None], what: str, timeout: float) -> Found:
        """What `look` gives once it is not None. After `timeout` seconds: AssertionError with `what`."""
        try:
            async with asyncio.timeout(timeout):
                while (found := look()) is None:
                    await self._happened.wait()
                return found
        except TimeoutError:
            raise AssertionError(f"waited {timeout:g} s for {what}\n{self._describe()}") from None
