"""`/tricks log`: what went wrong with a trick of late, and what to do about it."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import discord
from discord import app_commands

from bot.app import Kennel
from bot.outbound import Button, Embed, EmbedField, Reply
from bot.text import clamp, code_block, escape, escaped_line, length, one_line, visible
from bot.tricks.installed import Installed
from bot.tricks.log import KEPT, Failure
from cogs.durable import DurableButton
from cogs.owner_panels import said
from cogs.owner_room import TRICK, as_owner, tricks_group, tricks_here

PER_PAGE = 5
"""Five fields of full length are what one embed holds."""
_VALUE = 1_024
_SAID = 1_008
_ORIGINS: Mapping[str, str] = {
    "slash": "Slash command",
    "prefix": "Typed command",
    "button": "Button",
    "assistant": "Conversation",
    "event": "Event",
}
_EVENTS: Mapping[str, str] = {"member.joined": "somebody joined", "member.left": "somebody left"}


@app_commands.describe(trick=TRICK)
@app_commands.autocomplete(trick=tricks_here)
async def log(interaction: discord.Interaction[Kennel], trick: str) -> None:
    """Show the newest failures."""
    await _show_page(interaction, trick, 0)


class LogButton(
    DurableButton,
    template=r"l:(?P<page>\d):(?P<trick>[a-z0-9_]{1,48})",
):
    """Turns to another page of the log, read anew."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Check the owner once more, and turn."""
        await _show_page(interaction, self.parts["trick"], int(self.parts["page"]))


async def _show_page(interaction: discord.Interaction[Any], trick: str, page: int) -> None:
    bot = cast("Kennel", interaction.client)

    async def work(guild_id: str, _: str) -> Reply:
        return log_panel(*await bot.services.log.of(guild_id, trick), page)

    await as_owner(interaction, work)


def log_panel(installed: Installed, failures: Sequence[Failure], page: int = 0) -> Reply:
    """One page of the log, newest first; pages are counted from 0, and one too many is the last."""
    name = escaped_line(installed.name)
    if not failures:
        return said(f"Log of {name}", f"Nothing is known to have failed at **{name}**.")
    count = -(-len(failures) // PER_PAGE)
    page = min(page, count - 1)
    shown = failures[page * PER_PAGE : (page + 1) * PER_PAGE]
    trick_id = installed.row.trick_id
    turns = ((page - 1, "Newer"), (page + 1, "Older"))
    footer = f"Page {page + 1} of {count}. Inputs and results are never shown here."
    if len(failures) == KEPT:
        footer = f"Page {page + 1} of {count}, the newest {KEPT}. Inputs and results are never shown here."
    return Reply(
        embed=Embed(
            title=f"Log of {name}",
            fields=tuple(EmbedField(_heading(each), _entry(each)) for each in shown),
            footer=footer,
        ),
        buttons=tuple(Button(f"l:{to}:{trick_id}", label) for to, label in turns if 0 <= to < count),
    )


def _heading(failure: Failure) -> str:
    what = _EVENTS.get(failure.what, failure.what) if failure.origin == "event" else failure.what
    return f"{_ORIGINS[failure.origin]}: {escape(what)}"


def _entry(failure: Failure) -> str:
    what = "delivery" if failure.origin == "event" else "call"
    seconds = failure.at // 1000
    took = "" if failure.took is None else f", after {_span(failure.took)}"
    lines = [
        f"<t:{seconds}:f> (<t:{seconds}:R>){took}, {what} `{failure.id}`",
        f"{_fate(failure)} {failure.failure}".rstrip(),
        failure.advice,
    ]
    text = clamp("\n".join(line for line in lines if line), _VALUE)
    return text + _quoted(failure.said, _VALUE - length(text))


def _span(milliseconds: int) -> str:
    return f"{milliseconds} ms" if milliseconds < 100 else f"{milliseconds / 1000:.1f} s"


def _quoted(words: str, room: int) -> str:
    """What the trick said, as a code block, which nothing in it leaves; empty where there is nothing or no room."""
    heading = "\nIt said:\n"
    room = min(room - len(heading), _SAID)
    if not one_line(words) or room < 40:
        return ""
    return heading + code_block(visible(words.replace("\r\n", "\n")), room)


def _fate(failure: Failure) -> str:
    tries = f"{failure.attempts} {'try' if failure.attempts == 1 else 'tries'}"
    match failure.fate:
        case "failed":
            return "**Failed.**"
        case "unknown":
            return "**Unknown whether it happened.**"
        case "given_up":
            return f"**Given up** after {tries}."
        case "retrying":
            again = f", the next <t:{failure.next_at // 1000}:R>" if failure.next_at is not None else ""
            return f"**Not delivered yet:** {tries} so far{again}."


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    tricks_group(bot).add_command(
        app_commands.Command(name="log", description="Show what failed lately, and what to do", callback=log)
    )
    bot.add_dynamic_items(LogButton)
