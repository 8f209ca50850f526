"""A member's data as JSON files."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any

from bot.privacy.export import json_files
from storage.member_data import MemberRow

AT = datetime(2026, 11, 30, 9, 8, 7, 6_000, UTC)


async def rows(*batches: tuple[str, Sequence[MemberRow]]) -> AsyncIterator[tuple[str, Sequence[MemberRow]]]:
    for batch in batches:
        yield batch


async def files(*batches: tuple[str, Sequence[MemberRow]], most: int = 8_000_000) -> list[dict[str, Any]]:
    return [json.loads(each) async for each in json_files(rows(*batches), "70", AT, most)]


async def test_times_are_readable_and_json_is_json() -> None:
    call = {
        "id": "c1",
        "started_at": 1_767_225_600_001,
        "finished_at": None,
        "arguments": '{"n": 12345678901234567890}',
    }
    (file,) = await files(("calls", [call]))
    assert file["data"]["calls"] == [
        {
            "id": "c1",
            "started_at": "2026-01-01T00:00:00.001Z",
            "finished_at": None,
            "arguments": {"n": 12345678901234567890},
        }
    ]
    assert (file["member_id"], file["exported_at"], file["file"]) == ("70", "2026-11-30T09:08:07.006Z", 1)


async def test_tables_have_names_for_people() -> None:
    batches = [
        (name, [{"id": name}]) for name in ("approvals", "deliveries", "installations", "audit", "tasks")
    ]
    (file,) = await files(*batches)
    assert list(file["data"]) == ["cards", "events", "registered_tricks", "audit_trail", "tasks"]
    assert file["left_out"]


async def test_what_cannot_be_read_as_json_stays_as_it_is() -> None:
    (file,) = await files(("calls", [{"result": "{broken"}, {"result": "9" * 5_000}]))
    assert [row["result"] for row in file["data"]["calls"]] == ["{broken", "9" * 5_000]


async def test_texts_stand_as_they_were_written() -> None:
    content = "two prétzels 🥨, please\n\x1f"
    (data,) = [each async for each in json_files(rows(("requests", [{"content": content}])), "70", AT)]
    assert "🥨" in data.decode()
    assert json.loads(data)["data"]["requests"] == [{"content": content}]


async def test_much_goes_on_in_further_files_and_nothing_is_lost_or_told_twice() -> None:
    batches = [
        ("calls", [{"id": f"{batch}-{n}", "said": "x" * 300} for n in range(10)]) for batch in range(5)
    ]
    found = await files(*batches, ("threads", [{"thread_id": "900"}]), most=1_000)
    assert [file["file"] for file in found] == list(range(1, len(found) + 1))
    assert len(found) > 10
    told = [row["id"] for file in found for row in file["data"].get("calls", [])]
    assert told == [row["id"] for _, batch in batches for row in batch]
    assert [file["data"]["threads"] for file in found if "threads" in file["data"]] == [
        [{"thread_id": "900"}]
    ]


async def test_a_member_of_whom_nothing_is_kept_gets_a_file_that_says_so() -> None:
    (file,) = await files()
    assert file["data"] == {}


async def test_a_result_of_a_million_numbers_takes_no_more_room_than_it_had() -> None:
    result = json.dumps({"n": [1] * 300_000})
    (data,) = [each async for each in json_files(rows(("calls", [{"result": result}])), "70", AT)]
    assert json.loads(data)["data"]["calls"] == [{"result": json.loads(result)}]
    assert len(data) < len(result) + 2_000


async def test_others_are_served_while_a_result_is_written() -> None:
    result = json.dumps({"n": [1] * 300_000})
    reading = asyncio.ensure_future(files(("calls", [{"result": result}] * 4)))
    turns = 0
    while not reading.done():
        await asyncio.sleep(0)
        turns += 1
    await reading
    assert turns > 4
