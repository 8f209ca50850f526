"""From what pydantic found to sentences of ours with paths like `commands[0].options[1].name`."""

from collections.abc import Mapping, Sequence

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.errors import Problem
from bot.manifest.checking import BROKEN_RULE, Place
from bot.manifest.texts import quoted

MAX_PROBLEMS = 25
WHOLE = "manifest"
"""The path of a problem with the manifest as a whole."""

_HOPELESS = 1_000
_SENTENCES: Mapping[str, str] = {
    "missing": "This field is missing.",
    "extra_forbidden": "There is no such field; leave it out.",
    "string_type": "Must be text.",
    "bool_type": "Must be true or false.",
    "int_type": "Must be a whole number.",
    "tuple_type": "Must be a list.",
    "model_type": "Must be an object.",
    "literal_error": "Must be {expected}.",
    "greater_than_equal": "Must be at least {ge:,}.",
    "less_than_equal": "Must be at most {le:,}.",
    BROKEN_RULE: "{message}",
}


def problems_of(error: ValidationError) -> list[Problem]:
    """Everything in `error`, in the order of the manifest's fields; none of pydantic's words."""
    if error.error_count() > _HOPELESS:
        return [Problem(WHOLE, f"Has more than {_HOPELESS:,} problems, so it is no manifest.")]
    return [_problem(details) for details in error.errors(include_url=False, include_input=False)]


def capped(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """The first of `problems`, without repetitions, and how many more there are."""
    distinct = list(dict.fromkeys(problems))
    more = len(distinct) - MAX_PROBLEMS
    if more <= 0:
        return tuple(distinct)
    rest = Problem(WHOLE, f"Has {more:,} more problem{'s' if more > 1 else ''}.")
    return (*distinct[:MAX_PROBLEMS], rest)


def path_of(place: Place) -> str:
    """`place` as a path; foreign names in it are shortened and every character is visible."""
    path = ""
    for step in place:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f".{quoted(step)}" if path else quoted(step)
    return path or WHOLE


def _problem(details: ErrorDetails) -> Problem:
    sentence = _SENTENCES.get(details["type"], "Cannot be read.")
    return Problem(path_of(details["loc"]), sentence.format_map(details.get("ctx", {})))
