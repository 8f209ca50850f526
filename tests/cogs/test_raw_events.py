"""Several listeners before discord.py's parsers of one event."""

from types import SimpleNamespace
from typing import Any, cast

from cogs.raw_events import RawEvents


def test_whoever_ends_takes_nothing_from_those_who_still_listen_nor_from_discord_py() -> None:
    passed_on: list[Any] = []
    parsers: dict[str, Any] = {"READY": passed_on.append}
    bot: Any = SimpleNamespace(_connection=SimpleNamespace(parsers=parsers))
    first, second = RawEvents(bot), RawEvents(bot)
    heard: list[str] = []
    first.hear("READY", lambda payload: heard.append(f"first {payload}"))
    second.hear("READY", lambda payload: heard.append(f"second {payload}"))
    parsers["READY"]("a")
    assert heard == ["second a", "first a"]
    first.end()
    parsers["READY"]("b")
    second.end()
    parsers["READY"]("c")
    assert heard == ["second a", "first a", "second b"]
    assert cast("list[str]", passed_on) == ["a", "b", "c"]
