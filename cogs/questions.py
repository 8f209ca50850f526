"""A question's buttons and its form. What they answer is the desk's; here is only who pressed and what was typed.

A form cannot follow another form, so between two pages stands a button.
"""

import re
from typing import Any, Literal, cast

import discord

from bot.app import Kennel
from bot.outbound import Button, Reply
from bot.tasks.question_desk import FormOutcome
from cogs.durable import DurableButton
from cogs.forms import modal, open_form, values_of
from cogs.private_answers import privately, show
from cogs.rendering import pages

_SUBMIT = re.compile(r"q:page(?P<page>\d):(?P<key>[A-Za-z0-9_-]{16})")


class QuestionButton(
    DurableButton,
    template=r"q:(?P<what>c\d{1,2}|skip|form\d?):(?P<key>[A-Za-z0-9_-]{16})",
):
    """Any button of any question, in whichever process and after any restart.

    `what` is the choice with its position, Skip, or the form with its page, both counted from 0.
    """

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Answer with the choice, decline, or open the form."""
        if self.parts["what"].startswith("form"):
            await open_form(interaction, lambda bot: self._form(bot, interaction))
        else:
            await privately(interaction, lambda bot: self._answer(bot, interaction))

    async def _form(self, bot: Kennel, interaction: discord.Interaction[Any]) -> discord.ui.Modal:
        page = int(self.parts["what"].removeprefix("form") or 0)
        form = await bot.services.questions.form(self.parts["key"], str(interaction.user.id), page)
        return modal(form, f"q:page{page}:{self.parts['key']}")

    async def _answer(self, bot: Kennel, interaction: discord.Interaction[Any]) -> None:
        choice: int | Literal["skip"] = (
            "skip" if self.parts["what"] == "skip" else int(self.parts["what"][1:])
        )
        closed = await bot.services.questions.press(self.parts["key"], choice, str(interaction.user.id))
        await show(interaction, closed)


async def _submit(interaction: discord.Interaction[Any], match: re.Match[str]) -> None:
    """What is said to a submit takes the place of what was said to the one before, where there is such a message."""
    key, page = match["key"], int(match["page"])
    replaces = interaction.message is not None and interaction.message.flags.ephemeral

    async def work(bot: Kennel) -> None:
        member_id = str(interaction.user.id)
        form = await bot.services.questions.form(key, member_id, page)
        values = values_of(form, cast("dict[str, Any]", interaction.data))
        outcome = await bot.services.questions.submit(key, member_id, page, values)
        await show(interaction, _told(outcome, key))

    await privately(interaction, work, update=replaces)


def _told(outcome: FormOutcome, key: str) -> Reply:
    if outcome.page is None:
        return Reply(content="Thank you, I will pass that on.")
    if not outcome.problems:
        text, label = "That is kept, and there is one more page.", "Next page"
    else:
        lines = ["This does not fit yet; what you filled in is kept.", *(f"• {p}" for p in outcome.problems)]
        text, label = pages(lines)[0], "Correct it"
    return Reply(content=text, buttons=(Button(f"q:form{outcome.page}:{key}", label, "primary"),))


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.add_form(_SUBMIT, _submit)
    bot.add_dynamic_items(QuestionButton)
