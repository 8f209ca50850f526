"""Reading `storage.url`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from storage.drivers import make_engine, read_url
from storage.errors import DatabaseUrlInvalid, DriverMissing


def test_a_relative_path_is_relative_to_the_working_directory_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_url("sqlite:///kennel.db").file == str(tmp_path / "kennel.db")


def test_four_slashes_begin_an_absolute_path() -> None:
    assert read_url("sqlite:////var/lib/kennel.db").file == "/var/lib/kennel.db"


def test_sslmode_reaches_the_driver_under_its_own_name() -> None:
    address = read_url("postgresql://kennel:pw@db.example:5433/kennel?sslmode=require")
    assert address.ssl == "require"
    assert address.url.render_as_string() == "postgresql+asyncpg://kennel:***@db.example:5433/kennel"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "kennel.db",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///kennel.db?mode=ro",
        "sqlite://host/kennel.db",
        "mysql://root@127.0.0.1/kennel",
        "postgresql+psycopg2://root@127.0.0.1/kennel",
        "postgresql://root@127.0.0.1:port/kennel",
        "postgresql://root@127.0.0.1/kennel?target_session_attrs=any",
    ],
)
def test_any_other_url_is_refused_with_a_sentence(url: str) -> None:
    with pytest.raises(DatabaseUrlInvalid) as refusal:
        read_url(url)
    assert refusal.value.sentence.startswith("storage.url ")


def test_a_refused_url_does_not_repeat_its_password() -> None:
    with pytest.raises(DatabaseUrlInvalid) as refusal:
        read_url("mysql://root:hunter2@127.0.0.1/kennel")
    assert "hunter2" not in f"{refusal.value!r} {refusal.value.sentence}"


def test_without_the_package_postgresql_is_refused_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(DriverMissing) as missing:
        make_engine(read_url("postgresql://postgres@127.0.0.1/kennel"), "read", 100)
    assert "'.[postgres]'" in missing.value.sentence


def test_importing_the_stores_brings_in_neither_alembic_nor_the_postgresql_driver() -> None:
    modules = sorted(f"storage.{path.stem}" for path in Path("storage").glob("[a-z]*.py"))
    code = f"import sys, {', '.join(modules)}; print([m for m in ('alembic', 'asyncpg', 'mako') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert (done.stdout, done.stderr) == ("[]\n", "")
    assert "storage.engine" in modules
