"""Signatures of Standard Webhooks over the exact bytes of a body.

`standardwebhooks` computes them, one secret at a time. Around it stand what it leaves open: an aware time is
converted to UTC before it is signed, and a malformed header is a refusal and never another exception.
"""

import base64
import hmac
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from standardwebhooks import Webhook

from bot.signing.secrets import Secret

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
TOLERANCE_SECONDS = 300
_ID = re.compile(r"[!-\-/-~]{1,256}")
_TIMESTAMP = re.compile(r"0|[1-9][0-9]{0,11}")
_SIGNATURE = re.compile(r"v1,[A-Za-z0-9+/]{43}=")


def sign(body: bytes, secrets: Sequence[Secret], webhook_id: str, at: datetime) -> dict[str, str]:
    """The three headers for `body` (UTF-8), sent at the aware time `at`.

    With more than one secret there is one signature for each in the given order (newest first), one space
    between them. Raises `ValueError` without a secret, for a naive time, and for an id that is not 1 to 256
    visible ASCII characters without a full stop.
    """
    if not secrets or at.tzinfo is None or not _ID.fullmatch(webhook_id):
        raise ValueError("signing needs a secret, an aware time and a plain id")
    moment, text = at.astimezone(UTC), body.decode()
    signatures = [Webhook(secret.key).sign(webhook_id, moment, text) for secret in secrets]
    return {
        ID: webhook_id,
        TIMESTAMP: str(int(moment.timestamp())),
        SIGNATURE: " ".join(signatures),
    }


def verify(body: bytes, headers: Mapping[str, str], secrets: Sequence[Secret], now: datetime) -> bool:
    """Whether one of `secrets` signed `body` under `headers` (names in any case), at most five minutes from
    `now`. False for whatever is missing or malformed; nothing is raised.
    """
    given = {name.lower(): value for name, value in headers.items()}
    webhook_id, timestamp = given.get(ID, ""), given.get(TIMESTAMP, "")
    signatures = given.get(SIGNATURE, "").split(" ")
    if not _ID.fullmatch(webhook_id) or not _TIMESTAMP.fullmatch(timestamp):
        return False
    if abs(int(timestamp) - now.timestamp()) > TOLERANCE_SECONDS:
        return False
    if not all(_SIGNATURE.fullmatch(signature) for signature in signatures):
        return False
    signed = b".".join((webhook_id.encode(), timestamp.encode(), body))
    expected = [hmac.digest(secret.key, signed, "sha256") for secret in secrets]
    found = [base64.b64decode(signature[3:]) for signature in signatures]
    return any(hmac.compare_digest(one, other) for one in expected for other in found)
