"""Nothing that is logged, by Kennel or by a library, holds what people or tricks wrote, nor a secret."""

import io

from bot.demo.sample_trick import JsonObject
from tests.support.journeys import answer, database_of, said, tricks, typed
from tests.support.trick import TrickServer
from tests.support.trick_answers import data, drop, raw, rpc_error, tool_error, wrong_challenge
from tests.support.world import World, text_of

WORDS = {
    "a message": "zebra-message",
    "an argument": "zebra-argument",
    "a result": "zebra-result",
    "an error": "zebra-error",
    "a manifest": "zebra-manifest",
    "a tool": "zebra-tool",
    "a button": "zebra-button",
    "an address": "zebra-address",
    "a prefix": "zebra"[:5],
}


async def manage(world: World, trick: TrickServer) -> None:
    """Everything an owner does, well and badly."""
    trick.on("manifest", raw(b'{"zebra-manifest": 1, "id": "zebra-manifest"}'))
    await tricks(world, "register", manifest_url=trick.manifest_url)
    await tricks(world, "register", manifest_url="https://zebra-address/zebra-address")
    trick.behave()
    await world.register(trick)
    trick.on("challenge", wrong_challenge())
    await tricks(world, "test", trick=trick.id)
    trick.on("challenge", rpc_error(-1, WORDS["an error"]))
    await tricks(world, "test", trick="zebra-argument")
    trick.behave()
    await world.enable(trick)


async def use(world: World, trick: TrickServer) -> None:
    """Commands and buttons, well and badly."""
    action: JsonObject = {
        "id": "x",
        "label": "zebra-button",
        "tool": "save_snack",
        "arguments": {"snack": "fruit"},
    }
    broken: JsonObject = {"id": "zebra-button", "label": 1, "tool": "zebra-button", "zebra-button": [{}]}
    pup: JsonObject = {"text": "zebra-result", "fields": [{"zebra-result": 1}], "actions": [action, broken]}
    trick.on("tools/call snack_menu", data({"pup": pup, "zebra-result": "zebra-result"}))
    shown = answer(await world.owner.slash(world.channel, "snacks"))
    assert "zebra-result" in text_of(shown)
    await world.owner.click(shown, label="zebra-button")
    await typed(world, "^save zebra-argument --zebra-argument=1", world.owner)
    await typed(world, f"<@{world.bot.application_id}> zebra-message")
    await typed(world, "zebra-message")
    for handler in (
        drop(),
        tool_error(WORDS["an error"]),
        rpc_error(-32603, WORDS["an error"]),
        raw(b"zebra-error"),
    ):
        trick.on("tools/call", handler)
        await typed(world, "^save fruit", world.owner)
        await world.owner.slash(world.channel, "save", snack="popcorn")


async def break_things(world: World, trick: TrickServer, url: str) -> None:
    """Discord and the database fail in the middle of it."""
    trick.behave()
    trick.on("tools/call", data({"pup": {"text": "zebra-result"}}))
    world.env.inject_error("PATCH", "/webhooks/*", status=500, message="zebra-error")
    await world.owner.slash(world.channel, "snacks")
    world.env.inject_error("POST", "/channels/*/messages", status=403, code=50013, message="zebra-error")
    await typed(world, "^snacks")
    async with database_of(url) as database:
        await database.write(
            lambda connection: connection.exec_driver_sql("ALTER TABLE audit RENAME TO gone")
        )
    assert "zebra-result" in await typed(world, "^snacks")
    async with database_of(url) as database:
        await database.write(
            lambda connection: connection.exec_driver_sql("ALTER TABLE calls RENAME TO lost")
        )
    assert "database has a problem" in await typed(world, "^snacks")
    assert "database has a problem" in said(await world.owner.slash(world.channel, "save", snack="fruit"))


async def test_logs_hold_ids_and_nothing_else(
    logged: io.StringIO, world: World, trick: TrickServer, sqlite_url: str
) -> None:
    trick.manifest_changes["description"] = "zebra-manifest"
    trick.change_live("snack_menu", description="zebra-tool")
    await manage(world, trick)
    await world.owner.slash(world.channel, "prefix", value="^")
    await use(world, trick)
    world.clock.advance(3_601)
    trick.on("tools/list", rpc_error(-32603, WORDS["an error"]))
    await world.services.looks.look_at_due()
    await break_things(world, trick, sqlite_url)

    lines = logged.getvalue()
    assert lines.count("call started") > 8
    assert "discord" in lines
    for call in trick.received("tools/call"):
        assert str(call.call_id) in lines
        assert call.headers["webhook-signature"] not in lines
    planted = ("zebra", "popcorn", "fruit", "whsec_", *trick.secrets)
    assert [word for word in planted if word in lines] == []
    for interaction in world.env.backend.interactions.values():
        assert interaction.token not in lines
