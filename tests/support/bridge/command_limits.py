"""Discord's rules for application commands, with its error trees (interactions/application-commands)."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

Tree: TypeAlias = "dict[str, Any]"
Node: TypeAlias = "Mapping[str, Any]"

CHAT_INPUT, USER, MESSAGE = 1, 2, 3
LIMITS = {CHAT_INPUT: 100, USER: 15, MESSAGE: 15}
SUBCOMMANDS = (1, 2)
STRING, INTEGER, CHANNEL, NUMBER = 3, 4, 7, 10
WITH_CHOICES = (STRING, INTEGER, NUMBER)
WITH_RANGE = (INTEGER, NUMBER)
LARGEST = 2**53
LENGTHS = {"min_length": (0, 6000), "max_length": (1, 6000)}


def count_problem(commands: Sequence[Node]) -> str | None:
    """Why there are too many commands in one scope (code 30032)."""
    for kind, limit in LIMITS.items():
        if sum(command.get("type", CHAT_INPUT) == kind for command in commands) > limit:
            return f"Maximum number of application commands reached ({limit})"
    return None


def bulk_command_errors(commands: Sequence[Node]) -> Tree:
    """The `errors` of a bulk write: index of the command, then path, then `_errors`. Empty: all is right."""
    tree: Tree = {}
    seen: set[tuple[Any, Any]] = set()
    for index, command in enumerate(commands):
        found = command_errors(command)
        key = (command.get("name"), command.get("type", CHAT_INPUT))
        if key in seen:
            _add(
                found,
                "name",
                "APPLICATION_COMMANDS_DUPLICATE_NAME",
                "Application command names must be unique",
            )
        seen.add(key)
        if found:
            tree[str(index)] = found
    return tree


def command_errors(command: Node) -> Tree:
    """The errors of one command."""
    tree: Tree = {}
    if command.get("type", CHAT_INPUT) != CHAT_INPUT:
        _check_length(tree, command, "name", 1, 32)
        if command.get("description"):
            _add(
                tree,
                "description",
                "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_NOT_ALLOWED",
                "Not allowed.",
            )
        return tree
    _check_texts(tree, command)
    _check_options(tree, command)
    if _size(command) > 8000:
        _add(tree, None, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)")
    return tree


def _check_texts(tree: Tree, node: Node) -> None:
    _check_length(tree, node, "name", 1, 32)
    name = str(node.get("name") or "")
    if "name" not in tree and (name != name.lower() or not all(map(_allowed_in_names, name))):
        _add(tree, "name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    _check_length(tree, node, "description", 1, 100)


def _allowed_in_names(char: str) -> bool:
    script = "\u0900" <= char <= "\u097f" or "\u0e00" <= char <= "\u0e7f"  # Devanagari and Thai marks
    return char in "-_'" or script or unicodedata.category(char)[0] in "LN"


def _check_options(tree: Tree, node: Node) -> None:
    options: Sequence[Node] = node.get("options") or []
    children: Tree = {}
    if len(options) > 25:
        _add(children, None, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    names: set[Any] = set()
    optional_seen = False
    for index, option in enumerate(options):
        found = _option_errors(option)
        if option.get("name") in names:
            _add(
                found,
                "name",
                "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS",
                "Option name already exists in these options",
            )
        names.add(option.get("name"))
        if option.get("required") and optional_seen:
            _add(
                found,
                None,
                "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
                "Required options must be placed before non-required options",
            )
        optional_seen |= not option.get("required")
        if found:
            children[str(index)] = found
    if children:
        tree["options"] = children


def _option_errors(option: Node) -> Tree:
    tree: Tree = {}
    kind = option.get("type")
    if kind not in range(1, 12):
        _add(tree, "type", "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11).")
        return tree
    _check_texts(tree, option)
    if kind in SUBCOMMANDS:
        _check_options(tree, option)
        return tree
    _check_choices(tree, option)
    allowed = {
        "min_value": WITH_RANGE,
        "max_value": WITH_RANGE,
        "min_length": (STRING,),
        "max_length": (STRING,),
        "channel_types": (CHANNEL,),
        "autocomplete": WITH_CHOICES,
    }
    for key, kinds in allowed.items():
        if option.get(key) and kind not in kinds:
            _add(tree, key, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", f"Not allowed for option type {kind}")
    _check_bounds(tree, option)
    return tree


def _check_choices(tree: Tree, option: Node) -> None:
    choices: Sequence[Node] = option.get("choices") or []
    if not choices:
        return
    found: Tree = {}
    if option["type"] not in WITH_CHOICES or option.get("autocomplete"):
        _add(found, None, "APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID", "Choices are not allowed here")
    if len(choices) > 25:
        _add(found, None, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    names: set[Any] = set()
    for index, choice in enumerate(choices):
        one: Tree = {}
        _check_length(one, choice, "name", 1, 100)
        if choice.get("name") in names:
            _add(one, "name", "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS", "Name already exists")
        names.add(choice.get("name"))
        if not _fits(option["type"], choice.get("value")):
            _add(one, "value", "APPLICATION_COMMAND_OPTIONS_CHOICE_VALUE_INVALID", "Value is invalid")
        if one:
            found[str(index)] = one
    if found:
        tree["choices"] = found


def _fits(kind: int, value: Any) -> bool:
    if kind == STRING:
        return isinstance(value, str) and len(value) <= 100
    if isinstance(value, bool) or not isinstance(value, int if kind == INTEGER else int | float):
        return False
    return abs(value) <= LARGEST - (kind == INTEGER)


def _check_bounds(tree: Tree, option: Node) -> None:
    for low, high in (("min_value", "max_value"), ("min_length", "max_length")):
        given = {key: option[key] for key in (low, high) if option.get(key) is not None}
        for key, value in given.items():
            if not _fits(NUMBER, value):
                _add(tree, key, "NUMBER_TYPE_COERCE", "Value is not a number that Discord takes.")
            elif key in LENGTHS and value < LENGTHS[key][0]:
                _add(tree, key, "NUMBER_TYPE_MIN", f"Must be at least {LENGTHS[key][0]}.")
            elif key in LENGTHS and value > LENGTHS[key][1]:
                _add(tree, key, "NUMBER_TYPE_MAX", f"Must be at most {LENGTHS[key][1]}.")
        if len(given) == 2 and given[low] > given[high]:
            _add(tree, low, "APPLICATION_COMMAND_OPTIONS_RANGE_INVALID", "Minimum is greater than maximum")


def _check_length(tree: Tree, node: Node, key: str, least: int, most: int) -> None:
    text = node.get(key)
    if not isinstance(text, str) or not text:
        _add(tree, key, "BASE_TYPE_REQUIRED", "This field is required")
    elif not least <= len(text) <= most:
        _add(tree, key, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")


def _size(node: Node) -> int:
    own = sum(_longest(node, key) for key in ("name", "description"))
    value = node.get("value")
    own += len(value) if isinstance(value, str) else 0
    inner: Iterable[Node] = [*(node.get("options") or []), *(node.get("choices") or [])]
    return own + sum(map(_size, inner))


def _longest(node: Node, key: str) -> int:
    translations: Mapping[str, str] = node.get(f"{key}_localizations") or {}
    return max(map(len, [str(node.get(key) or ""), *translations.values()]))


def _add(tree: Tree, key: str | None, code: str, message: str) -> None:
    place = tree if key is None else tree.setdefault(key, {})
    place.setdefault("_errors", []).append({"code": code, "message": message})
