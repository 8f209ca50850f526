"""What goes of events after the retention, and of a post with its message."""

import dataclasses
from typing import Any

import pytest
from sqlalchemy import insert, select

from storage.engine import Database
from storage.erase import Erase
from storage.event_records import Delivery, DeliveryStatus, Post
from storage.event_tables import deliveries, posts
from storage.installations import Installations
from storage.tables import actions
from tests.support.records import GUILD, NOW, OWNER, action, command, installation
from tests.support.storing import counts, enabled, everything

OLD = NOW - 1_000_000
MEMBER = "70351110224678912"


def delivery(id: str = "d1", **changes: Any) -> dict[str, Any]:
    row = Delivery(
        seq=0,
        id=id,
        installation_id="i1",
        guild_id=GUILD,
        member_id=MEMBER,
        event_id=f"event-{id}",
        type="member.joined",
        occurrence=f"j:{id}",
        occurred_at=OLD,
        screening=False,
        body="MARK",
        status="delivered",
        attempts=1,
        next_at=None,
        lease_until=None,
        failure=None,
        failure_kind=None,
        ended_at=OLD,
    )
    values = dataclasses.asdict(dataclasses.replace(row, **changes))
    del values["seq"]
    return values


def post(delivery_id: str = "d1", **changes: Any) -> dict[str, Any]:
    row = Post(
        delivery_id=delivery_id,
        installation_id="i1",
        guild_id=GUILD,
        member_id=MEMBER,
        type="member.joined",
        presentation="MARK",
        status="posted",
        due_at=None,
        lease_until=None,
        checks=0,
        keys='{"MARK":"k1"}',
        nonce="nonce",
        channel_id="500",
        message_id="m1",
        intended_at=OLD,
        created_at=OLD,
    )
    return dataclasses.asdict(dataclasses.replace(row, **changes))


async def put(database: Database, events: list[dict[str, Any]], shown: list[dict[str, Any]]) -> None:
    await enabled(database, installation(), [command()])
    await database.write(lambda connection: connection.execute(insert(deliveries), events))
    if shown:
        await database.write(lambda connection: connection.execute(insert(posts), shown))


async def button(database: Database, delivery_id: str = "d1") -> None:
    row = dataclasses.asdict(action("k1")) | {
        "installation_id": "i1",
        "guild_id": GUILD,
        "call_id": None,
        "message_id": "m1",
        "created_at": NOW,
        "delivery_id": delivery_id,
    }
    await database.write(lambda connection: connection.execute(insert(actions), [row]))


async def ids(database: Database) -> set[str]:
    return {row[0] for row in await database.all(select(deliveries.c.id))}


@pytest.mark.parametrize(
    ("status", "ended_at"), [("delivered", OLD), ("failed", OLD), ("off", OLD), ("unheard", None)]
)
async def test_an_event_that_is_over_goes_after_its_time_with_its_post_and_buttons(
    database: Database, status: DeliveryStatus, ended_at: int | None
) -> None:
    events = [delivery("d1", status=status, ended_at=ended_at), delivery("d2", occurred_at=NOW, ended_at=NOW)]
    await put(database, events, [post(), post("d2", message_id="m2")])
    await button(database)
    assert await Erase(database).expired(NOW, NOW) == 1
    assert await ids(database) == {"d2"}
    left = await counts(database)
    assert (left["posts"], left.get("actions")) == (1, None)


async def test_an_event_that_was_given_up_lately_stays_for_the_log(database: Database) -> None:
    await put(database, [delivery(status="failed", ended_at=NOW)], [])
    assert await Erase(database).expired(NOW, NOW) == 0
    assert await ids(database) == {"d1"}


async def test_what_is_still_to_be_sent_stays_unless_nobody_will_send_it(database: Database) -> None:
    await put(database, [delivery(status="pending", next_at=NOW, ended_at=None)], [])
    assert await Erase(database).expired(NOW, NOW) == 0
    await Installations(database).set_state("i1", {"enabled"}, "disabled", NOW, OWNER)
    assert await Erase(database).expired(NOW, NOW) == 1
    assert await ids(database) == set()


async def test_a_deleted_post_takes_its_texts_and_its_buttons_along(database: Database) -> None:
    await put(database, [delivery(body=None)], [post()])
    await button(database)
    assert await Erase(database).messages_deleted(["m2"]) == 0
    assert await Erase(database).messages_deleted(["m1"]) == 2
    assert "MARK" not in await everything(database)
    left = await counts(database)
    assert (left["posts"], left["deliveries"], left.get("actions")) == (1, 1, None)
