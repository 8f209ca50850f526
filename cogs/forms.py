"""Draws a page of a form as a modal, and reads what was submitted.

A modal is stopped before it is sent, as a view is (`cogs.messenger`): discord.py then keeps nothing of it, and
a submit is found by the modal's custom id alone, before and after a restart alike.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import discord

from bot.tasks.forms import FormField, FormPage

Values = dict[str, str | list[str]]
"""The text of each text input and the positions picked in each select, by the names of the fields."""

_STYLES = {"line": discord.TextStyle.short, "paragraph": discord.TextStyle.paragraph}


def modal(page: FormPage, custom_id: str) -> discord.ui.Modal:
    """The page as a modal; its texts have been fitted already.

    Fields are numbered, because their names may be longer than a custom id.
    """
    drawn = discord.ui.Modal(title=page.title, custom_id=custom_id)
    for number, field in enumerate(page.fields):
        control = _select(field, str(number)) if field.control == "select" else _text(field, str(number))
        drawn.add_item(
            discord.ui.Label(text=field.label, description=field.description or None, component=control)
        )
    drawn.stop()
    return drawn


def values_of(page: FormPage, data: Mapping[str, Any]) -> Values:
    """What was submitted with a modal of this page; `data` is the interaction's. What is no field is left out."""
    given = dict(_given(cast("Sequence[Mapping[str, Any]]", data.get("components", ()))))
    return {field.name: given[str(at)] for at, field in enumerate(page.fields) if str(at) in given}


def _given(components: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str | list[str]]]:
    for label in components:
        control = label.get("component", {})
        if "values" in control:
            yield control["custom_id"], [str(value) for value in control["values"]]
        elif "value" in control:
            yield control["custom_id"], str(control["value"])


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
