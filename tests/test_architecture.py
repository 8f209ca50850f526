"""The shape of the house: which way imports point, how large files and functions may be, what is imported when."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("bot", "cogs", "storage")
LAYERS = (
    ("errors",),
    ("clock", "text", "urls", "strict_json"),
    ("config", "log", "metrics", "invite", "typed"),
    ("manifest",),
    ("presentation",),
    ("signing",),
    ("llm",),
    ("outbound",),
    ("policy",),
    ("speaker",),
    ("transport",),
    ("mcp",),
    ("tricks",),
    ("tasks",),
    ("events",),
    ("approvals",),
    ("assistant",),
    ("privacy",),
    ("observability",),
    ("keys",),
    ("wiring",),
    ("services",),
    ("app",),
    ("run",),
    ("check",),
    ("demo",),
    ("cli",),
    ("__main__",),
)
"""Inside `bot`, lowest first: each layer imports only those before it."""
SPEAKS_DISCORD = {"app", "run", "check", "cli", "demo"}
MAX_FILE_LINES = 300
LARGER = {
    ROOT / "bot" / "demo" / "sample_trick.py": 540,  # a trick author copies one file, server included
    ROOT / "bot" / "errors.py": 580,  # one tree, drawn at its top, a few lines for each leaf
}
MAX_FUNCTION_LINES = 60


def _modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, those in functions and under TYPE_CHECKING too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


MODULES = _modules()
OURS = {name: {each for each in _imports(path) if each in MODULES} for name, path in MODULES.items()}


def _layer(module: str) -> int:
    room = module.split(".")[1]
    return next(index for index, rooms in enumerate(LAYERS) if room in rooms)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_point_from_cogs_to_bot_to_storage(module: str) -> None:
    package = module.partition(".")[0]
    allowed = {"cogs": {"cogs", "bot"}, "bot": {"bot", "storage"}, "storage": {"storage"}}[package]
    assert {each.partition(".")[0] for each in OURS[module]} <= allowed


@pytest.mark.parametrize("module", [name for name in sorted(MODULES) if name.startswith("bot.")])
def test_inside_bot_each_layer_imports_only_those_below_it(module: str) -> None:
    wrong = [
        each
        for each in OURS[module]
        if each.startswith("bot.")
        and each.split(".")[1] != module.split(".")[1]
        and _layer(each) >= _layer(module)
    ]
    assert not wrong


@pytest.mark.parametrize("module", [name for name in sorted(MODULES) if name.startswith(("bot.", "storage"))])
def test_below_the_client_nothing_speaks_discord(module: str) -> None:
    if module.startswith("bot.") and module.split(".")[1] in SPEAKS_DISCORD:
        return
    assert not [each for each in _imports(MODULES[module]) if each.partition(".")[0] == "discord"]


def test_there_are_no_import_cycles() -> None:
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " → ".join([*path[path.index(module) :], module])
        if module not in done:
            for each in sorted(OURS[module]):
                visit(each, (*path, module))
            done.add(module)

    for module in MODULES:
        visit(module, ())


@pytest.mark.parametrize("path", [*MODULES.values(), *sorted((ROOT / "tests").rglob("*.py"))], ids=str)
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= LARGER.get(path, MAX_FILE_LINES)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < MAX_FUNCTION_LINES, node.name


def test_importing_the_client_brings_in_no_migration_tool_simulator_or_model_provider() -> None:
    code = "import bot.app, sys; print('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in run.stdout.split()}
    assert not loaded & {
        "alembic",
        "asyncpg",
        "simcord",
        "pydantic_ai",
        "openai",
        "anthropic",
        "httpx2",
        "mcp",
        "fastmcp",
    }


PROVIDERS = {
    "openai-compatible": "openai",
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "google.genai",
}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_opening_a_model_imports_the_named_provider_and_no_other(provider: str) -> None:
    code = (
        "import sys\n"
        "from bot.clock import Clock\n"
        "from bot.config import AssistantSection\n"
        "from bot.llm.providers import assistant_problems, open_model\n"
        f"off = {{'provider': {provider!r}, 'base_url': 'http://127.0.0.1:9/v1', 'api_key': 'k'}}\n"
        "assert open_model(AssistantSection.model_validate(off), Clock()) is None\n"
        "on = AssistantSection.model_validate(off | {'model': 'm'})\n"
        "assert assistant_problems(on) == []\n"
        "heavy = ('pydantic_ai', 'openai', 'anthropic', 'google.genai', 'httpx2')\n"
        "assert not [each for each in heavy if each in sys.modules]\n"
        "assert open_model(on, Clock()) is not None\n"
        "print(*(each for each in heavy[1:4] if each in sys.modules))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == [PROVIDERS[provider]]
