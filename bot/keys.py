"""The encryption key of a database: where it is, whether it is the right one, and its rotation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import StartupError
from bot.log import logger
from bot.signing import SecretBox, load_or_create_key

if TYPE_CHECKING:
    from bot.config import Config
    from storage.installations import Installations
    from storage.meta import Meta

_FINGERPRINT = "encryption_key_fingerprint"
_SQLITE = "sqlite:///"
_log = logger(__name__)


async def open_box(config: Config, meta: Meta, installations: Installations) -> SecretBox:
    """The box of sealed values. A database knows the key it was used with; a wrong one is a `StartupError`.

    With a new key in front of the old one everything is sealed anew first, so that afterwards the old key is
    not needed any more.
    """
    keys = config.storage.keys or (load_or_create_key(key_path(config)),)
    box = SecretBox(keys)
    known = await meta.keep(_FINGERPRINT, box.fingerprint())
    if not box.knows(known):
        problem = (
            "The encryption key is not the one this database was made with. Put the old `kennel.key` back, or "
            "list the old key behind the new one in `storage.encryption_key`."
        )
        raise StartupError([problem])
    if known != box.fingerprint():
        await _seal_anew(box, installations)
        await meta.set(_FINGERPRINT, box.fingerprint())
    return box


def key_path(config: Config) -> Path:
    """Where the key file is: beside the SQLite file. With PostgreSQL a key has to be configured."""
    if not config.storage.url.startswith(_SQLITE):
        raise StartupError(
            ["With PostgreSQL, `storage.encryption_key` has to be set: a file on one machine would be lost."]
        )
    return Path(config.storage.url.removeprefix(_SQLITE)).parent / "kennel.key"


async def _seal_anew(box: SecretBox, installations: Installations) -> None:
    """A secret that was replaced meanwhile, by another process, is left as it is now."""
    sealed = await installations.sealed()
    for row_id, secret, previous in sealed:
        again = box.seal(row_id, box.open(row_id, secret))
        previous_again = box.seal(row_id, box.open(row_id, previous)) if previous is not None else None
        await installations.seal_anew(row_id, secret, again, previous_again)
    _log.info("secrets were sealed with the new key", count=len(sealed))
