"""Whether a text asks for a secret: what members must never be asked to type into a form.

Judged word by word, in English and by the commonest words of some other languages. It may well refuse a
harmless question about a piano's key; it cannot find a trick that describes a secret without naming it.
"""

import re
import unicodedata
from typing import Final

from bot.text import one_line

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s\b)[a-z])")
_WORD = re.compile(r"[^\W_]+")
_PIN_IN_CAPITALS: Final = frozenset({"PIN", "PINS", "PINs"})

_INSIDE_A_WORD = (
    "password|passwd|passphrase|passcode|passwort|kennwort|contraseña|wachtwoord|пароль|密码|密碼|パスワード|비밀번호"
    "|(?:api|access|secret|private|auth|ssh|encryption|license)key"
)
_WORDS = (
    r"\S*tokens?|\S*secrets?(?! santa(?!\S))|pwds?|pswd|creds?|credentials?|passkeys?|pincodes?|senha"
    "|otp|totp|2fa|mfa|cvv2?|cvc2?"
)
_HARMLESS_KEYS = (
    "areas?|changes?|dates?|details?|differences?|events?|facts?|factors?|features?|figures?|findings?|goals?"
    "|highlights?|ideas?|insights?|metrics?|moments?|parts?|people|players?|points?|questions?|results?"
    "|signatures?|skills?|takeaways?|themes?|topics?|words?"
)
_PHRASES = (
    "pass (?:word|phrase|code|key)s?|mot de passe|seed (?:phrase|word)s?|pin (?:code|number)s?"
    "|(?:your|my|the|new|old|current|digit|user|login|account|card|bank|sim|phone|security|enter) pins?"
    "|(?:recovery|backup|security|verification|authentication|authenticator|auth|access|login|sms) (?:code|phrase)s?"
    "|2 ?fa codes?|(?:one time|two factor|2 factor) codes?"
)
_SECRET = re.compile(
    rf"(?<!\S)(?:\S*(?:{_INSIDE_A_WORD})\S*"
    rf"|(?:{_WORDS}|{_PHRASES}|keys?(?! (?:{_HARMLESS_KEYS})(?!\S)))[0-9]*(?!\S))"
)


def names_secret(text: str) -> bool:
    """Whether `text`, a sentence or the name of a property, names a password, token, key, PIN or the like."""
    plain = _CAMEL.sub(" ", unicodedata.normalize("NFKC", one_line(text)))
    words = ["pincode" if word in _PIN_IN_CAPITALS else word.casefold() for word in _WORD.findall(plain)]
    return words in (["pin"], ["pins"]) or _SECRET.search(" ".join(words)) is not None
