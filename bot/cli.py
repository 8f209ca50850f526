"""The command line: run, demo, check, invite, db. What keeps Kennel from starting is a sentence, no traceback."""

import asyncio
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import click
from click.core import ParameterSource

from bot.config import Config, read_config
from bot.errors import StartupError
from bot.log import configure
from storage.errors import StorageError


def main() -> None:
    """The `kennel` script."""
    try:
        kennel(prog_name="kennel")
    except StartupError as error:
        _leave(error.problems)
    except StorageError as error:
        _leave([error.advice])
    except KeyboardInterrupt:
        sys.exit(130)


def _leave(problems: Iterable[str]) -> NoReturn:
    for problem in problems:
        click.echo(problem, err=True)
    sys.exit(1)


@click.group()
@click.option(
    "--config",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("config.toml"),
    show_default=True,
    help="The configuration file. Every key can also be set as KENNEL_<SECTION>__<KEY>.",
)
@click.version_option(package_name="kennel-bot")
@click.pass_context
def kennel(context: click.Context, path: Path) -> None:
    """Kennel: a self-hosted Discord bot that runs tricks."""
    context.obj = path


def _config_of(context: click.Context) -> Config:
    return read_config(context.obj, required=_is_given(context))


def _is_given(context: click.Context) -> bool:
    """Whether the file was named: then it has to exist, while the default one may be missing."""
    parent = context.find_root()
    return parent.get_parameter_source("path") is not ParameterSource.DEFAULT


@kennel.command()
@click.pass_context
def run(context: click.Context) -> None:
    """Bring the database up to date, log in to Discord and serve."""
    from bot.run import run as serve

    configure()
    asyncio.run(serve(_config_of(context), context.obj))


@kennel.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The page's port; any free one by default."
)
def demo(port: int) -> None:
    """Try everything in the browser: no token, no account."""
    from bot.demo.start import run_demo

    run_demo(port)


@kennel.command()
@click.pass_context
def check(context: click.Context) -> None:
    """Report all that keeps Kennel from running; changes nothing."""
    from bot.check import look_at

    found = asyncio.run(look_at(context.obj, required=_is_given(context)))
    for hint in found.hints:
        click.echo(hint, err=True)
    if found.problems:
        raise StartupError(found.problems)
    click.echo("Nothing keeps Kennel from running." if found.hints else "Everything is in order.")


@kennel.command()
@click.pass_context
def invite(context: click.Context) -> None:
    """Print the address that invites the bot to a server."""
    from bot.check import application
    from bot.invite import invite_url

    click.echo(invite_url(str(asyncio.run(application(_config_of(context), context.obj)).id)))


@kennel.group()
def db() -> None:
    """Look at the database's schema, or upgrade it."""


@db.command()
@click.pass_context
def upgrade(context: click.Context) -> None:
    """Bring the database up to date."""
    from storage.migrate import HEAD
    from storage.migrate import upgrade as migrate

    found = asyncio.run(migrate(_config_of(context).storage.url))
    click.echo(
        f"Up to date at {HEAD}." if found == HEAD else f"Upgraded from {found or 'nothing'} to {HEAD}."
    )


@db.command()
@click.pass_context
def status(context: click.Context) -> None:
    """Say whether the database is up to date; changes nothing."""
    from storage.migrate import HEAD, REVISIONS, state

    found = asyncio.run(state(_config_of(context).storage.url))
    if found == HEAD:
        click.echo(f"The database is up to date ({HEAD}).")
    elif found is None:
        click.echo(f"There is no database yet, or it is empty; `kennel run` makes it at its start ({HEAD}).")
    elif found in REVISIONS:
        click.echo(f"The database is at {found}; `kennel run` or `kennel db upgrade` brings it to {HEAD}.")
    else:
        raise StartupError(
            [f"The database is at {found}, which a newer Kennel wrote; this one knows {HEAD}."]
        )
