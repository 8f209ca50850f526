"""When a write asks, row by row as the promises have it, against an oracle that shares nothing with it."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.policy.audiences import Asker, Audience, AudienceKind
from bot.policy.provenance import Source, SourceKind, outside_sources
from bot.policy.writes import Situation, Verdict, decide

HERE, ELSEWHERE = "installation-here", "installation-elsewhere"
ROLE = "55"
AUDIENCES = {kind: Audience(kind, frozenset({ROLE})) for kind in get_args(AudienceKind)}

NOBODY_SPECIAL = Asker("1", "9", is_owner=False, manage_server=False, role_ids=frozenset())
WITH_ROLE = Asker("2", "9", is_owner=False, manage_server=False, role_ids=frozenset({ROLE, "56"}))
MANAGER = Asker("3", "9", is_owner=False, manage_server=True, role_ids=frozenset())
OWNER = Asker("4", "9", is_owner=True, manage_server=True, role_ids=frozenset())
GONE = "5"
MEMBERS: Mapping[str, Asker | None] = {
    **{each.member_id: each for each in (NOBODY_SPECIAL, WITH_ROLE, MANAGER, OWNER)},
    GONE: None,
}
INSIDE: Mapping[AudienceKind, frozenset[str]] = {
    "everyone": frozenset({"1", "2", "3", "4"}),
    "roles": frozenset({"2", "4"}),
    "manage_server": frozenset({"3", "4"}),
    "owner": frozenset({"4"}),
}


def by_the_page(situation: Situation) -> Verdict:
    """The first row that applies, in the page's order."""
    rows: tuple[tuple[bool, Verdict], ...] = (
        (situation.automatic_continuation, "no_tools"),
        (situation.read_only, "run"),
        (situation.writes_stopped, "refuse"),
        (situation.always_ask, "card_only"),
        (situation.web_search, "card_only"),
        (situation.audience == AUDIENCES["everyone"], "run"),
        (situation.outside and situation.consented, "review"),
        (situation.outside, "card"),
        (True, "run"),
    )
    return next(verdict for applies, verdict in rows if applies)


def test_every_situation_there_is_gets_what_the_page_says() -> None:
    flags = itertools.product((False, True), repeat=7)
    seen: set[Verdict] = set()
    for (kind, audience), (read, ask, outside, agreed, alone, stopped, web) in itertools.product(
        AUDIENCES.items(), flags
    ):
        situation = Situation(read, ask, audience, outside, agreed, alone, stopped, web)
        assert decide(situation) == by_the_page(situation), (kind, situation)
        seen.add(decide(situation))
    assert seen == set(get_args(Verdict))


@pytest.mark.parametrize(
    ("source", "outside"),
    [
        (Source(kind="asker", author_id="1"), False),
        (Source(kind="summaries"), False),
        (Source(kind="definitions", author_id=HERE), False),
        (Source(kind="definitions", author_id=ELSEWHERE), True),
        (Source(kind="definitions"), True),
        (Source(kind="tool_output", author_id=HERE), True),
        (Source(kind="tool_output", author_id=ELSEWHERE), True),
        (Source(kind="bot_reply"), True),
        (Source(kind="bot_reply", author_id=HERE), True),
        (Source(kind="guidance", author_id=OWNER.member_id), True),
        (Source(kind="web_page"), True),
        (Source(kind="other", author_id=OWNER.member_id), True),
        (Source(kind="unknown"), True),
        (Source(kind="unknown", author_id=HERE), True),
        (Source(kind="member"), True),
        (Source(kind="member", author_id=GONE), True),
        (Source(kind="member", author_id="somebody never heard of"), True),
    ],
)
@pytest.mark.parametrize("kind", get_args(AudienceKind))
def test_every_row_of_where_text_is_from(source: Source, outside: bool, kind: AudienceKind) -> None:
    found = outside_sources([source], installation_id=HERE, audience=AUDIENCES[kind], members=MEMBERS)
    assert found == ((source,) if outside else ())


