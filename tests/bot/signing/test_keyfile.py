import os
import threading
from pathlib import Path

import pytest

from bot.errors import StartupError
from bot.signing import SecretBox, load_or_create_key, new_key


def test_the_first_start_makes_a_key_that_only_its_owner_may_read(tmp_path: Path):
    path = tmp_path / "kennel.key"
    key = load_or_create_key(path)
    SecretBox([key])
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["kennel.key"]


def test_the_next_start_uses_the_same_key(tmp_path: Path):
    path = tmp_path / "kennel.key"
    assert load_or_create_key(path) == load_or_create_key(path)


def test_white_space_around_the_key_does_not_matter(tmp_path: Path):
    path = tmp_path / "kennel.key"
    key = new_key()
    path.write_text(f"\n{key}\r\n")
    path.chmod(0o400)
    assert load_or_create_key(path) == key


def test_processes_that_start_together_agree_on_one_key(tmp_path: Path):
    path = tmp_path / "kennel.key"
    together = threading.Barrier(8)
    keys: list[str] = []

    def start() -> None:
        together.wait()
        keys.append(load_or_create_key(path))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1
    assert os.listdir(tmp_path) == ["kennel.key"]


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o660, 0o602, 0o644])
def test_a_key_file_that_others_may_read_is_refused_with_the_remedy(tmp_path: Path, mode: int):
    path = tmp_path / "kennel.key"
    load_or_create_key(path)
    path.chmod(mode)
    with pytest.raises(StartupError, match=r"chmod 600 .*kennel\.key"):
        load_or_create_key(path)


@pytest.mark.parametrize("content", [b"", b"secret", b"\xff\xfe\x00", b"A" * 10_000, b"A" * 44])
def test_a_malformed_key_file_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes):
    path = tmp_path / "kennel.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(StartupError, match="does not hold an encryption key"):
        load_or_create_key(path)
    assert path.read_bytes() == content


def test_a_place_that_does_not_exist_is_a_sentence(tmp_path: Path):
    with pytest.raises(StartupError, match="cannot be used: No such file or directory"):
        load_or_create_key(tmp_path / "missing" / "kennel.key")


def test_a_directory_in_its_place_is_a_sentence(tmp_path: Path):
    path = tmp_path / "kennel.key"
    path.mkdir()
    with pytest.raises(StartupError, match="cannot be used: Is a directory"):
        load_or_create_key(path)
