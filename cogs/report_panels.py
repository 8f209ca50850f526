"""What an owner sees of a test: each step, what is wrong, and what comes next."""

from collections.abc import Iterable

from bot.outbound import Reply
from bot.text import escaped_line, inline_code
from bot.tricks.challenge import TestReport
from bot.tricks.installed import Installed
from cogs.owner_panels import STATES, listed, said

_STEPS = 3_600
"""Units of what was found; the rest of a message is for what to do about it."""


def _report_lines(report: TestReport) -> list[str]:
    """A test's steps, problems and notes, a line each."""
    lines: list[str] = []
    for step in report.steps:
        mark = "✅" if step.problem is None else "❌"
        lines.append(
            f"{mark} {step.name} ({step.seconds:.1f} s)" + (f": {step.problem}" if step.problem else "")
        )
    if report.definitions or report.problems:
        lines.append(
            "❌ Manifest and tool list do not fit:" if report.problems else "✅ Manifest and tool list fit"
        )
    lines += [f"• {problem}" for problem in report.problems]
    if report.comparison is not None:
        lines += [f"⚠️ {inline_code(n)} changed and is held back." for n in report.comparison.changed]
        lines += [f"⚠️ {inline_code(n)} is gone and is held back." for n in report.comparison.missing]
        if report.comparison.held_back:
            lines.append("`/tricks refresh` shows what changed, and there you accept it or not.")
    lines += [f"ℹ️ {note}" for note in report.notes]
    return lines


def report_panel(
    installed: Installed, report: TestReport, *, running: bool = False, enabling: bool = False
) -> Reply:
    """A test's outcome and what comes next, or how far it has come. `enabling` says what it was a test for."""
    name = escaped_line(installed.name)
    lines = [listed(_report_lines(report), _STEPS)]
    if running:
        title = f"Testing {name}…"
    else:
        title = f"{name} passed the test" if report.passed else f"{name} failed the test"
        lines += _next_steps(installed, report, enabling=enabling)
    return said(title, "\n".join(lines))


def _next_steps(installed: Installed, report: TestReport, *, enabling: bool) -> Iterable[str]:
    state = installed.row.state
    if report.passed:
        if state != "enabled":
            yield f"\nNow `/tricks enable trick:{installed.row.trick_id}` turns it on."
        return
    if enabling and state != "enabled":
        yield f"\nIt was not turned on; it is still {STATES[state]}."
    told = "Tell whoever runs the trick."
    if report.steps and report.steps[0].problem is not None:
        told += " If they lack the signing secret, `/tricks rotate` makes a new one to give them."
    yield f"{told} Then try again."
