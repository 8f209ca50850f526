"""What comes of one slash command, click or form, as it happens."""

from collections.abc import Callable
from typing import Any

from simcord import InteractionResult, ResponseMessage

from tests.support.bridge.changes import Changes

LOADING = 1 << 7


class Handle:
    """One interaction; `result` is simcord's live view of it."""

    def __init__(self, result: InteractionResult, changes: Changes) -> None:
        self.result = result
        self._changes = changes

    async def acknowledged(self, timeout: float = 5) -> "Handle":
        """Once the bot has sent its initial response of any kind."""
        await self._until(lambda: self.result.acknowledged or None, "an acknowledgement", timeout)
        return self

    async def response(self, timeout: float = 10) -> ResponseMessage:
        """The initial response, once it is more than "thinking"."""
        return await self.until(lambda message: not message.flags.value & LOADING, timeout)

    async def until(self, fits: Callable[[ResponseMessage], bool], timeout: float = 10) -> ResponseMessage:
        """The initial response once it `fits`: for edits."""

        def look() -> ResponseMessage | None:
            message = self.result.response
            return message if message is not None and fits(message) else None

        return await self._until(look, "a response", timeout)

    async def followup(self, index: int = 0, timeout: float = 10) -> ResponseMessage:
        """The follow-up number `index`, from 0."""

        def look() -> ResponseMessage | None:
            sent = self.result.followups
            return sent[index] if index < len(sent) else None

        return await self._until(look, f"follow-up {index}", timeout)

    async def modal(self, timeout: float = 5) -> dict[str, Any]:
        """The form that the bot opened."""
        return await self._until(lambda: self.result.modal, "a form", timeout)

    async def deleted(self, timeout: float = 10) -> None:
        """Once the initial response was there and is gone."""
        await self.acknowledged(timeout)
        await self._until(lambda: self.result.response is None or None, "the response to go", timeout)

    async def choices(self, timeout: float = 5) -> list[dict[str, Any]]:
        """What the bot offers for an option that is being typed."""
        return await self._until(lambda: self.result.autocomplete_choices, "choices", timeout)

    async def _until(self, look: Callable[[], Any], what: str, timeout: float) -> Any:
        return await self._changes.until(look, f"{what} to {self.result!r}", timeout)
