"""Photographs every panel and form of the owner's room and of the members' door.

`python -m tests.support.screenshot_panels <folder>` writes a PNG of each, where Chromium is installed. It is run
by hand, to look at what people see; nothing is compared. In docs/images, panel.png is show-settings-missing.png,
and access.png and refresh.png are those of the same names.
"""

import asyncio
import logging
import re
import sys
from pathlib import Path
from typing import Any

import discord
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.log import configure
from tests.support.access_panel import AccessPanel
from tests.support.browser import find_chromium
from tests.support.joining import TICK, join, posts
from tests.support.journeys import let_pass
from tests.support.model import say
from tests.support.pictured_tricks import ONE_MORE, as_usual
from tests.support.studio import Studio, open_studio
from tests.support.talks import spoken
from tests.support.trick_answers import drop, rpc_error, status, tool_error, wrong_challenge
from tests.support.turns import carded
from tests.support.world import text_of


async def take_registering(studio: Studio) -> None:
    """From the address of a manifest to a trick that is enabled."""
    world, club = studio.world, studio.club
    await studio.owner("list-nothing", "list")
    club.manifest_changes["id"] = "Snack Club"
    await studio.owner("register-problems", "register", manifest_url=club.manifest_url)
    del club.manifest_changes["id"]
    club.on("manifest", status(404))
    await studio.owner("register-no-manifest", "register", manifest_url=club.manifest_url)
    club.on("manifest", as_usual)
    preview = await studio.owner("register", "register", manifest_url=club.manifest_url)
    await world.owner.click(preview, label="Register")
    await studio.take("registered", preview)
    club.trust(*re.findall(r"whsec_[A-Za-z0-9+/=]+", text_of(preview)))
    panel = await studio.owner("show-registered", "show", trick=club.id)
    club.on("challenge", wrong_challenge())
    await studio.press("test-failed", panel, "Test")
    club.on("challenge", as_usual)
    await studio.press("test-passed", panel, "Test")
    asked = await studio.press("enable", panel, "Enable")
    await world.owner.click(asked, label="Enable")
    await studio.take("enabled", asked)
    await world.owner.click(panel, label="Update this panel")
    await studio.take("show-settings-missing", panel)
    await studio.taken(
        "command-settings-missing", await world.member.slash(world.channel, "snacks"), world.member
    )


async def take_settings(studio: Studio) -> None:
    """The form, what it says to a submit, and the panel afterwards."""
    world, club = studio.world, studio.club
    panel = await studio.owner("show-settings-missing", "show", trick=club.id)
    form = await world.owner.click(panel, label="Settings")
    await studio.take("settings", form)
    saved = await world.owner.submit_modal(form, {"0": [world.channel], "1": "Hello there!"})
    await studio.taken("settings-saved", saved)
    await world.owner.click(panel, label="Update this panel")
    await studio.take("show-enabled", panel)


async def take_the_overdone(studio: Studio) -> None:
    """The same rooms with a trick that has as much of everything as there can be."""
    world, big = studio.world, studio.big
    preview = await studio.owner("big-register", "register", manifest_url=big.manifest_url)
    await world.owner.click(preview, label="Register")
    await studio.take("big-registered", preview)
    big.trust(*re.findall(r"whsec_[A-Za-z0-9+/=]+", text_of(preview)))
    asked = await studio.owner("big-enable", "enable", trick=big.id)
    await world.owner.click(asked, label="Enable")
    await studio.take("big-enabled", asked)
    await studio.owner("big-show", "show", trick=big.id)
    form = await world.owner.slash(world.channel, "tricks settings", trick=big.id)
    await studio.take("big-settings", form)
    wrong = {"0": "Text", "1": "More", "2": "many"}
    problem = await studio.taken("big-settings-problems", await world.owner.submit_modal(form, wrong))
    again = await world.owner.click(problem, label="Correct it")
    await studio.take("big-settings-again", again)
    await studio.taken("big-settings-saved", await world.owner.submit_modal(again, {**wrong, "2": "3"}))
    await studio.owner("big-access", "access", trick=big.id)
    await studio.owner("big-access-tool", "access", trick=big.id, tool=big.tools[1].name)
    big.live_tools = [*big.live_tools[50:]]
    await studio.owner("big-test-failed", "test", trick=big.id)
    big.live_tools = list(big.tools)
    big.manifest_changes["summary"] = "Another summary."
    for tool in big.tools[:40]:
        big.change_live(tool.name, description="It does something else now.")
    await studio.owner("big-refresh", "refresh", trick=big.id)
    await studio.owner("list", "list")
    await studio.owner("big-show-held-back", "show", trick=big.id)
    await studio.owner("big-remove", "remove", trick=big.id)


