"""The client scenarios of the official conformance tool that concern a client without OAuth."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.peers import ROOT, node

SCENARIOS = [
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_our_client_passes(npm_peers: Path, tmp_path: Path, scenario: str):
    tool = npm_peers / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    command = [node(npm_peers), str(tool), "client", "--spec-version", "2026-07-28", "--scenario", scenario]
    program = f"{sys.executable} -m tests.peers.conformance_client"
    run = subprocess.run(
        [*command, "--command", program, "--output-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    told = run.stdout + run.stderr
    counts = re.search(r"Passed: (\d+)/(\d+), 0 failed, 0 warnings", told)
    assert counts is not None, told
    assert counts[1] == counts[2] != "0", told
    assert run.returncode == 0, told
