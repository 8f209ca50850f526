"""What polls that fail do to their installation, as calls that fail do."""

from bot.clock import Clock
from bot.errors import KennelError
from bot.log import logger
from bot.tricks.installed import Installed
from bot.tricks.notices import OwnerNotices
from storage.calls import Calls
from storage.request_records import TaskRow

_log = logger(__name__)


class Faults:
    """Counts faults and successes of polls towards the pause."""

    def __init__(self, calls: Calls, notices: OwnerNotices, clock: Clock) -> None:
        self._calls = calls
        self._notices = notices
        self._clock = clock
        self._counted: set[str] = set()

    async def count(self, row: TaskRow, installed: Installed, fault: KennelError) -> None:
        """One more fault in a row; the fifth pauses, and the owner is told."""
        _log.info("a poll failed", call_id=row.id, failure=fault.kind)
        self._counted.add(row.installation_id)
        now = self._clock.now_ms()
        paused = await self._calls.count_fault(
            row.installation_id, row.guild_id, row.asker_id, fault.detail, now
        )
        if paused:
            self._notices.tell_paused(row.guild_id, installed.name)

    async def forget(self, installed: Installed) -> None:
        """The trick answered as it should: end its row of faults if there is one.

        What was read of it says so, or a fault that was counted here since it was read.
        """
        if installed.row.failures or installed.row.id in self._counted:
            self._counted.discard(installed.row.id)
            await self._calls.count_success(installed.row.id)
