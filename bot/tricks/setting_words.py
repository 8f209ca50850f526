"""What people read of a trick's settings: labels and values, made safe to show."""

from collections.abc import Sequence

from bot.manifest import Setting
from bot.strict_json import Json
from bot.text import clamp, escape, inline_code, legible, length, one_line

_NAMED = 10
_ROOM = 1_100
_LABEL = 100
_VALUE = 150
_IDS = 10


def label_of(setting: Setting) -> str:
    """The label on one line; escaping it is left to the caller."""
    return one_line(legible(setting.label)) or setting.key


def labels_in_words(settings: Sequence[Setting]) -> str:
    """The labels of at least one setting as a list for a sentence of at most about 1,200 characters.

    From the eleventh on they are counted, and so are those that find no room.
    """
    named: list[str] = []
    room = _ROOM
    for setting in settings[:_NAMED]:
        label = f"**{escape(clamp(label_of(setting), _LABEL))}**"
        room -= length(label)
        if named and room < 0:
            break
        named.append(label)
    if len(settings) > len(named):
        named.append(f"{len(settings) - len(named)} more")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def value_in_words(setting: Setting, value: Json) -> str:
    """A value that the setting takes; channels and roles as mentions, None as "–"."""
    match value:
        case None:
            return "–"
        case bool():
            return "Yes" if value else "No"
        case list():
            ids = [_mention(setting, str(id)) for id in value[:_IDS]]
            more = [f"and {len(value) - _IDS} more"] if len(value) > _IDS else []
            return ", ".join((*ids, *more)) or "–"
        case str() if setting.type in ("channel", "role"):
            return _mention(setting, value)
        case str() if setting.type == "select":
            label = next((option.label for option in setting.options if option.value == value), value)
            return inline_code(label, _VALUE)
        case _:
            return inline_code(str(value), _VALUE)


def _mention(setting: Setting, id: str) -> str:
    return f"<#{id}>" if setting.type in ("channel", "channels") else f"<@&{id}>"
