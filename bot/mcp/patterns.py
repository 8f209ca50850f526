"""How much work a regular expression of a JSON Schema may be."""

import re
from typing import Final

MAX_STATES: Final = 5_000

_TOKEN = re.compile(
    r"""
      (?P<atom> \\. | \[ (?: \\. | [^\]\\] )* \] )
    | (?P<open> \( )
    | (?P<close> \) )
    | \{ (?P<least> [0-9]+ ) (?: , (?P<most> [0-9]* ) )? \}
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)


def pattern_states(pattern: str) -> int:
    """About how many states a matching machine for `pattern` has: its atoms, times their counted repetitions.

    The time of a match grows with this number times the length of the text.
    """
    groups = [0]
    last = 0
    for token in _TOKEN.finditer(pattern):
        if token["open"]:
            groups.append(0)
        elif token["close"]:
            last = groups.pop() if len(groups) > 1 else 0
            groups[-1] += last
        elif token["least"]:
            times = int((token["most"] or token["least"])[:6])
            groups[-1] += last * max(0, times - 1)
            last *= times
        elif token["atom"] or token["other"]:
            last = 1
            groups[-1] += 1
    return sum(groups)
