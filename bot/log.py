"""Structured logs of identifiers only: one JSON object a line on standard error.

A field is logged when its name is on the list below, and nothing else ever is: texts of members, tricks and
models, arguments, results, secrets and signatures have no field to stand in.
"""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

ALLOWED_FIELDS = frozenset(
    {
        "event", "level", "timestamp", "logger",
        "guild_id", "installation_id", "trick_id", "tool", "command", "call_id", "channel_id", "message_id",
        "interaction_id", "delivery_id", "asker_id", "origin", "failure", "status", "code", "kind", "count",
        "seconds", "revision", "path", "names", "shard_id", "exception", "where", "state", "outcome",
    }
)  # fmt: skip

CHATTY = ("discord", "aiosqlite", "sqlalchemy", "alembic", "aiohttp")
MODEL_CLIENTS = ("httpx2", "httpcore2", "openai", "anthropic", "google_genai", "pydantic_ai")


def logger(name: str) -> structlog.stdlib.BoundLogger:
    """The logger of one module; events are short fixed sentences, everything that varies is a field."""
    return structlog.stdlib.get_logger(name)


def configure(level: str = "INFO") -> None:
    """Send Kennel's and every library's log lines through the same processors. Called once by the program."""
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, only_allowed_fields, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, _template, only_allowed_fields],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for chatty in (*CHATTY, *MODEL_CLIENTS):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def _template(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A library's sentence without what it filled in: that may hold a token or somebody's words."""
    event["event"] = str(event["_record"].msg)
    return event


def only_allowed_fields(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The redaction processor: keeps the fields on the list alone, and of an exception its type and place."""
    error = event.pop("exc_info", None)
    if error:
        value = error[1] if isinstance(error, tuple) else sys.exc_info()[1] if error is True else error  # pyright: ignore[reportUnknownVariableType]
        event["exception"] = type(value).__name__  # pyright: ignore[reportUnknownArgumentType]
        event["where"] = _innermost(value)
    return {key: value for key, value in event.items() if key in ALLOWED_FIELDS or key.startswith("_")}


def _innermost(error: Any) -> str:
    """File and line where `error` was raised: enough to find it, and free of data."""
    trace = getattr(error, "__traceback__", None)
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else ""
