"""The form of a trick's settings: what each page of it shows, and how what was filled in is read.

The fields of a page are numbered from "0", and so are the choices of a select. A mark goes with each form, so that
what was filled in is never read by other settings than those that were shown.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.errors import SettingsChanged
from bot.manifest import Setting, is_blank, setting_problem
from bot.outbound import FormField, FormOption, FormPage
from bot.strict_json import Json, canonical
from bot.text import clamp, escape, legible, one_line, printable
from bot.tricks.setting_words import label_of
from bot.typed import number

PAGE_FIELDS: Final = 5
_TITLE: Final = 45
_LABEL: Final = 45
_HINT: Final = 100
_SAID_LABEL: Final = 100
_NUMBER_LENGTH: Final = 50
_MOST_PICKED: Final = 25
_GONE: Final = "⚠️ What was chosen is gone from the server."

Filled = str | Sequence[str]
"""The text of a text input, or what was picked: the positions of choices, or ids."""


@dataclass(frozen=True, slots=True)
class Present:
    """The channels and roles that the server has now."""

    channel_ids: frozenset[str]
    role_ids: frozenset[str]

    def of(self, setting: Setting) -> frozenset[str]:
        """Those of the setting's kind."""
        return self.channel_ids if setting.type in ("channel", "channels") else self.role_ids


def setting_pages(settings: Sequence[Setting]) -> tuple[tuple[Setting, ...], ...]:
    """The settings in the manifest's order, five to a page."""
    return tuple(tuple(settings[at : at + PAGE_FIELDS]) for at in range(0, len(settings), PAGE_FIELDS))


def page_of(settings: Sequence[Setting], page: int) -> tuple[Setting, ...]:
    """The settings of one page, counted from 0. Raises `SettingsChanged` when there is no such page."""
    pages = setting_pages(settings)
    if not 0 <= page < len(pages):
        raise SettingsChanged
    return pages[page]


def mark_of(settings: Sequence[Setting]) -> str:
    """16 hexadecimal digits, the same for the same settings in the same order."""
    parts: list[Json] = [setting.model_dump() for setting in settings]
    return hashlib.sha256(canonical(parts)).hexdigest()[:16]


def form_page(
    trick_name: str,
    settings: Sequence[Setting],
    page: int,
    values: Mapping[str, Json],
    present: Present,
    typed: Mapping[str, Filled] | None = None,
) -> FormPage:
    """One page with the values that hold now, or else with what was `typed` before, by the settings' keys.

    Channels and roles that are gone are not chosen, and the field says so. Raises `SettingsChanged` when there
    is no such page.
    """
    count = len(setting_pages(settings))
    which = "" if count == 1 else f" ({page + 1} of {count})"
    title = clamp(f"Settings of {one_line(trick_name)}", _TITLE - len(which)) + which
    fields = tuple(
        _field(setting, _kept(setting, typed) if typed is not None else _shown(setting, values), present)
        for setting in page_of(settings, page)
    )
    return FormPage(title, page, count, fields)


def read_page(
    settings: Sequence[Setting], filled: Mapping[str, Filled], present: Present
) -> tuple[dict[str, Json], tuple[str, ...]]:
    """What was filled in for the settings of one page, by their keys, and a sentence for each problem.

    None stands for what was left empty, which has the trick's default then.
    """
    values: dict[str, Json] = {}
    problems: list[str] = []
    for at, setting in enumerate(settings):
        try:
            values[setting.key] = _read(setting, filled.get(str(at), ()), present)
        except ValueError as problem:
            problems.append(f"**{escape(clamp(label_of(setting), _SAID_LABEL))}** {problem}")
    return values, tuple(problems)


def typed_of(settings: Sequence[Setting], filled: Mapping[str, Filled]) -> dict[str, Json]:
    """What was filled in for the settings of one page, by their keys and as it stands, to be filled in again."""
    typed = ((setting.key, filled.get(str(at), ())) for at, setting in enumerate(settings))
    return {key: given if isinstance(given, str) else list(given) for key, given in typed}


def _shown(setting: Setting, values: Mapping[str, Json]) -> tuple[str, ...]:
    """The value as a form has it: a text, or what is picked."""
    match values.get(setting.key):
        case None:
            return ()
        case bool(value):
            return ("0" if value else "1",)
        case list(ids):
            return tuple(str(id) for id in ids)
        case value if setting.type == "select":
            return tuple(str(at) for at, option in enumerate(setting.options) if option.value == value)
        case value:
            return (str(value),)


