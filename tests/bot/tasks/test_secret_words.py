"""Which texts ask for a secret."""

import time

import pytest

from bot.tasks.secret_words import names_secret


@pytest.mark.parametrize(
    "text",
    [
        *(
            "password",
            "Your Password",
            "newPassword2",
            "pass word",
            "pass\u200bword",
            "ｐａｓｓｗｏｒｄ",
            "passwd",
        ),
        *("user_pwd", "passphrase", "Passwort", "mot de passe", "密码を入力", "passkey", "login_creds"),
        *(
            "api_key",
            "apiKey",
            "APIKey",
            "API_KEY",
            "apikey",
            "key",
            "the “key”:",
            "private-key",
            "Which key?",
        ),
        *("token", "accessToken", "ghtoken", "token2", "Your bot's token.", "client_secret", "clientSecret"),
        *("credential", "Credentials", "OTP", "2FA", "2fa code", "one-time code", "verification code", "CVV"),
        *("seed phrase", "wallet_seed_words", "your recovery codes", "Key points and your key"),
        *(
            "pin",
            "PIN",
            "PINs",
            "userPin",
            "user_pin",
            "pin_code",
            "pinCode",
            "Enter your PIN",
            "a 4-digit pin",
        ),
    ],
)
def test_a_secret_is_recognised(text: str) -> None:
    assert names_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "keyboard",
            "monkey",
            "donkey",
            "turkey",
            "hockey",
            "keyword",
            "Keynote",
            "Key points of the talk",
        ),
        *("key_date", "tokenize", "tokenizer", "secretary", "Secret Santa", "passenger", "compass", "bypass"),
        *("passport_number", "accredited", "credit", "pinned", "pin_message", "Which message should I pin?"),
        *("pineapple", "spinning", "opinion", "discount code", "postal code", "opt", "potpourri", "wording"),
    ],
)
def test_harmless_words_are_not(text: str) -> None:
    assert not names_secret(text)


def test_a_long_text_is_judged_in_no_time() -> None:
    began = time.process_time()
    for piece in ("a", "token", "pass ", "aA", "secret santa ", "key points ", "\u200b"):
        names_secret(piece * (65_536 // len(piece)))
    assert time.process_time() - began < 5
