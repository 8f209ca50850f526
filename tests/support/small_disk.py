"""A disk that can be full: a file system in memory with a fixed size, where this machine lets us mount one."""

import os
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

FILLER = "filler"
MEGABYTES = 24


@pytest.fixture
def small_disk() -> Generator[Path]:
    """The folder where the disk is mounted, open to everybody."""
    with tempfile.TemporaryDirectory(prefix="kennel-disk-") as folder:
        os.chmod(folder, 0o755)
        disk = Path(folder) / "disk"
        disk.mkdir()
        options = f"size={MEGABYTES}m,mode=0777"
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)]
        if subprocess.run(command, check=False, capture_output=True).returncode:
            pytest.skip("only root may mount a file system that is small enough to fill")
        try:
            yield disk
        finally:
            subprocess.run(["umount", "--lazy", str(disk)], check=True)


@contextmanager
def full(disk: Path) -> Generator[None]:
    """Meanwhile there is no byte left."""
    filler = disk / FILLER
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while file.write(b"\0" * size):
                    pass
            except OSError:
                continue
    try:
        yield
    finally:
        filler.unlink()
