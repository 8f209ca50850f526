"""What a tool's result says and shows."""

from bot.mcp import CallToolResult, TextContent
from bot.presentation.checks import present
from bot.presentation.models import Presentation
from bot.text import clamp, printable

SAID_LIMIT = 500


def texts_of(result: CallToolResult) -> tuple[str, ...]:
    """The text blocks of a result, in order."""
    return tuple(block.text for block in result.content if isinstance(block, TextContent))


def said_by(result: CallToolResult) -> str:
    """The first 500 characters of what a failed tool said, for the owner's log alone."""
    return clamp(printable("\n".join(texts_of(result))), SAID_LIMIT)


def read_answer(result: CallToolResult, tools: frozenset[str]) -> tuple[Presentation, tuple[str, ...]]:
    """What a result shows, and the paths of the parts of its presentation that were dropped as broken."""
    return present(result.structured_content, texts_of(result), tools)
