from collections.abc import Iterator

import pytest

from bot import errors
from bot.errors import KennelError, TrickFault
from bot.text import length
from bot.tricks.failures import ADVICE, advice


def classes(root: type[KennelError]) -> Iterator[str]:
    """The names of an error and of everything below it."""
    yield root.__name__
    for below in root.__subclasses__():
        yield from classes(below)


@pytest.mark.parametrize("kind", sorted(set(classes(TrickFault))))
def test_every_fault_of_a_trick_comes_with_what_to_do(kind: str) -> None:
    assert advice(kind).endswith(".")


@pytest.mark.parametrize("kind", ["ToolFailed", "NotInCommands", "OutcomeUnknown", "TaskFailed"])
def test_so_does_whatever_else_ends_a_call_as_failed(kind: str) -> None:
    assert advice(kind).endswith(".")


def test_every_kind_is_an_error_that_there_is() -> None:
    assert [kind for kind in ADVICE if not hasattr(errors, kind)] == []


def test_advice_leaves_room_for_the_rest_of_its_line() -> None:
    longest = max(length(advice(kind, unknown=True)) for kind in ADVICE)
    assert longest <= 300


def test_for_a_write_that_may_have_happened_looking_comes_first() -> None:
    told = advice("ConnectionLost", unknown=True)
    assert told.startswith("Look in the trick itself")
    assert told.endswith(advice("ConnectionLost"))
    assert advice("OutcomeUnknown", unknown=True) == advice("OutcomeUnknown") == advice(None, unknown=True)


def test_a_kind_that_nobody_knows_comes_without() -> None:
    assert advice("Marmalade") == advice(None) == ""
