"""Fixtures that every test may use; each lives in the support module that its name suggests."""

import os

import pytest
from hypothesis import settings

settings.register_profile("kennel", deadline=None)  # a busy machine is no failure
settings.load_profile("kennel")

pytest.register_assert_rewrite("tests.support")

pytest_plugins: list[str] = [
    "tests.support.brewing",
    "tests.support.browser",
    "tests.support.databases",
    "tests.support.desks",
    "tests.support.events",
    "tests.support.logged",
    "tests.support.sample_trick",
    "tests.support.small_disk",
    "tests.support.tls",
    "tests.support.trick",
    "tests.support.mcp",
    "tests.support.model",
    "tests.support.peers",
    "tests.support.talks",
    "tests.support.tasks",
    "tests.support.world",
]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where everything can be had (`CI=true`), a test that is skipped is a test that failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = exitstatus or pytest.ExitCode.TESTS_FAILED
