"""Messages that are deleted while something begins for them: no text comes after the erasure."""

from collections.abc import Sequence

from tests.support.journeys import database_of, rows_of
from tests.support.model import ModelServer, say
from tests.support.talks import ask
from tests.support.task_records import handed_over, task
from tests.support.world import World


async def test_a_task_that_begins_just_before_the_erasure_ends(
    talk: World, model: ModelServer, sqlite_url: str
) -> None:
    model.script(say("Hello."))
    await ask(talk, "hello")
    (request,) = (await rows_of(sqlite_url))["requests"]
    (installation,) = (await rows_of(sqlite_url))["installations"]

    async def erase(message_ids: Sequence[str]) -> None:
        async with database_of(sqlite_url) as database:
            begun = task("t1", request["id"], installation_id=installation["id"], message_id=message_ids[0])
            await handed_over(database, begun)
        await talk.services.housekeeping.messages_deleted(message_ids)

    await talk.services.assistant.messages_deleted((request["message_id"],), erase)
    (row,) = (await rows_of(sqlite_url))["tasks"]
    assert (row["status"], row["task_id"], row["poll_at"]) == ("lost", None, None)