async def take_access(studio: Studio) -> None:
    """Who may use what, and where."""
    world, club = studio.world, studio.club
    panel = await AccessPanel.open(world, club)
    await studio.take("access", panel.message)
    await panel.choose("tool", "save_snack")
    await studio.take("access-tool", panel.message)
    await panel.choose("who", "roles")
    await studio.take("access-roles", panel.message)
    role, gone = world.guild.create_role("helpers"), world.guild.create_role("cooks")
    await panel.choose("roles", role, gone)
    await studio.take("access-roles-chosen", panel.message)
    await panel.choose("who", "everyone")
    await studio.take("access-open", panel.message)
    await panel.press("Keep")
    await panel.press("Back")
    await panel.choose("tool", "clear_snacks")
    await studio.take("access-always-asks", panel.message)
    await panel.choose("who", "everyone")
    await studio.take("access-open-always-asks", panel.message)
    await panel.press("Open to everyone")
    await panel.press("Back")
    await panel.choose("channels", world.channel)
    await panel.choose("tool", "snack_menu")
    await panel.choose("who", "owner")
    await panel.press("Back")
    world.env.backend.delete_role(world.guild.id, gone.id)
    await studio.take("access-changed", (await AccessPanel.open(world, club)).message)
    await studio.taken("command-not-allowed", await world.member.slash(world.channel, "snacks"), world.member)
    await panel.press("All channels")
    await panel.press("Open all read tools to everyone")


async def take_events(studio: Studio) -> None:
    """Where a trick posts, and what it posts."""
    world, club = studio.world, studio.club
    panel = await studio.owner("events-no-channel", "events", trick=club.id)
    await studio.owner("events", "events", trick=club.id, channel=world.channel)
    await join(world)
    await studio.take("event-post", posts(world)[-1])
    _forbid(studio, send_messages=False)
    await studio.owner("events-not-chosen", "events", trick=club.id, channel=world.channel)
    await join(world, "nora")
    await studio.owner("events-lost", "events", trick=club.id)
    await studio.owner("show-posting-stopped", "show", trick=club.id)
    _forbid(studio, send_messages=None)
    await studio.owner("events-again", "events", trick=club.id, channel=world.channel)
    await let_pass(world, TICK)
    await world.owner.click(panel, label="Stop sending events")
    await studio.take("events-off", panel)
    await world.owner.click(panel, label="Start")
    await studio.owner("events-none", "events", trick=studio.big.id)


async def take_upkeep(studio: Studio) -> None:
    """A new secret, what changed, what failed, and the end."""
    world, club = studio.world, studio.club
    rotated = await studio.owner("rotate", "rotate", trick=club.id)
    club.trust(*club.secrets, *re.findall(r"whsec_[A-Za-z0-9+/=]+", text_of(rotated)))
    await studio.owner("rotate-again", "rotate", trick=club.id)
    await studio.owner("show-rotated", "show", trick=club.id)
    await studio.owner("refresh-nothing", "refresh", trick=club.id)
    club.change_live("snack_menu", description="List the snacks and their prices.")
    await studio.owner("test-held-back", "test", trick=club.id)
    await studio.owner("show-held-back", "show", trick=club.id)
    await studio.taken("command-held-back", await world.member.slash(world.channel, "snacks"), world.member)
    club.tools.append(ONE_MORE)
    club.live_tools.append(ONE_MORE)
    club.commands = [*club.commands[:2], {"name": "gift", "description": "Give one", "tool": "gift_snack"}]
    differs = await studio.owner("refresh", "refresh", trick=club.id)
    await world.owner.click(differs, label="Keep the old one")
    await studio.take("refresh-kept", differs)
    differs = await studio.owner("refresh", "refresh", trick=club.id)
    await world.owner.click(differs, label="Accept")
    await studio.take("refresh-accepted", differs)
    await studio.owner("log-nothing", "log", trick=club.id)
    studio.later()
    await _fail(studio)
    log = await studio.owner("log", "log", trick=club.id)
    await world.owner.click(log, label="Older")
    await studio.take("log-older", log)
    await studio.owner("show-paused", "show", trick=club.id)
    await studio.owner("list-paused", "list")
    await studio.owner("enable-failed", "enable", trick=club.id)
    club.on("tools/call", as_usual)
    club.on("challenge", as_usual)
    await studio.owner("enable-again", "enable", trick=club.id)
    await studio.owner("disable", "disable", trick=club.id)
    await studio.owner("show-disabled", "show", trick=club.id)
    await studio.owner("enable-after", "enable", trick=club.id)


