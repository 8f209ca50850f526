"""Signing what is sent to tricks, and keeping the signing secrets."""

from bot.signing.keyfile import load_or_create_key
from bot.signing.secrets import Secret, SecretBox, make_secret, new_key, parse_secret
from bot.signing.webhooks import sign, verify

__all__ = [
    "Secret",
    "SecretBox",
    "load_or_create_key",
    "make_secret",
    "new_key",
    "parse_secret",
    "sign",
    "verify",
]
