"""Signing secrets, and the box in which they are kept at rest.

A secret is 32 random bytes, written `whsec_` and standard base64 (Standard Webhooks, "Signature scheme").
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from bot.clock import Clock
from bot.errors import SecretInvalid, SecretUnreadable, StartupError

PREFIX = "whsec_"
SECRET_BYTES = 32
_SECRET = re.compile(r"whsec_([A-Za-z0-9+/]{43}=)")
_KEY = re.compile(r"[A-Za-z0-9_-]{43}=")
_SEPARATOR = "\0"


@dataclass(frozen=True, slots=True)
class Secret:
    """One signing secret. It shows itself in `text` alone and cannot be pickled or copied."""

    key: bytes = field(repr=False)

    @property
    def text(self) -> str:
        """The form that the owner is shown once: `whsec_…`."""
        return PREFIX + base64.b64encode(self.key).decode()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a signing secret cannot be pickled")


def make_secret(clock: Clock) -> Secret:
    """A new secret."""
    return Secret(clock.random_bytes(SECRET_BYTES))


def parse_secret(text: str) -> Secret:
    """Read what `Secret.text` wrote, in exactly that spelling. Raises `SecretInvalid` for any other text."""
    match = _SECRET.fullmatch(text)
    if match is None:
        raise SecretInvalid
    secret = Secret(base64.b64decode(match[1]))
    if secret.text != text:  # the last character before the padding has bits that decoding ignores
        raise SecretInvalid
    return secret


def new_key() -> str:
    """A new key for `SecretBox`: 32 random bytes as URL-safe base64."""
    return Fernet.generate_key().decode()


class SecretBox:
    """Seals texts for one row each: a token copied to another row does not open there.

    `keys` are texts as `new_key` gives them, newest first: the first seals, each of them opens.
    Raises `StartupError` when there is none or one of them is no such text.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys or not all(_is_key(key) for key in keys):
            raise StartupError(
                [
                    "The encryption key is not valid: set `storage.encryption_key` to a key of 44 "
                    "characters, or to a list of such keys, newest first."
                ]
            )
        self._fernet = MultiFernet([Fernet(key) for key in keys])
        self._fingerprints = tuple(_fingerprint(key) for key in keys)

    def __repr__(self) -> str:
        return f"SecretBox({', '.join(self._fingerprints)})"

    def seal(self, row_id: str, plaintext: str) -> str:
        """`plaintext` encrypted for the row `row_id` (no NUL in it), as a text of URL-safe base64."""
        if _SEPARATOR in row_id:
            raise ValueError("a row id has no NUL")
        return self._fernet.encrypt(f"{row_id}{_SEPARATOR}{plaintext}".encode()).decode()

    def open(self, row_id: str, token: str) -> str:
        """What was sealed for `row_id`. Raises `SecretUnreadable` for everything else."""
        try:
            sealed_for, separator, plaintext = self._fernet.decrypt(token).decode().partition(_SEPARATOR)
        except (InvalidToken, ValueError):
            raise SecretUnreadable from None
        if not separator or sealed_for != row_id:
            raise SecretUnreadable
        return plaintext

    def fingerprint(self) -> str:
        """The newest key's fingerprint: 16 hexadecimal digits from which the key cannot be found."""
        return self._fingerprints[0]

    def knows(self, fingerprint: str) -> bool:
        """Whether one of the keys has this fingerprint, so that what it sealed can be opened."""
        return fingerprint in self._fingerprints


def _is_key(text: str) -> bool:
    if not _KEY.fullmatch(text):
        return False
    try:
        return base64.urlsafe_b64encode(base64.urlsafe_b64decode(text)).decode() == text
    except binascii.Error:
        return False


def _fingerprint(key: str) -> str:
    return hashlib.sha256(b"kennel key fingerprint\0" + key.encode()).hexdigest()[:16]
