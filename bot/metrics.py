"""What is counted while Kennel works. Nothing is counted unless `observability.listen` asks for it.

Labels are words from short fixed lists: no id, no name, no text ever becomes one.
"""

from typing import Protocol


class Metrics(Protocol):
    """Told what happened, in the event loop; no method waits or fails."""

    def call_ended(self, state: str, outcome: str, origin: str) -> None:
        """A call ended: the trick's state afterwards, the call's outcome, and what started it."""
        ...

    def call_took(self, seconds: float) -> None:
        """An exchange with a trick for a call, its one repeat included, took so long."""
        ...

    def delivery_tried(self, outcome: str) -> None:
        """An event was sent to a trick: `delivered`, `again` (it is tried later), `failed` or `off`."""
        ...

    def discord_answered(self, status: int, *, invalid: bool, wait: float | None) -> None:
        """A REST request was answered. `invalid`: Discord counts it towards its limit for invalid requests.

        `wait` is the time in seconds that Discord told Kennel to wait, None when it did not.
        """
        ...


class NoMetrics:
    """Counts nothing."""

    def call_ended(self, state: str, outcome: str, origin: str) -> None:
        """Does nothing."""

    def call_took(self, seconds: float) -> None:
        """Does nothing."""

    def delivery_tried(self, outcome: str) -> None:
        """Does nothing."""

    def discord_answered(self, status: int, *, invalid: bool, wait: float | None) -> None:
        """Does nothing."""


NO_METRICS = NoMetrics()
