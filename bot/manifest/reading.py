"""From the bytes that a trick serves to a `Manifest`, and to and from the text that is stored."""

from pydantic import ValidationError

from bot.errors import ManifestInvalid, Problem
from bot.manifest.checking import TRUSTED
from bot.manifest.models import Manifest
from bot.manifest.problems import WHOLE, capped, problems_of
from bot.manifest.rules import cross_problems
from bot.strict_json import Json, NotJson, canonical, parse
from bot.urls import origin_of

MAX_BYTES = 1_048_576


def read_manifest(data: bytes, development_hosts: frozenset[str] = frozenset()) -> Manifest:
    """Read and check a manifest as it was served; one UTF-8 byte order mark may stand before it.

    `development_hosts` are `host:port` pairs whose endpoints may be plain HTTP. Raises `ManifestInvalid` with
    every problem that can be found, at most 25 and a count of the rest.
    """
    raw = _object(data)
    problems: list[Problem] = []
    manifest = None
    try:
        manifest = Manifest.model_validate(raw, by_alias=True, by_name=False)
    except ValidationError as error:
        problems += problems_of(error)
    problems += cross_problems(raw, development_hosts)
    if manifest is None or problems:
        raise ManifestInvalid(capped(problems))
    return manifest


def dump_manifest(manifest: Manifest) -> str:
    """The canonical JSON of `manifest`, defaults written out: equal manifests give equal text."""
    return canonical(manifest.model_dump(by_alias=True, exclude_none=True)).decode()


def load_manifest(text: str) -> Manifest:
    """The manifest of which `dump_manifest` made `text`. It was checked when it came in and is not again."""
    return Manifest.model_validate_json(text, context=TRUSTED)


def foreign_origins(manifest: Manifest, manifest_url: str) -> tuple[str, ...]:
    """The origins of endpoints that are not the origin of `manifest_url`, each once, in the fields' order.

    The owner has to confirm them. Raises `UrlRefused` if `manifest_url` is no URL that Kennel reads.
    """
    endpoints = manifest.endpoints
    urls = [url for url in (endpoints.challenge, endpoints.mcp, endpoints.events) if url is not None]
    own = origin_of(manifest_url)
    return tuple(dict.fromkeys(origin for origin in map(origin_of, urls) if origin != own))


def _object(data: bytes) -> dict[str, Json]:
    if len(data) > MAX_BYTES:
        raise ManifestInvalid((Problem(WHOLE, "The file is larger than 1 MiB."),))
    try:
        raw = parse(data)
    except NotJson as refused:
        raise ManifestInvalid((Problem(WHOLE, f"The file {refused}."),)) from None
    if not isinstance(raw, dict):
        raise ManifestInvalid((Problem(WHOLE, "Must be a JSON object."),))
    return raw  # pyright: ignore[reportUnknownVariableType]
