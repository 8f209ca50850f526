"""A trick waits while a required setting is empty, and a channel or role that goes leaves its setting."""

from typing import Any

from bot.signing import new_key
from tests.support.journeys import answer, replies, rows_of, said, typed
from tests.support.model import ModelServer, call, say
from tests.support.talks import ask, is_card, spoken, texts
from tests.support.trick import TrickServer
from tests.support.world import World, config_for, open_world

GREETING: dict[str, Any] = {"key": "greeting", "label": "*Greeting*", "type": "text", "required": True}
ROOM: dict[str, Any] = {"key": "room", "label": "Room", "type": "channel", "required": True}
ROOMS: dict[str, Any] = {"key": "rooms", "label": "Rooms", "type": "channels"}
KEEPERS: dict[str, Any] = {"key": "keepers", "label": "Keepers", "type": "roles"}
WAITS = (
    "Snack Club is not set up yet: the server's owner has to fill in **\\*Greeting\\*** and **Room** "
    "with `/tricks settings`."
)


async def fill_in(world: World, trick: TrickServer, values: dict[str, Any]) -> Any:
    """The owner sends the first page of the form; gives the answer."""
    shown = await world.owner.slash(world.channel, "tricks settings", trick=trick.id)
    return await world.owner.submit_modal(shown, values)


async def test_commands_wait_and_say_which_settings_are_missing(world: World, trick: TrickServer) -> None:
    trick.settings = [GREETING, ROOM, ROOMS]
    await world.install(trick)
    slash = await world.member.slash(world.channel, "snacks")
    assert said(slash) == WAITS
    assert slash.ephemeral
    assert await typed(world, "^snacks") == WAITS
    assert said(await world.owner.slash(world.channel, "snacks")) == WAITS
    assert trick.count("tools/call") == 0
    assert "no commands of tricks" in said(await world.member.slash(world.channel, "help"))

    done = await fill_in(world, trick, {"0": "Hi", "1": [world.channel]})
    assert "⚠️" not in said(done)
    assert "popcorn" in await typed(world, "^snacks")
    assert "/snacks" in said(await world.member.slash(world.channel, "help"))


async def test_what_is_still_missing_on_another_page_is_said_after_each(
    world: World, trick: TrickServer
) -> None:
    trick.settings = [GREETING, *(dict(ROOMS, key=f"rooms{n}", label=f"R{n}") for n in range(4)), ROOM]
    await world.install(trick)
    sent = await fill_in(world, trick, {"0": "Hi"})
    assert "Nothing of it can be used before you fill in **Room**." in said(sent)
    second = await world.owner.click(answer(sent), label="Page 2 of 2")
    done = await world.owner.submit_modal(second, {"0": [world.channel]})
    assert "⚠️" not in said(done)
    assert "popcorn" in await typed(world, "^snacks")


async def test_a_button_waits_too(world: World, trick: TrickServer) -> None:
    trick.settings = [ROOM]
    await world.install(trick)
    hall = world.guild.create_text_channel("hall")
    await fill_in(world, trick, {"0": [hall]})
    await typed(world, "^snacks", world.owner)
    menu = world.channel.last_message
    assert menu is not None
    world.env.backend.delete_channel(hall.id)
    await world.env.settle()
    pressed = await world.owner.click(menu, label="Save fruit")
    assert said(pressed).startswith(
        "Snack Club is not set up yet: the server's owner has to fill in **Room**"
    )
    assert trick.count("tools/call") == 1


async def test_the_assistant_is_refused_and_the_asker_is_told_what_is_missing(
    sqlite_url: str, trick: TrickServer, model: ModelServer
) -> None:
    trick.settings = [GREETING, ROOM]
    async with open_world(config_for(sqlite_url, trick, assistant=model.config)) as world:
        await world.install(trick)
        model.script(
            call("load_trick", trick=trick.id),
            call(f"{trick.id}__snack_menu"),
            say("That does not work yet."),
        )
        (told,) = texts(await ask(world, "which snacks are there?"))
        assert "That does not work yet." in told
        assert WAITS in told
        assert trick.count("tools/call") == 0
        assert "Greeting" not in model.asked[-1].text


