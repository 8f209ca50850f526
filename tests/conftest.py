"""Fixtures that every test may use; each lives in the support module that its name suggests."""

pytest_plugins: list[str] = []
