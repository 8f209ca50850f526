"""An upgrade that stops in the middle and says so: `python -m tests.storage.stopped_upgrade URL STATEMENT…`."""

import asyncio
import sys
from typing import Any

from sqlalchemy import Engine, event

from storage import migrate


def stop_in_the_middle(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
    """Wait for ever before the first statement that holds one of the given texts."""
    if any(text in statement for text in sys.argv[2:]):
        sys.stdout.write("in the middle\n")
        sys.stdout.flush()
        sys.stdin.readline()


if __name__ == "__main__":
    event.listen(Engine, "before_cursor_execute", stop_in_the_middle)
    asyncio.run(migrate.upgrade(sys.argv[1]))
