"""All seven option types, as a slash command and behind the prefix, reach the tool alike."""

from typing import Any

from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_tools import ToolSpec
from tests.support.world import World, config_for, open_world, text_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "word": {"type": "string", "minLength": 2, "maxLength": 40},
        "count": {"type": "integer", "minimum": 1, "maximum": 20},
        "price": {"type": "number"},
        "loud": {"type": "boolean"},
        "who": {"type": "string"},
        "where": {"type": "string"},
        "team": {"type": "string"},
        "size": {"type": "string", "enum": ["small", "large"]},
    },
    "required": ["word", "count"],
    "additionalProperties": False,
}
OPTIONS = [
    {"name": "word", "description": "A word", "type": "string", "required": True},
    {"name": "count", "description": "How many", "type": "integer", "required": True},
    {"name": "price", "description": "How much", "type": "number"},
    {"name": "loud", "description": "Loud", "type": "boolean"},
    {"name": "who", "description": "A member", "type": "user"},
    {"name": "where", "description": "A channel", "type": "channel"},
    {"name": "team", "description": "A role", "type": "role"},
    {"name": "size", "description": "A size", "type": "string"},
]


async def everything(make_trick: MakeTrick) -> TrickServer:
    """A trick with one read tool that takes every kind of option and one command for it."""
    tool = ToolSpec("echo", "Echo", "Echoes.", SCHEMA, read_only=True, result={"pup": {"text": "echoed"}})
    command = {
        "name": "echo",
        "description": "Echo it",
        "tool": "echo",
        "options": OPTIONS,
        "visibility": "public",
    }
    return await make_trick(id="echoes", tools=[tool], commands=[command])


async def test_slash_and_prefix_give_the_tool_the_same_arguments(
    tmp_path: Any, make_trick: MakeTrick
) -> None:
    trick = await everything(make_trick)
    async with open_world(config_for(f"sqlite:///{tmp_path}/kennel.db", trick)) as world:
        await world.install(trick)
        role = world.guild.create_role("Tasters")
        expected = {
            "word": "two words",
            "count": 3,
            "price": 2.5,
            "loud": True,
            "who": str(world.member.id),
            "where": str(world.channel.id),
            "team": str(role.id),
            "size": "large",
        }

        result = await world.member.slash(
            world.channel,
            "echo",
            word="two words",
            count=3,
            price=2.5,
            loud=True,
            who=world.member,
            where=world.channel,
            team=role,
            size="large",
        )
        assert result.response is not None
        assert not result.ephemeral
        assert "echoed" in text_of(result.response)
        assert trick.received("tools/call")[-1].arguments == expected

        typed = (
            f'^echo "two words" 3 --price=2.5 --loud --who=<@{world.member.id}> --where <#{world.channel.id}> '
            f"—team = <@&{role.id}> --SIZE=Large"
        )
        await world.member.send(world.channel, typed)
        reply = world.channel.last_message
        assert reply is not None
        assert "echoed" in text_of(reply)
        assert trick.received("tools/call")[-1].arguments == expected


async def test_what_is_wrong_with_a_typed_command_is_told_in_one_reply_with_the_usage_line(
    tmp_path: Any, make_trick: MakeTrick
) -> None:
    trick = await everything(make_trick)
    async with open_world(config_for(f"sqlite:///{tmp_path}/kennel.db", trick)) as world:
        await world.install(trick)
        for typed, told in {
            "^echo hello": "`count` is missing",
            "^echo hello many": "many",
            "^echo hello 3 --size=huge": "huge",
            "^echo hello 3 --colour=red": "colour",
            "^echo hello 3 --size=small --size=large": "size",
            "^echo hello 99": "20",
            "^echo hello 3 --who=<@123456789012345678>": "who",
        }.items():
            before = len(world.channel.history())
            await world.member.send(world.channel, typed)
            replies = world.channel.history()
            assert len(replies) == before + 2, typed
            reply = world.channel.last_message
            assert reply is not None
            assert told in text_of(reply), (typed, text_of(reply))
            assert "Usage: `^echo" in text_of(reply)
            assert reply.reference is not None
        assert not trick.received("tools/call")


async def test_a_word_that_is_no_command_is_ignored(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    before = len(world.channel.history())
    await world.member.send(world.channel, "^nothing at all")
    await world.member.send(world.channel, "^ snacks")
    await world.member.send(world.channel, "snacks")
    assert len(world.channel.history()) == before + 3


async def test_a_command_that_mentions_the_bot_runs_and_is_answered_once(
    tmp_path: Any, make_trick: MakeTrick
) -> None:
    trick = await everything(make_trick)
    async with open_world(config_for(f"sqlite:///{tmp_path}/kennel.db", trick)) as world:
        await world.install(trick)
        bot_id = world.env.backend.bot_user.id
        before = len(world.channel.history())

        await world.member.send(world.channel, f"^echo hello 3 --who=<@{bot_id}>")

        assert trick.received("tools/call")[-1].arguments["who"] == str(bot_id)
        assert len(world.channel.history()) == before + 2
