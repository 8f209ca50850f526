"""Everything that the program and its libraries would log."""

import io
import logging
from collections.abc import Generator
from contextlib import redirect_stderr

import pytest
import structlog

from bot.log import configure


@pytest.fixture
def logged() -> Generator[io.StringIO]:
    """What the program would write to standard error, with every library as talkative as it can be."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level = list(root.handlers), root.level
    levels = {name: logging.getLogger(name).level for name in logging.root.manager.loggerDict}
    stream = io.StringIO()
    with redirect_stderr(stream):
        configure("DEBUG")
    structlog.configure(cache_logger_on_first_use=False)
    for name in levels:
        logging.getLogger(name).setLevel(logging.DEBUG)
    yield stream
    root.handlers[:], root.level = handlers, level
    for name, old in levels.items():
        logging.getLogger(name).setLevel(old)
    structlog.configure(**before)
