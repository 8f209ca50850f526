"""The tasks of a scripted trick."""

from bot.demo.sample_trick import JsonObject
from tests.support.signed_client import SignedClient
from tests.support.trick import TrickServer
from tests.support.trick_tasks import TaskScript, asking, completed, failed, question, working

TASTE: JsonObject = {"taste": {"type": "string", "enum": ["sweet", "salty"]}}


async def test_a_task_goes_through_its_steps(trick: TrickServer, trick_client: SignedClient) -> None:
    ask = asking("k1", "Sweet or salty?", TASTE, k2=question("Now?", {"now": {"type": "boolean"}}))
    task = TaskScript(trick, "save_snack", working("Looking"), ask, completed({"saved": "fruit"}))
    created = await trick_client.call("save_snack", {"snack": "fruit"}, callId="call-1")
    assert (created["resultType"], created["taskId"], trick.effects["call-1"]) == ("task", task.task_id, 1)

    async def poll() -> JsonObject:
        return await trick_client.result("tasks/get", taskId=task.task_id)

    async def answer(key: str) -> None:
        sweet = {"action": "accept", "content": {"taste": "sweet"}}
        await trick_client.result("tasks/update", taskId=task.task_id, inputResponses={key: sweet})

    assert (await poll())["statusMessage"] == "Looking"
    assert (await poll())["inputRequests"].keys() == {"k1", "k2"}
    await answer("k1")
    assert (await poll())["inputRequests"].keys() == {"k2"}
    await answer("k2")
    for _ in range(2):
        assert (await poll())["result"]["structuredContent"] == {"saved": "fruit"}
    assert task.answers.keys() == {"k1", "k2"}


async def test_a_task_can_fail_or_be_lost(trick: TrickServer, trick_client: SignedClient) -> None:
    task = TaskScript(trick, "snack_menu", failed(), task_id="task-2")
    await trick_client.call("snack_menu")
    assert (await trick_client.result("tasks/get", taskId="task-2"))["error"]["code"] == -32603
    task.lost = True
    calls: list[tuple[str, JsonObject]] = [("tasks/get", {}), ("tasks/update", {"inputResponses": {}})]
    for method, more in calls:
        response = await trick_client.rpc(method, None, taskId="task-2", **more)
        assert response.json()["error"]["code"] == -32602
