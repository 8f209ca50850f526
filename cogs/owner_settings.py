"""`/tricks settings`: a trick's settings as forms of five fields, and what becomes of a channel or role that goes.

A form cannot follow another form, so between two pages stands a message with a button for each of the others.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Literal, cast

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Kennel
from bot.log import logger
from bot.outbound import Button, Embed, Reply
from bot.text import clamp, escape, escaped_line
from bot.tricks.setting_forms import Present
from bot.tricks.setting_words import label_of, labels_in_words, value_in_words
from bot.tricks.settings import Filling, OpenForm, Submitted
from cogs.durable import DurableButton
from cogs.forms import modal, numbered_values, open_form
from cogs.owner_room import TRICK, require_owner, tricks_group, tricks_here
from cogs.private_answers import privately, show
from cogs.rendering import pages

_SUBMIT = re.compile(r"s:(?P<how>new|next)(?P<page>\d):(?P<mark>[0-9a-f]{16}):(?P<id>[0-9a-f]{32})")
_DESCRIPTION = 3_500
_NO_SETTINGS = "This trick has no settings."
_log = logger(__name__)

How = Literal["new", "next"]
"""Whether what is said to a submit is a message of its own, or takes the place of the one with the button."""


@app_commands.describe(trick=TRICK)
@app_commands.autocomplete(trick=tricks_here)
async def settings(interaction: discord.Interaction[Any], trick: str) -> None:
    """Open the first page of the form; the answer to a submit is a message of its own."""

    async def work(bot: Kennel) -> discord.ui.Modal | str:
        require_owner(interaction)
        form = await bot.services.settings.form(str(interaction.guild_id), trick, _present(interaction))
        return _NO_SETTINGS if form is None else _modal(form, "new")

    await open_form(interaction, work)


class SettingsButton(
    DurableButton,
    template=r"s:(?P<what>open\d:[0-9a-f]{32}|again:[A-Za-z0-9_-]{16})",
):
    """Opens a page of a form: as it is stored, or with what was typed before and did not fit."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Check the owner once more, and open it."""

        async def work(bot: Kennel) -> discord.ui.Modal:
            require_owner(interaction)
            return _modal(await self._form(bot, interaction), "next")

        await open_form(interaction, work)

    async def _form(self, bot: Kennel, interaction: discord.Interaction[Any]) -> OpenForm:
        guild_id, owner_id = str(interaction.guild_id), str(interaction.user.id)
        verb, _, key = self.parts["what"].partition(":")
        if verb == "again":
            return await bot.services.settings.page_again(guild_id, owner_id, key, _present(interaction))
        number = int(verb.removeprefix("open"))
        return await bot.services.settings.page(guild_id, key, number, _present(interaction))


class OwnerSettings(commands.Cog):
    """Hears what the server does not have any more."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A setting does not keep a channel that is gone."""
        guild_id, channel_id = str(channel.guild.id), str(channel.id)
        await self._forget(lambda: self._bot.services.settings.forget(guild_id, "channel", channel_id))

    @commands.Cog.listener()
    async def on_guild_role_delete(self, role: discord.Role) -> None:
        """Nor a role."""
        guild_id, role_id = str(role.guild.id), str(role.id)
        await self._forget(lambda: self._bot.services.settings.forget(guild_id, "role", role_id))

    async def _forget(self, work: Callable[[], Awaitable[None]]) -> None:
        """What is missed here is shown as gone when the form is opened."""
        if self._bot.draining:
            return
        try:
            with self._bot.in_flight():
                await work()
        except Exception:  # noqa: BLE001 - the boundary of a listener: nobody waits for it
            _log.exception("a deletion was not taken out of the settings")


async def _submit(interaction: discord.Interaction[Any], match: re.Match[str]) -> None:
    async def work(bot: Kennel) -> None:
        require_owner(interaction)
        values = numbered_values(cast("dict[str, Any]", interaction.data))
        filling = Filling(match["id"], int(match["page"]), match["mark"], values)
        submitted = await bot.services.settings.submit(
            str(interaction.guild_id), str(interaction.user.id), filling, _present(interaction)
        )
        await show(interaction, _problems(submitted) if submitted.problems else _saved(submitted))

    await privately(interaction, work, update=match["how"] == "next")


def _modal(form: OpenForm, how: How) -> discord.ui.Modal:
    return modal(form.page, f"s:{how}{form.page.number}:{form.mark}:{form.installation_id}")


def _present(interaction: discord.Interaction[Any]) -> Present:
    """What the server has now; only called for its owner, so the server is known."""
    guild = interaction.guild
    assert guild is not None
    channels = frozenset(str(channel.id) for channel in guild.channels)
    return Present(channels, frozenset(str(role.id) for role in guild.roles))


def _saved(submitted: Submitted) -> Reply:
    """What holds now for the settings of the page, what is still missing, and the way to the other pages."""
    installed, values = submitted.installed, submitted.installed.settings
    lines = [
        f"**{escape(clamp(label_of(setting), 100))}**: {value_in_words(setting, values.get(setting.key))}"
        for setting in submitted.pages[submitted.number]
    ]
    missing = installed.missing_settings
    if missing:
        lines.append(f"⚠️ Nothing of it can be used before you fill in {labels_in_words(missing)}.")
    return Reply(
        embed=Embed(title=_title("Saved: settings of", submitted), description=pages(lines, _DESCRIPTION)[0]),
        buttons=tuple(
            Button(
                f"s:open{number}:{installed.row.id}",
                f"Page {number + 1} of {len(submitted.pages)}",
                "primary" if any(setting in missing for setting in page) else "secondary",
            )
            for number, page in enumerate(submitted.pages)
            if number != submitted.number
        ),
    )


def _problems(submitted: Submitted) -> Reply:
    lines = ["Nothing was changed. What you filled in is kept for fifteen minutes."]
    lines += [f"• {problem}" for problem in submitted.problems]
    return Reply(
        embed=Embed(
            title=_title("This does not fit yet: settings of", submitted),
            description=pages(lines, _DESCRIPTION)[0],
        ),
        buttons=(Button(f"s:again:{submitted.draft_id}", "Correct it", "primary"),),
    )


def _title(what: str, submitted: Submitted) -> str:
    count = len(submitted.pages)
    which = "" if count == 1 else f" ({submitted.number + 1} of {count})"
    return f"{what} {escaped_line(submitted.installed.name)}{which}"


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded, after `cogs.owner`."""
    await bot.add_cog(OwnerSettings(bot))
    bot.add_dynamic_items(SettingsButton)
    bot.add_form(_SUBMIT, _submit)
    tricks_group(bot).add_command(
        app_commands.Command(
            name="settings", description="Fill in the settings of a trick", callback=settings
        )
    )
