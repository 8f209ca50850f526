"""The file that holds the encryption key when the configuration does not."""

import contextlib
import os
import tempfile
from pathlib import Path

from bot.errors import StartupError
from bot.signing.secrets import SecretBox, new_key

_MAX_BYTES = 1_024


def load_or_create_key(path: Path) -> str:
    """The key in the file at `path`, which is made with a new one (mode 0600) if there is none.

    Two processes that start together end up with the same key. Raises `StartupError` when the file cannot be
    read or made, when others than its owner may read it, or when it holds no key.
    """
    try:
        if not path.exists():
            _create(path)
        return _load(path)
    except OSError as exc:
        raise StartupError([f"The key file {path} cannot be used: {exc.strerror or exc}."]) from None


def _load(path: Path) -> str:
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_mode & 0o077:
            raise StartupError([f"The key file {path} is open to other users: run `chmod 600 {path}`."])
        data = file.read(_MAX_BYTES)
    key = data.decode("ascii", "replace").strip()
    try:
        SecretBox([key])
    except StartupError:
        raise StartupError(
            [
                f"The key file {path} does not hold an encryption key: restore it from your backup. "
                "Without it the signing secrets in the database cannot be read."
            ]
        ) from None
    return key


def _create(path: Path) -> None:
    """Write a whole file beside it first and link it into place, which never replaces one that is there."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mkstemp gives mode 0600
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(new_key() + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.unlink(name)