@pytest.mark.parametrize("kind", get_args(AudienceKind))
@pytest.mark.parametrize("author", ["1", "2", "3", "4"])
def test_another_member_is_outside_unless_the_access_rule_admits_them(
    kind: AudienceKind, author: str
) -> None:
    source = Source(kind="member", author_id=author)
    found = outside_sources([source], installation_id=HERE, audience=AUDIENCES[kind], members=MEMBERS)
    assert bool(found) == (author not in INSIDE[kind])


# ---- No sequence of texts and answers lets a write run that the page forbids ----

AUTHORS = st.sampled_from([HERE, ELSEWHERE, "", *MEMBERS, "never heard of"])
SOURCES = st.builds(Source, kind=st.sampled_from(get_args(SourceKind)), author_id=AUTHORS)


@dataclass(frozen=True)
class Write:
    """The model writes a call; should it be asked about, `answer` is what happens to the card."""

    audience: AudienceKind
    always_ask: bool
    answer: str
    reviews: tuple[bool, bool]


WRITES = st.builds(
    Write,
    audience=st.sampled_from(get_args(AudienceKind)),
    always_ask=st.booleans(),
    answer=st.sampled_from(["do", "auto", "dont", "nothing"]),
    reviews=st.tuples(st.booleans(), st.booleans()),
)


@dataclass
class Request:
    """A request as it is run by the program's two functions."""

    consented: bool = False
    stopped: bool = False
    context: list[Source] = field(default_factory=list[Source])

    def write(self, wanted: Write) -> bool:
        """Whether it ran."""
        audience = AUDIENCES[wanted.audience]
        outside = outside_sources(self.context, installation_id=HERE, audience=audience, members=MEMBERS)
        verdict = decide(
            Situation(
                read_only=False,
                always_ask=wanted.always_ask,
                audience=audience,
                outside=bool(outside),
                consented=self.consented,
                writes_stopped=self.stopped,
            )
        )
        if verdict == "run" or (verdict == "review" and all(wanted.reviews)):
            return True
        if verdict == "refuse":
            return False
        assert verdict in ("card", "card_only", "review")
        self.consented |= wanted.answer == "auto" and verdict != "card_only"
        self.stopped |= wanted.answer in ("dont", "nothing")
        return wanted.answer == "do" or (wanted.answer == "auto" and verdict != "card_only")


def is_foreign(source: Source, audience: AudienceKind) -> bool:
    """The page's list of what is outside, and of what is not, read once more."""
    harmless = {("summaries", source.author_id), ("asker", source.author_id), ("definitions", HERE)}
    insiders = {("member", each) for each in INSIDE[audience]}
    return (source.kind, source.author_id) not in harmless | insiders


@given(st.lists(SOURCES | WRITES, max_size=12), st.booleans())
def test_no_sequence_of_texts_and_answers_runs_a_forbidden_write(
    steps: list[Source | Write], consented: bool
) -> None:
    request = Request(consented=consented)
    said_no = agreed = False
    read: list[Source] = []
    for step in steps:
        if isinstance(step, Source):
            read.append(step)
            request.context.append(step)
            continue
        steered = any(is_foreign(each, step.audience) for each in read)
        free = not step.always_ask and (step.audience == "everyone" or not steered)
        reviewed = not step.always_ask and (consented or agreed) and step.reviews == (True, True)
        pressed = step.answer == "do" or (step.answer == "auto" and not step.always_ask)
        ran = request.write(step)
        assert ran == (not said_no and (free or reviewed or pressed))
        if not said_no and not free and not reviewed:
            said_no = not pressed and step.answer in ("dont", "nothing")
            agreed |= step.answer == "auto" and not step.always_ask


def test_a_read_asked_for_in_the_same_message_has_not_steered_its_write() -> None:
    """The context is judged as it was when the model wrote, so the write of one message comes before its reads."""
    request = Request()
    together = Write("owner", always_ask=False, answer="dont", reviews=(False, False))
    assert request.write(together)
    request.context.append(Source(kind="tool_output", author_id=HERE))
    assert not request.write(together)
