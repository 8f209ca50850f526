"""The pages tell the truth: what they name is there, and what is there they name."""

import ast
import re
from pathlib import Path

import click
import pytest
from discord import app_commands
from pydantic import BaseModel

from bot.cli import kennel
from bot.config import Config
from bot.manifest import (
    RESERVED_COMMANDS,
    Choice,
    Command,
    Endpoints,
    EventType,
    Manifest,
    ManifestTool,
    Option,
    OptionType,
    SelectOption,
    Setting,
    SettingType,
)
from tests.support.documentation import PAGES, ROOT, anchors, page, prose
from tests.support.world import config_for, open_world

EVERY_PAGE = pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
PARTS = (Manifest, Endpoints, ManifestTool, Command, Option, Choice, Setting, SelectOption)


@pytest.fixture
async def built_in(sqlite_url: str) -> set[str]:
    """The names of all commands of the bot's own, as it has them once it runs."""
    async with open_world(config_for(sqlite_url)) as world:
        tree = world.bot.tree.walk_commands()
        return {each.qualified_name for each in tree if isinstance(each, app_commands.Command)}


def _tests_of(path: Path) -> set[str]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, functions)}


def _subcommands(group: click.Group, before: str = "") -> set[str]:
    found: set[str] = set()
    for name, command in group.commands.items():
        found |= _subcommands(command, f"{name} ") if isinstance(command, click.Group) else {before + name}
    return found


def _layers() -> tuple[tuple[str, ...], ...]:
    """`LAYERS` of the test of the architecture, read and not imported."""
    for node in ast.parse(page("tests/test_architecture.py")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LAYERS":
            return ast.literal_eval(node.value)
    raise AssertionError("tests/test_architecture.py has no LAYERS")


def _keys_of(section: object) -> set[str]:
    assert isinstance(section, type)
    assert issubclass(section, BaseModel)
    return set(section.model_fields)


@EVERY_PAGE
def test_every_test_that_a_page_names_exists(path: Path) -> None:
    for file, name in re.findall(r"(tests/[\w/]+\.py)::(\w+)", path.read_text("utf-8")):
        assert (ROOT / file).is_file(), file
        assert name in _tests_of(ROOT / file), f"{file}::{name}"


@EVERY_PAGE
def test_every_file_that_a_page_names_exists(path: Path) -> None:
    text = prose(path.read_text("utf-8"))
    for name in re.findall(r"`((?:bot|cogs|storage|tests|docs|\.ci)/[\w./-]*)`", text):
        assert (ROOT / name).exists(), name


@EVERY_PAGE
def test_every_link_within_the_repository_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path.read_text("utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file) if file else path
        assert found.exists(), target
        if anchor:
            assert anchor in anchors(found.read_text("utf-8")), target


@EVERY_PAGE
def test_every_built_in_command_that_a_page_names_exists(path: Path, built_in: set[str]) -> None:
    for group, verb in re.findall(r"`/(tricks|privacy) (\w+)", path.read_text("utf-8")):
        assert f"{group} {verb}" in built_in


@EVERY_PAGE
def test_every_subcommand_and_setting_that_a_page_names_exists(path: Path) -> None:
    text = path.read_text("utf-8")
    for words in re.findall(r"`kennel ([a-z]+(?: [a-z]+)?)", text):
        assert words in _subcommands(kennel)
    sections = "|".join(Config.model_fields)
    for section, key in re.findall(rf"`({sections})\.(\w+)`", text):
        assert key in _keys_of(Config.model_fields[section].annotation), f"{section}.{key}"


def test_the_readme_names_every_subcommand_and_built_in_command(built_in: set[str]) -> None:
    text = page("README.md")
    for words in _subcommands(kennel):
        assert re.search(rf"kennel {words}\b", text), words
    for name in built_in:
        assert f"`/{name}" in text, name


def test_the_contract_for_tricks_names_every_field_of_a_manifest_and_each_of_its_words() -> None:
    words = set(re.findall(r"`([^`]+)`", prose(page("docs/tricks.md"))))
    for part in PARTS:
        assert {field.alias for field in part.model_fields.values()} <= words, part.__name__
    for kind in (OptionType, SettingType, EventType):
        assert set(kind.__args__) <= words
    assert words >= RESERVED_COMMANDS


def test_the_picture_of_the_layers_is_the_one_that_is_tested() -> None:
    picture = page("docs/architecture.md").split("subgraph bot\n")[1].split("\n    end")[0]
    rows = [row.split(" · ") for row in re.findall(r'\["([^"]+)"\]', picture)]
    drawn = [name for row in reversed(rows) for name in row]
    there = [path.stem for path in (ROOT / "bot").iterdir()]
    assert drawn == [name for layer in _layers() for name in layer if name in there]


def test_the_promises_are_each_held_by_a_test() -> None:
    lines = [line for line in page("docs/behaviour.md").splitlines() if line.startswith("| ")]
    promises = [line for line in lines if not re.match(r"\| (promise|-)", line)]
    assert promises
    assert [line for line in promises if "::test_" not in line] == []
