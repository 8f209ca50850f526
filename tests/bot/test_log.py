"""Logs hold identifiers, and nothing that somebody wrote."""

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from bot.log import configure, logger

SECRET = "sesame, open"


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def test_a_line_is_json_with_the_fields_that_are_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    configure()
    logger("bot.somewhere").info("call ended", call_id="7", arguments=SECRET, text=SECRET)

    line = json.loads(capsys.readouterr().err)

    assert line["event"] == "call ended"
    assert line["call_id"] == "7"
    assert SECRET not in json.dumps(line)


def test_an_exception_is_named_by_type_and_place_alone(capsys: pytest.CaptureFixture[str]) -> None:
    configure()
    try:
        raise ValueError(SECRET)
    except ValueError:
        logger("bot.somewhere").exception("it failed")

    line = json.loads(capsys.readouterr().err)

    assert line["exception"] == "ValueError"
    assert __file__ in line["where"]
    assert SECRET not in json.dumps(line)


def test_what_a_library_fills_into_its_sentence_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    configure()
    logging.getLogger("discord.http").warning("We are being rate limited at %s", SECRET)
    try:
        raise ValueError(SECRET)
    except ValueError:
        logging.getLogger("discord.client").exception("Ignoring exception in %s", SECRET)

    written = capsys.readouterr().err

    assert written.count("\n") == 2
    assert SECRET not in written
    assert "We are being rate limited" in written
