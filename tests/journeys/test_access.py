"""`/tricks access`: the owner says who may use what, in panels that live in their custom ids alone."""

from bot.app import Kennel
from tests.support.access_panel import AccessPanel, audited, rules
from tests.support.journeys import allow_everybody, said, tricks, typed
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_tools import ToolSpec
from tests.support.world import World, config_for, open_world


async def test_the_panel_shows_all_tools_and_a_choice_leads_to_one_of_them(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    panel = await AccessPanel.open(world, trick)
    for line in ("Who may use Snack Club", "For everyone\n", "`snack_menu`", "In every channel"):
        assert line in panel.text.replace("**", "")
    assert "members who may manage the server**\n`save_snack` (write)" in panel.text
    assert panel.buttons == []
    options = panel.control("tool")["options"]
    assert [option["label"] for option in options] == ["See the snacks", "Save your snack preference"]
    await panel.choose("tool", "save_snack")
    assert "Who may use Save your snack preference" in panel.text
    assert panel.buttons == ["Back"]
    await panel.press("Back")
    assert "Who may use Snack Club" in panel.text


async def test_a_tool_can_be_named_at_once_and_is_offered_by_name_and_title(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    assert "Save your snack preference" in (await AccessPanel.open(world, trick, tool=" Save_Snack ")).text
    assert "no such tool" in said(await tricks(world, "access", trick=trick.id, tool="nothing"))
    assert "no such trick" in said(await tricks(world, "access", trick="nothing"))
    await allow_everybody(world)
    for written, names in {"": ["snack_menu", "save_snack"], "PREFER": ["save_snack"], "x": []}.items():
        offered = await world.owner.autocomplete(
            world.channel, "tricks access", "tool", written, trick=trick.id
        )
        assert [choice["value"] for choice in offered] == names
    unknown = await world.owner.autocomplete(world.channel, "tricks access", "tool", "", trick="nothing")
    assert unknown == []
    for_others = await world.member.autocomplete(world.channel, "tricks access", "tool", "", trick=trick.id)
    assert for_others == []


async def test_a_write_is_opened_to_everyone_by_a_second_press_alone(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    panel = await AccessPanel.open(world, trick, tool="save_snack")
    await panel.choose("who", "everyone")
    assert "its writes never ask" in panel.text
    assert panel.buttons == ["Open to everyone", "Keep"]
    await panel.press("Keep")
    assert "members who may manage the server" in panel.text
    assert await rules(sqlite_url) == ["{}"]
    assert await audited(sqlite_url) == []
    await panel.choose("who", "everyone")
    await panel.press("Open to everyone")
    assert await rules(sqlite_url) == ['{"audiences":{"save_snack":{"kind":"everyone"}}}']
    assert await audited(sqlite_url) == [(str(world.owner.id), "save_snack")]


async def test_a_tool_that_always_asks_still_does_when_it_is_open(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    wipe = ToolSpec("wipe", "Wipe it", "Wipes.", always_ask=True, result={"pup": {"text": "wiped"}})
    trick = await make_trick(tools=[wipe], commands=[])
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        panel = await AccessPanel.open(world, trick, tool="wipe")
        await panel.choose("who", "everyone")
        assert "I would still ask each time" in panel.text
        await panel.press("Open to everyone")
        assert "I ask each time before I use it" in panel.text


async def test_roles_count_once_they_are_chosen(world: World, trick: TrickServer, sqlite_url: str) -> None:
    await world.install(trick)
    baker, waiter = world.guild.create_role("baker"), world.guild.create_role("waiter")
    helper = world.guild.add_member(world.env.create_user("hal"), roles=[waiter])
    panel = await AccessPanel.open(world, trick, tool="save_snack")
    await panel.choose("who", "roles")
    assert "Until then nothing changes" in panel.text
    assert await rules(sqlite_url) == ["{}"]
    await panel.choose("roles", baker, waiter)
    assert "Saved." in panel.text
    assert panel.preset("roles") == [baker.id, waiter.id]
    assert "Saved: fruit" in await typed(world, "^save fruit", helper)
    assert baker.mention in await typed(world, "^save fruit")
    await panel.choose("roles", baker)
    assert "You cannot use this here" in await typed(world, "^save fruit", helper)
    await panel.choose("who", "owner")
    assert panel.preset("who") == []
    assert "Saved: fruit" in await typed(world, "^save fruit", world.owner)


async def test_the_role_that_everyone_has_is_everyone_and_asks_too(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    panel = await AccessPanel.open(world, trick, tool="save_snack")
    await panel.choose("who", "roles")
    await panel.choose("roles", world.guild.default_role)
    assert panel.buttons == ["Open to everyone", "Keep"]
    assert await rules(sqlite_url) == ["{}"]


async def test_all_read_tools_are_opened_in_one_press(sqlite_url: str, make_trick: MakeTrick) -> None:
    tools = [
        *(ToolSpec(f"peek{n}", f"Peek {n}", "Looks.", read_only=True) for n in range(3)),
        ToolSpec("fill", "Fill", "Fills."),
    ]
    trick = await make_trick(tools=tools, commands=[])
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        for name in ("peek0", "peek2", "fill"):
            await (await AccessPanel.open(world, trick, tool=name)).choose("who", "owner")
        panel = await AccessPanel.open(world, trick)
        assert panel.buttons == ["Open all read tools to everyone"]
        await panel.press("Open all read tools to everyone")
        assert "**For everyone**\n`peek0`, `peek1`, `peek2`" in panel.text
        assert "**For you alone**\n`fill` (write)" in panel.text
        assert panel.buttons == []


async def test_many_tools_are_reached_over_pages(sqlite_url: str, make_trick: MakeTrick) -> None:
    tools = [ToolSpec(f"{'t' * 44}_{n:02}", f"Tool {n}", "Does it.", read_only=True) for n in range(60)]
    trick = await make_trick(tools=tools, commands=[])
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.register(trick)
        panel = await AccessPanel.open(world, trick)
        assert panel.buttons == ["More tools"]
        await panel.press("More tools")
        assert panel.buttons == ["Previous tools", "More tools"]
        await panel.press("More tools")
        assert panel.buttons == ["Previous tools"]
        await panel.choose("tool", tools[59].name)
        await panel.choose("who", "owner")
        await panel.press("Back")
        assert tools[59].name in [option["value"] for option in panel.control("tool")["options"]]


async def test_the_panels_work_after_a_restart(world: World, trick: TrickServer, sqlite_url: str) -> None:
    await world.install(trick)
    glance, one = (
        await AccessPanel.open(world, trick),
        await AccessPanel.open(world, trick, tool="save_snack"),
    )
    await world.env.restart_bot(Kennel(world.services, shard_count=1))
    await one.choose("who", "everyone")
    await one.press("Open to everyone")
    await glance.choose("channels", world.channel)
    rule = '{"audiences":{"save_snack":{"kind":"everyone"}},"channels":["%s"]}'
    assert await rules(sqlite_url) == [rule % world.channel.id]
