"""Whether this process is well, for whoever restarts it if it is not."""

from dataclasses import dataclass

from bot.observability.gateway import Gateway
from bot.strict_json import Json
from storage.gauges import Counts

HEARTBEAT_WITHIN = 120.0
"""Seconds without an answered heartbeat after which a shard is not well: longer than a reconnection takes."""

STARTING = "Kennel is still connecting to Discord."
STOPPING = "Kennel is stopping: it finishes what is in flight."
NO_DATABASE = "The database does not answer."
NO_HEARTBEAT = "Shard {id} has had no answer from Discord's gateway for two minutes."


@dataclass(frozen=True, slots=True)
class Health:
    """What was found; `problems` are sentences, none when all is well."""

    problems: tuple[str, ...]
    body: dict[str, Json]

    @property
    def status(self) -> int:
        """The HTTP status: 200 when all is well, else 503."""
        return 503 if self.problems else 200


def judge(gateway: Gateway, counts: Counts | None, now_ms: int) -> Health:
    """Judge by the gateway and the database. `counts` is None where the database did not answer in time.

    The age of the outbox is told and decides nothing: a trick that is down makes its events wait, and no
    restart of Kennel would change that.
    """
    silent = [shard for shard in gateway.shards if not _beats(shard.heartbeat_age)]
    problems = (
        *([STOPPING] if gateway.stopping else []),
        *([STARTING] if not gateway.ready else []),
        *(NO_HEARTBEAT.format(id=shard.id) for shard in silent),
        *([NO_DATABASE] if counts is None else []),
    )
    shards: list[Json] = [
        {"shard": shard.id, "heartbeat_age_seconds": _rounded(shard.heartbeat_age)}
        for shard in gateway.shards
    ]
    body: dict[str, Json] = {
        "status": "failing" if problems else "ok",
        "problems": list(problems),
        "gateway": {"ready": gateway.ready, "shards": shards},
        "database": {"reachable": counts is not None},
        "outbox": _outbox(counts, now_ms),
    }
    return Health(problems, body)


def _beats(age: float | None) -> bool:
    return age is None or age <= HEARTBEAT_WITHIN


def _rounded(age: float | None) -> float | None:
    return None if age is None else round(age, 1)


def _outbox(counts: Counts | None, now_ms: int) -> Json:
    if counts is None:
        return None
    return {"pending": counts.pending_deliveries, "oldest_seconds": counts.oldest_seconds(now_ms)}
