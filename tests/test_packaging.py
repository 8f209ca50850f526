"""What is shipped beside the program names only what there is: settings, extras, files, metrics."""

import re
import tomllib
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.config import Config
from bot.observability import probe
from bot.observability.counting import PrometheusMetrics
from bot.observability.gateway import Gateway, Shard
from storage.gauges import Counts
from tests.support.clock import TurnedClock
from tests.support.documentation import ROOT, page

SHIPPED = (
    "Dockerfile",
    "compose.yaml",
    "packaging/kennel.service",
    "docs/operating.md",
    "config.example.toml",
)
PROJECT: dict[str, Any] = tomllib.loads(page("pyproject.toml"))


def variables() -> set[str]:
    """Every variable of the environment that Kennel reads."""
    return {
        f"KENNEL_{section}__{key}".upper()
        for section, field in Config.model_fields.items()
        for key in getattr(field.annotation, "model_fields", {})
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_every_variable_and_extra_that_a_file_names_exists(name: str) -> None:
    text = page(name)
    assert set(re.findall(r"KENNEL_[A-Z]+__[A-Z_]+", text)) <= variables()
    extras = PROJECT["project"]["optional-dependencies"]
    for named in re.findall(r"'\.\[([\w,]+)\]'", text):
        assert set(named.split(",")) <= set(extras)


def test_the_image_is_built_of_everything_that_the_package_needs_and_of_nothing_else() -> None:
    lines = page(".dockerignore").splitlines()
    kept = {line[1:] for line in lines if line.startswith("!")}
    metadata = {"pyproject.toml", PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]}
    packages = set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    assert lines[1] == "*"
    assert kept == metadata | packages | {".ci/constraints.txt"}
    assert all((ROOT / name).exists() for name in kept)


def test_the_image_runs_as_nobody_in_particular_and_asks_its_own_healthz() -> None:
    image = page("Dockerfile")
    last = image.split("\nFROM ")[-1]
    assert "\nUSER 10001:10001\n" in last
    assert '"python", "-m", "bot.observability.probe"' in last
    assert f"{probe.VARIABLE}=127.0.0.1:9000" in last
    assert 'ENTRYPOINT ["kennel"]\nCMD ["run"]' in last


def test_the_page_names_every_metric_and_no_other() -> None:
    metrics = PrometheusMetrics(TurnedClock(), "1")
    shown = metrics.show(Counts(0, None, 0, 0, {}), Gateway(True, False, (Shard(0, 1.0, 1.0),)))
    kinds = {family.name: family.type for family in text_string_to_metric_families(shown.decode())}
    there = {
        f"{name}_total" if kind == "counter" else name
        for name, kind in kinds.items()
        if name.startswith("kennel_") and not name.endswith("_created")
    }
    named = set(re.findall(r"`(kennel_[a-z_]+)`", page("docs/operating.md")))
    assert named == there
