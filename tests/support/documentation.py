"""The pages of the repository, and what can be read in them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = tuple(sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]))


def page(name: str) -> str:
    """The text of a page, named from the root of the repository."""
    return (ROOT / name).read_text("utf-8")


def example(text: str, name: str) -> str:
    """The code block of a page that stands behind the marker `<!-- example: name -->`."""
    match = re.search(rf"<!-- example: {re.escape(name)} -->\n```\w*\n(.*?)\n```", text, re.DOTALL)
    assert match is not None, name
    return match[1]


def prose(text: str) -> str:
    """A page without its code blocks."""
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def anchors(text: str) -> set[str]:
    """What a link may name behind `#`: the page's headings, as git hosts spell them."""
    headings = re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
