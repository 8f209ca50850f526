"""What became of attempts to deliver events, as an operator sees it counted."""

from bot.events.schedule import WAITS
from bot.observability.counting import PrometheusMetrics
from bot.observability.gateway import Gateway
from tests.support.event_records import joined
from tests.support.events import EventProcess, EventWorld, status
from tests.support.pages import Samples, read_samples


def counted(metrics: PrometheusMetrics) -> Samples:
    """What `/metrics` would show."""
    return read_samples(metrics.show(None, Gateway(True, False, ())).decode())


async def test_attempts_are_counted_by_what_came_of_them(events: EventWorld) -> None:
    metrics = PrometheusMetrics(events.clock, "1")
    here = EventProcess(events, events.database, metrics=metrics)
    await here.happen(joined())
    events.trick.on("events", status(500))
    await here.happen(joined(event_id="e2", member_id="2", occurrence="j:2"))
    for wait in WAITS:
        events.clock.advance(1.3 * wait)
        await here.deliver()
    events.trick.on("events", status(410))
    await here.happen(joined(event_id="e3", member_id="3", occurrence="j:3"))

    shown = counted(metrics)
    ends = {
        end: shown.value("kennel_deliveries_total", outcome=end) for end in ("delivered", "failed", "off")
    }
    assert ends == {"delivered": 1, "failed": 1, "off": 1}
    assert shown.value("kennel_deliveries_total", outcome="again") == len(WAITS)
