"""How often a trick is called, tested and looked at: what counts together, and what apart."""

from tests.support.journeys import let_pass, said, tricks, typed
from tests.support.model import ModelServer, say
from tests.support.talks import ask
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_tools import ToolSpec
from tests.support.turns import errors, load, use
from tests.support.world import World, config_for, open_world


async def test_commands_buttons_and_conversations_count_together(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    await talk.owner.send(talk.channel, "^snacks")
    reply = talk.channel.last_message
    assert reply is not None
    for _ in range(18):
        await typed(talk, "^save fruit", talk.owner)
    assert "Saved" in said(await talk.owner.click(reply, label="Save fruit"))
    talk.clock.advance(10)
    model.script(load(trick), use(trick, "save_snack", snack="fruit"), say("Saved."))
    await ask(talk, "save fruit", member=talk.owner)
    assert trick.effects.total() == 20

    pressed = await talk.owner.click(reply, label="Save fruit")
    assert pressed.ephemeral
    assert "Try again in 50 s" in said(pressed)
    model.script(load(trick), use(trick, "save_snack", snack="fruit"), say("Later."))
    await ask(talk, "save fruit", member=talk.owner)
    assert "Try again in 50 s" in errors(model.asked[-1])[-1]
    assert trick.effects.total() == 20
    assert "popcorn" in await typed(talk, "^snacks", talk.owner)


async def test_a_trick_that_is_called_as_often_as_it_may_be_can_still_be_tested(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    tools = [ToolSpec(f"look_{n}", read_only=True) for n in range(3)]
    commands = [{"name": f"look{n}", "description": "Look", "tool": f"look_{n}"} for n in range(3)]
    trick = await make_trick(tools=tools, commands=commands)
    async with open_world(config_for(sqlite_url, trick)) as world:
        trick.clock = world.clock
        await world.install(trick)
        for number in range(3):
            member = world.guild.add_member(world.env.create_user(f"m{number}"))
            for _ in range(20):
                await typed(world, f"^look{number}", member)
        assert "Try again in" in await typed(world, "^look0")
        assert trick.count("tools/call") == 60
        assert "passed the test" in said(await tricks(world, "test", trick=trick.id))
        await let_pass(world, 61)
        assert "Try again" not in await typed(world, "^look0")


async def test_tests_and_looks_are_ten_a_minute_and_leave_the_calls_alone(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    seen = trick.count("tools/list")
    world.clock.advance(3_601)
    assert await world.services.looks.look_at_due() == 1
    assert trick.count("tools/list") == seen + 1
    for _ in range(9):
        assert "passed the test" in said(await tricks(world, "test", trick=trick.id))
    seen = trick.count("tools/list")
    refused = said(await tricks(world, "test", trick=trick.id))
    assert "Try again in" in refused
    assert trick.count("tools/list") == seen
    assert "popcorn" in await typed(world, "^snacks")
