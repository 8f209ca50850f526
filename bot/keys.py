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

FINGERPRINT = "encryption_key_fingerprint"
WRONG_KEY = (
    "The encryption key is not the one this database was made with. Put the old `kennel.key` back, or "
    "list the old key behind the new one in `storage.encryption_key`."
)
LOST_KEY = (
    "The key file {path} is missing, and the database was used with one. Put it back from your backup: without "
    "it the signing secrets in the database cannot be read. If it is lost for good, move the database away and "
    "register every trick anew."
)
_SQLITE = "sqlite:///"
_log = logger(__name__)


async def open_box(config: Config, meta: Meta, installations: Installations) -> SecretBox:
    """The box of sealed values. A database knows the key it was used with; a wrong one is a `StartupError`.

    With a new key in front of the old one everything is sealed anew first, so that afterwards the old key is
    not needed any more.
    """
    box = SecretBox(config.storage.keys or (await _key_of_file(config, meta),))
    known = await meta.keep(FINGERPRINT, box.fingerprint())
    if not box.knows(known):
        raise StartupError([WRONG_KEY])
    if known != box.fingerprint():
        await _seal_anew(box, installations)
        await meta.set(FINGERPRINT, box.fingerprint())
    return box


def key_path(config: Config) -> Path:
    """Where the key file is: beside the SQLite file. With PostgreSQL a key has to be configured."""
    if not config.storage.url.startswith(_SQLITE):
        raise StartupError(
            ["With PostgreSQL, `storage.encryption_key` has to be set: a file on one machine would be lost."]
        )
    return Path(config.storage.url.removeprefix(_SQLITE)).parent / "kennel.key"


def key_problems(config: Config, known: str | None) -> list[str]:
    """What is wrong with the key for a database that knows the fingerprint `known`; changes nothing."""
    try:
        keys = config.storage.keys
        if not keys:
            path = key_path(config)
            if not path.exists():
                return [LOST_KEY.format(path=path)] if known is not None else []
            keys = (load_or_create_key(path),)
        box = SecretBox(keys)
    except StartupError as error:
        return list(error.problems)
    return [WRONG_KEY] if known is not None and not box.knows(known) else []


async def _key_of_file(config: Config, meta: Meta) -> str:
    """The key in the key file. A new one is made only for a database that was used with none yet."""
    path = key_path(config)
    if not path.exists() and await meta.get(FINGERPRINT) is not None:
        raise StartupError([LOST_KEY.format(path=path)])
    return load_or_create_key(path)


async def _seal_anew(box: SecretBox, installations: Installations) -> None:
    """A secret that was replaced meanwhile, by another process, is left as it is now."""
    sealed = await installations.sealed()
    for row_id, secret, previous in sealed:
        again = box.seal(row_id, box.open(row_id, secret))
        previous_again = box.seal(row_id, box.open(row_id, previous)) if previous is not None else None
        await installations.seal_anew(row_id, secret, again, previous_again)
    _log.info("secrets were sealed with the new key", count=len(sealed))
