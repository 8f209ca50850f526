"""The connection test: a signed challenge, then the live tool list, compared with the manifest."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from bot import strict_json
from bot.clock import Clock
from bot.errors import DeadlineExceeded, HttpFailure, ProtocolFailure, TrickFault
from bot.manifest import Command, Manifest
from bot.manifest.fingerprint import ToolDefinition
from bot.mcp import InvocationContext, McpClient
from bot.mcp.schemas import schema_problem
from bot.mcp.wire import Tool, ToolList
from bot.strict_json import Json
from bot.text import length, visible
from bot.transport import SignedSender, read_body
from bot.tricks.installed import Installed
from bot.tricks.pinning import Comparison, compare, definitions
from storage.records import Pin

TEST_WITHIN = 20.0
MAX_PAGES = 5
MAX_DESCRIPTIONS = 40_000
_ID_OPTIONS = frozenset({"user", "channel", "role"})


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a test: `problem` is a sentence, or None when it passed; `seconds` is how long it took."""

    name: str
    seconds: float
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class TestReport:
    """What a test found. `problems` fail it; `notes` do not; `live` is the tool list as it came."""

    steps: tuple[Step, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    definitions: dict[str, ToolDefinition] = field(default_factory=dict[str, ToolDefinition])
    comparison: Comparison | None = None
    live: tuple[Tool, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the trick may be enabled."""
        return not self.problems and all(step.problem is None for step in self.steps)


Progress = Callable[[TestReport], Awaitable[None]]


class ConnectionTest:
    """Tests one installation. Nothing is pinned and nothing is stored here."""

    def __init__(self, sender: SignedSender, client: McpClient, clock: Clock) -> None:
        self._sender = sender
        self._client = client
        self._clock = clock

    async def run(
        self, installed: Installed, pins: tuple[Pin, ...], owner_id: str, progress: Progress
    ) -> TestReport:
        """Run all steps, telling `progress` after each; at most twenty seconds. Never raises a `TrickFault`."""
        report = TestReport()
        started = self._clock.monotonic()
        try:
            async with asyncio.timeout(TEST_WITHIN):
                await self._challenge(installed)
                report = self._passed(report, "Signed challenge", started)
                await progress(report)
                started = self._clock.monotonic()
                tools = await self.tools(installed, owner_id)
                report = self._passed(report, "Tool list", started)
        except TrickFault as fault:
            return self._failed(report, started, fault.detail)
        except TimeoutError:
            return self._failed(report, started, DeadlineExceeded().detail)
        return judged(report, installed.manifest, tools, pins)

    async def tools(self, installed: Installed, owner_id: str) -> ToolList:
        """The live tool list. Raises a `TrickFault`."""
        context = InvocationContext(
            installation_id=installed.row.id, asker_id=owner_id, settings=installed.settings
        )
        return await self._client.list_tools(installed.mcp, context, max_pages=MAX_PAGES)

    async def _challenge(self, installed: Installed) -> None:
        """The endpoint has to answer the signed challenge with the same JSON."""
        expected: Json = {"challenge": self._clock.new_id()}
        response = await self._sender.post(installed.challenge, strict_json.dump(expected))
        body = await read_body(response)
        if response.status_code != 200:
            raise HttpFailure(response.status_code)
        try:
            answered = strict_json.parse(body)
        except strict_json.NotJson as error:
            raise ProtocolFailure(f"The answer to the challenge {error}.") from None
        if answered != expected:
            raise ProtocolFailure("It answered, but did not send the challenge back.")

    def _passed(self, report: TestReport, name: str, started: float) -> TestReport:
        step = Step(name, self._clock.monotonic() - started)
        return replace(report, steps=(*report.steps, step))

    def _failed(self, report: TestReport, started: float, problem: str) -> TestReport:
        name = "Tool list" if report.steps else "Signed challenge"
        step = Step(name, self._clock.monotonic() - started, problem)
        return replace(report, steps=(*report.steps, step))


def judged(report: TestReport, manifest: Manifest, tools: ToolList, pins: tuple[Pin, ...]) -> TestReport:
    """Compare the live list with the manifest, and with what is pinned when there is something pinned."""
    live = definitions(manifest, tools.tools)
    wanted = {tool.name for tool in manifest.tools}
    dropped = dict(tools.dropped)
    unusable = sorted(name for name in wanted if name in dropped or name not in live)
    problems = [_missing(name, dropped.get(name)) for name in unusable]
    for name, definition in live.items():
        reason = schema_problem(definition.input_schema)
        if reason is not None:
            problems.append(f"The input schema of `{name}` {reason}.")
    for command in manifest.commands:
        if command.tool in live:
            problems += _option_problems(command, live[command.tool].input_schema)
    extra = sorted({tool.name for tool in tools.tools} - wanted)
    notes = [f"`{name}` is not in the manifest, so it is never called." for name in extra]
    return replace(
        report,
        problems=tuple(problems),
        notes=tuple(notes),
        definitions=live,
        comparison=compare(pins, live) if pins else None,
        live=tuple(tools.tools),
    )


def with_readable_descriptions(report: TestReport) -> TestReport:
    """The report, failed if nobody could read all that an owner has to agree to, as it would be shown."""
    tools = report.definitions.values()
    total = sum(length(visible(tool.title)) + length(visible(tool.description)) for tool in tools)
    if total <= MAX_DESCRIPTIONS:
        return report
    problem = f"The tools' descriptions are {total:,} characters together; {MAX_DESCRIPTIONS:,} can be shown."
    return replace(report, problems=(*report.problems, problem))


def _missing(name: str, reason: str | None) -> str:
    if reason is None:
        return f"The tool `{name}` of the manifest is not in the tool list."
    return f"The tool `{name}` cannot be used: {reason}"


def _option_problems(command: Command, schema: dict[str, Json]) -> list[str]:
    """An option has to be a property of the tool's schema, and an id must not be bound to a number."""
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    problems: list[str] = []
    for option in command.options:
        where = f"The option `{option.name}` of `/{command.name}`"
        if option.name not in known:
            problems.append(f"{where} is no property of the tool's input schema.")
        elif option.type in _ID_OPTIONS and _is_number(known[option.name]):
            problems.append(f"{where} is an id, which has to be a string in the tool's input schema.")
    return problems


def _is_number(schema: Json) -> bool:
    kinds = schema.get("type") if isinstance(schema, dict) else None
    listed = kinds if isinstance(kinds, list) else [kinds]
    return "string" not in listed and not {"integer", "number"}.isdisjoint(
        k for k in listed if isinstance(k, str)
    )
