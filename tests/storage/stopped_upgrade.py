"""An upgrade that stops in the middle and says so: `python -m tests.storage.stopped_upgrade URL`."""

import asyncio
import sys
from typing import Any

from sqlalchemy import Engine, event

from storage import migrate


def stop_in_the_middle(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
    """Wait for ever before one of the later tables is made."""
    if "CREATE TABLE calls" in statement:
        sys.stdout.write("in the middle\n")
        sys.stdout.flush()
        sys.stdin.readline()


if __name__ == "__main__":
    event.listen(Engine, "before_cursor_execute", stop_in_the_middle)
    asyncio.run(migrate.upgrade(sys.argv[1]))
