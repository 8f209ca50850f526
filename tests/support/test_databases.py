"""The server that tests start for themselves where none answers."""

import os

import pytest

from storage import migrate
from tests.support.databases import find_binaries, new_database, own_server, run_apart


def test_a_server_of_our_own_can_be_migrated_and_is_gone_afterwards() -> None:
    binaries = find_binaries()
    if binaries is None:
        assert os.environ.get("CI") != "true"
        pytest.skip("initdb is not installed")
    with own_server(binaries) as server, new_database(server) as url:
        assert run_apart(migrate.upgrade(url)) is None
        assert run_apart(migrate.state(url)) == migrate.HEAD