async def take_the_members_door(studio: Studio) -> None:
    """What a member is shown."""
    world, club = studio.world, studio.club
    world.clock.advance(61)
    await studio.taken("help", await world.member.slash(world.channel, "help"), world.member)
    await studio.taken("help-owner", await world.owner.slash(world.channel, "help"))
    await studio.taken("prefix", await world.member.slash(world.channel, "prefix"), world.member)
    await studio.taken(
        "privacy-nothing", await world.member.slash(world.channel, "privacy show"), world.member
    )
    await studio.taken("autoreview-nothing", await world.owner.slash(world.channel, "autoreview"))
    (card,) = await carded(world, club, studio.model, say("Saved."))
    await studio.take("card", card)
    await world.owner.click(card, label="Auto-review")
    await studio.take("card-closed", next(each for each in spoken(world) if each.id == card.id))
    await studio.taken("autoreview", await world.owner.slash(world.channel, "autoreview"))
    await studio.taken("privacy-show", await world.owner.slash(world.channel, "privacy show"))
    await studio.taken("privacy-export", await world.owner.slash(world.channel, "privacy export"))
    asked = await studio.taken("privacy-erase", await world.owner.slash(world.channel, "privacy erase"))
    await world.owner.click(asked, label="Keep it")
    await studio.take("privacy-kept", asked)
    form = await world.owner.slash(world.channel, "guidance")
    await studio.take("guidance", form)
    await studio.taken("guidance-saved", await world.owner.submit_modal(form, {"0": "Be kind."}))
    form = await world.owner.slash(world.channel, "guidance")
    await studio.taken("guidance-removed", await world.owner.submit_modal(form, {"0": ""}))
    await studio.taken("guidance-refused", await world.member.slash(world.channel, "guidance"), world.member)
    asked = await studio.owner("remove", "remove", trick=club.id)
    await world.owner.click(asked, label="Remove")
    await studio.take("removed", asked)


async def _fail(studio: Studio) -> None:
    """Failures of several kinds, the last five in a row; the notice goes to the system channel."""
    world, club = studio.world, studio.club
    world.env.backend.edit_guild(world.guild.id, {"system_channel_id": world.channel.id})
    for handler in (tool_error("no snacks left: see [here](https://evil.example) @everyone"), as_usual):
        club.on("tools/call", handler)
        await world.owner.send(world.channel, "^snacks")
    club.on("tools/call order_snacks", drop())
    await world.owner.send(world.channel, "^order fruit 2")
    club.on("tools/call", rpc_error(-32603, "Traceback:\n  File 'snacks.py', line 1\n```KeyError```"))
    await world.owner.send(world.channel, "^snacks")
    club.on("tools/call", status(503, "upstream"))
    club.on("challenge", status(503))
    for _ in range(4):
        await world.owner.send(world.channel, "^snacks")
    await studio.take("paused-notice", _newest(studio, "paused"))
    await studio.taken("command-paused", await world.member.slash(world.channel, "snacks"), world.member)
    club.on("events", status(503))
    await join(world, "noah")


def _newest(studio: Studio, words: str) -> Any:
    return [each for each in spoken(studio.world) if words in text_of(each)][-1]


def _forbid(studio: Studio, **rights: bool | None) -> None:
    """Set the bot's rights in the channel."""
    allow, deny = discord.PermissionOverwrite(**rights).pair()
    backend = studio.world.env.backend
    overwrite = Overwrite(backend.bot_user.id, OverwriteType.MEMBER, allow.value, deny.value)
    backend.set_overwrite(studio.world.channel.id, overwrite)


async def take(folder: Path) -> None:
    """All of them, into a folder that exists."""
    chromium = find_chromium()
    if chromium is None:
        sys.exit("There is no Chromium here: install the package chromium.")
    async with open_studio(chromium, folder) as studio:
        for session in (
            take_registering,
            take_settings,
            take_access,
            take_the_overdone,
            take_events,
            take_upkeep,
            take_the_members_door,
        ):
            await session(studio)
            studio.later()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Give the folder that the pictures go to.")
    configure()
    logging.disable()
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    asyncio.run(take(target))
