"""When a write asks: one decision, in one order."""

from dataclasses import dataclass
from typing import Literal

from bot.policy.audiences import Audience

Verdict = Literal[
    "no_tools",  # an automatic continuation: nothing may be called
    "run",
    "refuse",  # the request's writes were stopped
    "card",  # ask, with Auto-review
    "card_only",  # ask, without Auto-review
    "review",  # two model calls; where either doubts, the card
]


@dataclass(frozen=True, slots=True)
class Situation:
    """All that the decision depends on.

    `outside` says whether the context held an outside source, or one of unknown origin, when the model wrote
    the call; `consented` whether the asker agreed to automatic review of exactly this definition.
    """

    read_only: bool
    always_ask: bool
    audience: Audience
    outside: bool
    consented: bool
    automatic_continuation: bool = False
    writes_stopped: bool = False
    web_search: bool = False


def decide(situation: Situation) -> Verdict:
    """What happens to a call that the model wrote."""
    if situation.automatic_continuation:
        return "no_tools"
    if situation.read_only:
        return "run"
    if situation.writes_stopped:
        return "refuse"
    if situation.always_ask or situation.web_search:
        return "card_only"
    if situation.audience.kind == "everyone" or not situation.outside:
        return "run"
    return "review" if situation.consented else "card"
