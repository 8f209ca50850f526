"""One line for each figure: what was measured, what it has to be, and whether it is."""

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Figure:
    """A measured `value` with its `target`; `at_least` says on which side of it `value` has to be."""

    name: str
    value: float
    target: float
    at_least: bool
    unit: str = "×"

    @property
    def ok(self) -> bool:
        """Whether the target is met."""
        return self.value >= self.target if self.at_least else self.value <= self.target

    def line(self) -> str:
        """The figure as it is printed."""
        bound = "at least" if self.at_least else "at most"
        verdict = "ok" if self.ok else "short"
        return f"{self.name:<58} {self.value:9.2f} {self.unit:<4} {bound} {self.target:g} {self.unit:<4} {verdict}"


def ratio(ours: list[float], theirs: list[float]) -> float:
    """The median of the ratios of rounds that were run in turn."""
    return median(one / other for one, other in zip(ours, theirs, strict=True))
