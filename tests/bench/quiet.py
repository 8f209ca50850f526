"""Logs as the program writes them, to nowhere: what they cost belongs to what is measured."""

import os
import sys

from bot.log import configure


def log_to_nowhere() -> None:
    """Once for a process."""
    kept, sys.stderr = sys.stderr, open(os.devnull, "w")  # noqa: SIM115 - for as long as the process lives
    configure()
    sys.stderr = kept
