"""Fixtures that every test may use; each lives in the support module that its name suggests."""

pytest_plugins: list[str] = [
    "tests.support.databases",
    "tests.support.sample_trick",
    "tests.support.tls",
    "tests.support.trick",
    "tests.support.world",
]
