"""How one of the bot's own messages is known again, by what stands in it."""

from dataclasses import dataclass

import discord

from bot.outbound import Button, Embed, Reply


@dataclass(frozen=True, slots=True)
class Marks:
    """What tells two messages of the bot's apart; `keys` are the buttons' custom ids."""

    content: str
    title: str
    description: str
    fields: tuple[tuple[str, str], ...]
    keys: frozenset[str]


def marks_of(reply: Reply) -> Marks:
    """The marks that a message of this reply will have."""
    embed = reply.embed or Embed()
    return Marks(
        reply.content.strip(),
        embed.title.strip(),
        embed.description.strip(),
        tuple((field.name.strip(), field.value.strip()) for field in embed.fields),
        frozenset(button.custom_id for button in reply.buttons if isinstance(button, Button)),
    )


def has_marks(message: discord.Message, wanted: Marks) -> bool:
    """Whether it is that message.

    Buttons carry keys that nothing else has, and stay the same where the texts were erased meanwhile.
    """
    found = _marks(message)
    return found.keys == wanted.keys if wanted.keys else found == wanted


def _marks(message: discord.Message) -> Marks:
    embed = message.embeds[0] if message.embeds else discord.Embed()
    rows = (row for row in message.components if isinstance(row, discord.ActionRow))
    buttons = (child for row in rows for child in row.children if isinstance(child, discord.Button))
    return Marks(
        message.content.strip(),
        (embed.title or "").strip(),
        (embed.description or "").strip(),
        tuple(((field.name or "").strip(), (field.value or "").strip()) for field in embed.fields),
        frozenset(button.custom_id for button in buttons if button.custom_id is not None),
    )
