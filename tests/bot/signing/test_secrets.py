import base64
import copy
import pickle
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clock import Clock
from bot.errors import SecretInvalid, SecretUnreadable, StartupError
from bot.signing import Secret, SecretBox, make_secret, new_key, parse_secret

SECRET = Secret(bytes(range(32)))


def test_a_new_secret_has_32_bytes_and_differs_each_time():
    one, other = make_secret(Clock()), make_secret(Clock())
    assert one != other
    assert one.text.startswith("whsec_")
    assert len(base64.b64decode(one.text.removeprefix("whsec_"))) == 32


@given(st.binary(min_size=32, max_size=32))
def test_every_secret_is_read_back_from_its_text(key: bytes):
    assert parse_secret(Secret(key).text).key == key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "whsec_",
        SECRET.text.removeprefix("whsec_"),
        SECRET.text.removesuffix("="),
        SECRET.text + "=",
        SECRET.text + "\n",
        " " + SECRET.text,
        SECRET.text.replace("whsec_", "WHSEC_"),
        SECRET.text.replace("whsec_", "whpk_"),
        "whsec_" + base64.b64encode(bytes(31)).decode(),
        "whsec_" + base64.b64encode(bytes(33)).decode(),
        "whsec_" + base64.b64encode(bytes(24)).decode(),
        "whsec_" + base64.urlsafe_b64encode(b"\xff" * 32).decode(),
        SECRET.text[:-2] + "9=",
        SECRET.text.replace("A", "А"),
    ],
)
def test_a_secret_in_any_other_spelling_is_refused(text: str):
    with pytest.raises(SecretInvalid):
        parse_secret(text)


@given(st.text())
def test_no_text_makes_reading_a_secret_fail_in_another_way(text: str):
    for candidate in (text, "whsec_" + text):
        try:
            assert parse_secret(candidate).text == candidate
        except SecretInvalid:
            continue


def test_a_secret_does_not_show_itself():
    shown = [repr(SECRET), str(SECRET), f"{SECRET}", repr([SECRET]), repr({"secret": SECRET})]
    try:
        parse_secret(SECRET.text + "x")
    except SecretInvalid as exc:
        shown.append("".join(traceback.format_exception(exc)))
    for text in shown:
        assert SECRET.text[6:] not in text
        assert repr(SECRET.key) not in text


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_secret_cannot_be_pickled_or_copied(protocol: int):
    with pytest.raises(TypeError):
        pickle.dumps(SECRET, protocol)
    with pytest.raises(TypeError):
        copy.deepcopy(SECRET)


@given(st.text(st.characters(exclude_characters="\0", codec="utf-8")), st.text(st.characters(codec="utf-8")))
def test_what_is_sealed_for_a_row_opens_for_that_row(row_id: str, plaintext: str):
    box = SecretBox([new_key()])
    token = box.seal(row_id, plaintext)
    assert box.open(row_id, token) == plaintext
    assert not plaintext or len(plaintext) < 8 or plaintext not in token


@pytest.mark.parametrize("other", ["", "b", "a\0", "a\0s", "A", "aa"])
def test_a_token_copied_to_another_row_does_not_open(other: str):
    box = SecretBox([new_key()])
    with pytest.raises(SecretUnreadable):
        box.open(other, box.seal("a", "secret"))


def test_a_row_id_with_a_separator_cannot_pass_for_another_row():
    with pytest.raises(ValueError, match="NUL"):
        SecretBox([new_key()]).seal("a\0b", "secret")


def test_sealing_twice_gives_two_tokens():
    box = SecretBox([new_key()])
    assert box.seal("a", "secret") != box.seal("a", "secret")


@given(st.text())
def test_a_damaged_token_is_unreadable_and_nothing_else(token: str):
    with pytest.raises(SecretUnreadable):
        SecretBox([new_key()]).open("a", token)


def test_after_a_rotation_old_tokens_open_and_new_ones_need_the_new_key():
    old, new = new_key(), new_key()
    before = SecretBox([old]).seal("a", "secret")
    rotated = SecretBox([new, old])
    assert rotated.open("a", before) == "secret"
    assert SecretBox([new]).open("a", rotated.seal("a", "secret")) == "secret"
    with pytest.raises(SecretUnreadable):
        SecretBox([new]).open("a", before)


def test_a_fingerprint_tells_keys_apart_without_telling_the_key():
    old, new = new_key(), new_key()
    box = SecretBox([new, old])
    assert box.fingerprint() == SecretBox([new]).fingerprint()
    assert box.knows(SecretBox([old]).fingerprint())
    assert not box.knows(SecretBox([new_key()]).fingerprint())
    assert new not in repr(box)
    assert box.fingerprint() not in new


@pytest.mark.parametrize(
    "keys",
    [
        [],
        [""],
        ["secret"],
        [new_key(), "x"],
        [new_key().removesuffix("=")],
        [new_key() + "\n"],
        ["!" + new_key()],
        [base64.b64encode(b"\xff" * 32).decode()],
        [base64.urlsafe_b64encode(bytes(31)).decode()],
        ["A" * 42 + "B="],
    ],
)
def test_a_malformed_key_is_a_start_up_problem_that_does_not_show_it(keys: list[str]):
    with pytest.raises(StartupError) as caught:
        SecretBox(keys)
    assert "storage.encryption_key" in caught.value.sentence
    for key in keys:
        assert len(key) < 8 or key not in caught.value.sentence