async def test_a_card_is_cancelled_when_its_trick_waits_by_the_time_of_the_press(
    sqlite_url: str, trick: TrickServer, model: ModelServer
) -> None:
    trick.settings = [ROOM]
    async with open_world(config_for(sqlite_url, trick, assistant=model.config)) as world:
        await world.install(trick)
        hall = world.guild.create_text_channel("hall")
        await fill_in(world, trick, {"0": [hall]})
        model.script(
            call("load_trick", trick=trick.id),
            call(f"{trick.id}__snack_menu"),
            call(f"{trick.id}__save_snack", snack="popcorn"),
            say("I could not."),
        )
        (card,) = await ask(world, "save what is first", member=world.owner)
        assert is_card(card)
        world.env.backend.delete_channel(hall.id)
        await world.env.settle()
        pressed = await world.owner.click(card, label="Do it")
        assert "is not set up yet" in said(pressed)
        assert trick.effects == {}
        assert not any(is_card(each) for each in spoken(world))


async def test_what_is_deleted_leaves_single_settings_and_lists_and_the_owner_is_told_what_waits(
    database_url: str, trick: TrickServer
) -> None:
    storage = {"url": database_url, "encryption_key": new_key()}
    async with open_world(config_for(database_url, trick, storage=storage)) as world:
        await what_is_deleted(world, trick, database_url)


async def what_is_deleted(world: World, trick: TrickServer, url: str) -> None:
    """The story, on either database."""
    trick.settings = [ROOM, ROOMS, KEEPERS]
    await world.install(trick)
    hall = world.guild.create_text_channel("hall")
    role, other = world.guild.create_role("keeper"), world.guild.create_role("helper")
    await fill_in(world, trick, {"0": [hall], "1": [hall, world.channel], "2": [role, other]})

    world.env.backend.delete_role(world.guild.id, role.id)
    await world.env.settle()
    assert (await rows_of(url))["installations"][0]["settings"].count(str(other.id)) == 1
    await typed(world, "^snacks")
    settings = trick.received("tools/call")[-1].context["settings"]
    assert settings["keepers"] == [str(other.id)]

    world.env.backend.delete_channel(hall.id)
    world.env.backend.delete_role(world.guild.id, other.id)
    await world.env.settle()
    (row,) = (await rows_of(url))["installations"]
    assert row["settings"] == f'{{"rooms": ["{world.channel.id}"]}}'
    assert "not set up yet" in await typed(world, "^snacks")
    owner = world.guild.owner
    assert any(
        "Snack Club waits: the channel that was chosen for **Room** was deleted." in each.content
        for each in owner.dm_channel.history()
    )


async def test_a_channel_that_went_unnoticed_is_not_chosen_in_the_form_and_it_says_so(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    trick.settings = [ROOM, ROOMS]
    await world.install(trick)
    hall = world.guild.create_text_channel("hall")
    await fill_in(world, trick, {"0": [hall], "1": [hall, world.channel]})
    world.bot.draining = True
    world.env.backend.delete_channel(hall.id)
    await world.env.settle()
    world.bot.draining = False

    shown = await world.owner.slash(world.channel, "tricks settings", trick=trick.id)
    assert shown.modal is not None
    room, rooms = shown.modal["components"]
    assert room["description"].startswith("⚠️ What was chosen is gone from the server.")
    assert not room["component"].get("default_values")
    assert [int(each["id"]) for each in rooms["component"]["default_values"]] == [world.channel.id]
    await world.owner.submit_modal(shown, {"0": [world.channel], "1": [world.channel]})
    assert str(hall.id) not in (await rows_of(sqlite_url))["installations"][0]["settings"]
    assert replies(world) == []