def _kept(setting: Setting, typed: Mapping[str, Filled]) -> tuple[str, ...]:
    given = typed.get(setting.key, ())
    return (given,) if isinstance(given, str) else tuple(given)


def _field(setting: Setting, shown: Sequence[str], present: Present) -> FormField:
    required = setting.required and is_blank(setting.default)
    hint = one_line(legible(setting.description))
    match setting.type:
        case "boolean" | "select":
            return _select(setting, shown, hint, required)
        case "channel" | "channels" | "role" | "roles":
            return _picker(setting, shown, hint, required, present)
        case "text" | "long_text" | "number":
            return _text(setting, shown, hint, required)


def _text(setting: Setting, shown: Sequence[str], hint: str, required: bool) -> FormField:
    is_number = setting.type == "number"
    most = _NUMBER_LENGTH if is_number else setting.length_limit
    return FormField(
        name=setting.key,
        label=clamp(label_of(setting), _LABEL),
        description=clamp(hint, _HINT),
        control="paragraph" if setting.type == "long_text" else "line",
        required=required,
        least=1 if required else 0,
        most=most,
        value=clamp(printable("\n".join(shown)), most),  # what did not fit may be what no field can hold
        placeholder=_range(setting) if is_number else "",
    )


def _select(setting: Setting, shown: Sequence[str], hint: str, required: bool) -> FormField:
    labels = ["Yes", "No"] if setting.type == "boolean" else [option.label for option in setting.options]
    return FormField(
        name=setting.key,
        label=clamp(label_of(setting), _LABEL),
        description=clamp(hint, _HINT),
        control="select",
        required=required,
        least=1 if required else 0,
        most=1,
        placeholder="Pick one",
        options=tuple(
            FormOption(str(at), clamp(one_line(legible(label)) or "–", 100), str(at) in shown[:1])
            for at, label in enumerate(labels)
        ),
    )


def _picker(setting: Setting, shown: Sequence[str], hint: str, required: bool, present: Present) -> FormField:
    several = setting.type in ("channels", "roles")
    most = _MOST_PICKED if several else 1
    picked = tuple(id for id in dict.fromkeys(shown) if id in present.of(setting))
    if not present.of(setting).issuperset(shown):
        hint = f"{_GONE} {hint}".strip()
    of_channels = setting.type in ("channel", "channels")
    return FormField(
        name=setting.key,
        label=clamp(label_of(setting), _LABEL),
        description=clamp(hint, _HINT),
        control="channels" if of_channels else "roles",
        required=required,
        least=1 if required else 0,
        most=most,
        placeholder=("Pick channels" if several else "Pick a channel")
        if of_channels
        else ("Pick roles" if several else "Pick a role"),
        picked=picked[:most],
    )


def _range(setting: Setting) -> str:
    least = "" if setting.min is None else f" from {setting.min}"
    most = "" if setting.max is None else f" up to {setting.max}"
    return clamp(f"A number{least}{most}", _HINT)


def _read(setting: Setting, given: Filled, present: Present) -> Json:
    """The value, None for none. Raises `ValueError` with what completes the sentence that the label begins."""
    texts = [given] if isinstance(given, str) else list(dict.fromkeys(given))
    value = _value(setting, [text for text in texts if text.strip()], present)
    if is_blank(value):
        if setting.required and is_blank(setting.default):
            raise ValueError("is missing.")
        return None
    problem = setting_problem(setting, value)
    if problem is not None:
        raise ValueError(problem[0].lower() + problem[1:])
    return value


def _value(setting: Setting, texts: Sequence[str], present: Present) -> Json:
    if not texts:
        return None
    match setting.type:
        case "text" | "long_text":
            return texts[0].replace("\r\n", "\n").strip()
        case "number":
            found = number(texts[0])
            if found is None:
                raise ValueError("has to be a number, like 3 or 2.5.")
            return found
        case "boolean":
            return _choice({"0": True, "1": False}, texts)
        case "select":
            return _choice({str(at): option.value for at, option in enumerate(setting.options)}, texts)
        case "channel" | "channels" | "role" | "roles":
            if not present.of(setting).issuperset(texts):
                raise ValueError("has something chosen that is gone from the server. Choose again.")
            return texts[0] if setting.type in ("channel", "role") else list[Json](texts)


def _choice(choices: Mapping[str, str | bool], texts: Sequence[str]) -> Json:
    if len(texts) > 1 or texts[0] not in choices:
        raise ValueError("has to be one of the choices.")
    return choices[texts[0]]
