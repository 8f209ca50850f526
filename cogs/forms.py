"""Draws a page of a form as a modal, opens it, and reads what was submitted.

A modal is stopped before it is sent, as a view is (`cogs.messenger`): discord.py then keeps nothing of it, and
a submit is found by the modal's custom id alone, before and after a restart alike. A form is opened with the
first answer to an interaction, so one bounded read comes before it. It cannot follow another form.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import discord

from bot.app import Kennel
from bot.errors import KennelError, Restarting
from bot.outbound import FormField, FormPage
from cogs.errors import lost, say_privately, told
from cogs.messenger import NOT_SENT

FORM_SECONDS = 1.5
"""Discord waits three for the first answer."""

Values = dict[str, str | list[str]]
"""The text of each text input, and what was picked in each select: positions, or the ids of channels and roles."""
Control = (
    discord.ui.TextInput[discord.ui.Modal]
    | discord.ui.Select[discord.ui.Modal]
    | discord.ui.ChannelSelect[discord.ui.Modal]
    | discord.ui.RoleSelect[discord.ui.Modal]
)

_STYLES = {"line": discord.TextStyle.short, "paragraph": discord.TextStyle.paragraph}
_CHANNELS = [
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.voice,
    discord.ChannelType.stage_voice,
    discord.ChannelType.forum,
    discord.ChannelType.media,
    discord.ChannelType.category,
]
"""No threads: nobody is told of one that was archived, so what was chosen could not be shown again."""


async def open_form(
    interaction: discord.Interaction[Any], work: Callable[[Kennel], Awaitable[discord.ui.Modal | str]]
) -> None:
    """Answer a command or a press with the form that `work` gives, or privately with its sentence.

    `work` has 1.5 seconds; what it raises is told to whoever acted. While the process is draining nothing runs.
    """
    bot = cast("Kennel", interaction.client)
    if bot.draining:
        await say_privately(interaction, Restarting().sentence)
        return
    with bot.in_flight():
        try:
            form = await _in_time(work(bot))
        except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, whoever acted is answered
            reply = told(error, interaction_id=str(interaction.id))
            if reply is not None:
                await say_privately(interaction, reply.content)
            return
        if isinstance(form, str):
            await say_privately(interaction, form)
            return
        try:
            await interaction.response.send_modal(form)
        except (*NOT_SENT, discord.InteractionResponded) as failure:
            lost(failure, interaction_id=str(interaction.id))


def modal(page: FormPage, custom_id: str) -> discord.ui.Modal:
    """The page as a modal; its texts have been fitted already.

    Fields are numbered, because their names may be longer than a custom id.
    """
    drawn = discord.ui.Modal(title=page.title, custom_id=custom_id)
    for number, field in enumerate(page.fields):
        control = _control(field, str(number))
        drawn.add_item(
            discord.ui.Label(text=field.label, description=field.description or None, component=control)
        )
    drawn.stop()
    return drawn


def values_of(page: FormPage, data: Mapping[str, Any]) -> Values:
    """What was submitted with a modal of this page; `data` is the interaction's. What is no field is left out."""
    given = numbered_values(data)
    return {field.name: given[str(at)] for at, field in enumerate(page.fields) if str(at) in given}


def numbered_values(data: Mapping[str, Any]) -> Values:
    """What was submitted with a modal, by the numbers of its fields; `data` is the interaction's."""
    return dict(_given(cast("Sequence[Mapping[str, Any]]", data.get("components", ()))))


async def _in_time(work: Awaitable[discord.ui.Modal | str]) -> discord.ui.Modal | str:
    try:
        async with asyncio.timeout(FORM_SECONDS):
            return await work
    except TimeoutError:
        raise KennelError from None


def _given(components: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str | list[str]]]:
    for label in components:
        control = label.get("component", {})
        if "values" in control:
            yield control["custom_id"], [str(value) for value in control["values"]]
        elif "value" in control:
            yield control["custom_id"], str(control["value"])


def _control(field: FormField, custom_id: str) -> Control:
    match field.control:
        case "select":
            return _select(field, custom_id)
        case "channels" | "roles":
            return _picker(field, custom_id)
        case "line" | "paragraph":
            return _text(field, custom_id)


def _text(field: FormField, custom_id: str) -> discord.ui.TextInput[discord.ui.Modal]:
    return discord.ui.TextInput(
        style=_STYLES[field.control],
        custom_id=custom_id,
        required=field.required,
        min_length=field.least or None,
        max_length=field.most,
        default=field.value or None,
        placeholder=field.placeholder or None,
    )


def _select(field: FormField, custom_id: str) -> discord.ui.Select[discord.ui.Modal]:
    options = [
        discord.SelectOption(label=option.label, value=option.position, default=option.picked)
        for option in field.options
    ]
    return discord.ui.Select(
        custom_id=custom_id,
        required=field.required,
        min_values=field.least,
        max_values=field.most,
        options=options,
        placeholder=field.placeholder or None,
    )


def _picker(
    field: FormField, custom_id: str
) -> discord.ui.ChannelSelect[discord.ui.Modal] | discord.ui.RoleSelect[discord.ui.Modal]:
    """Discord lists the server's channels or roles by itself."""
    if field.control == "channels":
        return discord.ui.ChannelSelect(
            custom_id=custom_id,
            channel_types=_CHANNELS,
            required=field.required,
            min_values=field.least,
            max_values=field.most,
            placeholder=field.placeholder or None,
            default_values=_chosen(field, discord.SelectDefaultValueType.channel),
        )
    return discord.ui.RoleSelect(
        custom_id=custom_id,
        required=field.required,
        min_values=field.least,
        max_values=field.most,
        placeholder=field.placeholder or None,
        default_values=_chosen(field, discord.SelectDefaultValueType.role),
    )


def _chosen(field: FormField, kind: discord.SelectDefaultValueType) -> list[discord.SelectDefaultValue]:
    return [discord.SelectDefaultValue(id=int(picked), type=kind) for picked in field.picked]
