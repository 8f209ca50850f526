"""The tools that the conformance suite of the Tasks extension calls, on the sample trick's own machinery."""

import asyncio

from bot.demo.sample_trick import Call, JsonObject, RpcError, Tool, ToolError, object_schema

NAME: JsonObject = {"name": {"type": "string"}}
CONFIRM: JsonObject = {"confirm": {"type": "boolean"}}
WORK: JsonObject = {"seconds": {"type": "integer"}, "label": {"type": "string"}}
FILE: JsonObject = {"filename": {"type": "string"}}


async def greet(call: Call) -> JsonObject:
    """Greets."""
    return {"greeting": f"Hello, {call.arguments['name']}!"}


async def slow_compute(call: Call) -> JsonObject:
    """Takes time."""
    await asyncio.sleep(call.arguments["seconds"])
    return {"computed": call.arguments["label"]}


async def failing_job(call: Call) -> JsonObject:
    """Fails, where it runs as a task."""
    call.report("Failing.")
    raise ToolError("This job always fails.")


async def protocol_error_job(call: Call) -> JsonObject:
    """Breaks, where it runs as a task."""
    call.report("Breaking.")
    raise RpcError(-32603, "This job always breaks.")


async def confirm_delete(call: Call) -> JsonObject:
    """Asks."""
    return {"answer": await call.ask("Delete it?", CONFIRM)}


async def multi_input(call: Call) -> JsonObject:
    """Asks two questions at once; the suite answers both with both fields."""
    return {"answers": await asyncio.gather(*(call.ask(text, NAME | CONFIRM) for text in ("One?", "Two?")))}


CONFORMANCE_TOOLS = (
    Tool(greet, "Greet", object_schema(NAME, ["name"])),
    Tool(slow_compute, "Compute", object_schema(WORK, ["seconds", "label"]), long=True),
    Tool(failing_job, "Fail", long=True),
    Tool(protocol_error_job, "Break", long=True),
    Tool(confirm_delete, "Delete", object_schema(FILE, []), long=True),
    Tool(multi_input, "Ask twice", long=True),
)
