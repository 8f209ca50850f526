"""The tools that the conformance suite of the Tasks extension calls, on the sample trick's own machinery."""

import asyncio

from bot.demo.sample_trick import Call, JsonObject, RpcError, Task, Tool, ToolError

NAME: JsonObject = {"name": {"type": "string"}}
CONFIRM: JsonObject = {"confirm": {"type": "boolean"}}


async def _greet(call: Call) -> JsonObject:
    return {"greeting": f"Hello, {call.arguments['name']}!"}


async def _compute(call: Call, _task: Task | None = None) -> JsonObject:
    await asyncio.sleep(call.arguments["seconds"])
    return {"computed": call.arguments["label"]}


async def _fail(_call: Call, _task: Task) -> JsonObject:
    raise ToolError("This job always fails.")


async def _break(_call: Call, _task: Task) -> JsonObject:
    raise RpcError(-32603, "This job always breaks.")


async def _confirm(_call: Call, task: Task) -> JsonObject:
    return {"answer": await task.ask("Delete it?", CONFIRM)}


async def _ask_twice(_call: Call, task: Task) -> JsonObject:
    """The suite answers both questions with both fields."""
    return {"answers": await asyncio.gather(*(task.ask(text, NAME | CONFIRM) for text in ("One?", "Two?")))}


_WORK: JsonObject = {"seconds": {"type": "integer"}, "label": {"type": "string"}}
CONFORMANCE_TOOLS = (
    Tool("greet", "Greet", "Greets.", _greet, properties=NAME, required=["name"]),
    Tool("slow_compute", "Compute", "Takes time.", _compute, _compute, _WORK, ["seconds", "label"]),
    Tool("failing_job", "Fail", "Fails.", work=_fail),
    Tool("protocol_error_job", "Break", "Breaks.", work=_break),
    Tool("confirm_delete", "Delete", "Asks.", work=_confirm, properties={"filename": {"type": "string"}}),
    Tool("multi_input", "Ask twice", "Asks two questions at once.", work=_ask_twice),
)
