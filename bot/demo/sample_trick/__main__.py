"""Starts the trick from the command line, with its secrets from the environment."""

import argparse
import os
import re

from aiohttp import web

from . import build_app


def main() -> None:
    """Serve until SIGTERM or Ctrl-C. A tunnel or a proxy with HTTPS stands in front of it."""
    parser = argparse.ArgumentParser(prog="sample_trick", description="Serve the trick Snack Club.")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8080, help="the port to listen on (default: %(default)s)")
    options = parser.parse_args()
    public_url = os.environ.get("TRICK_PUBLIC_URL", "")
    if not public_url:
        parser.error("set TRICK_PUBLIC_URL to the address at which the bot reaches this server")
    secrets = re.findall(r"[^,\s]+", os.environ.get("TRICK_WEBHOOK_SECRETS", ""))
    if not all(re.fullmatch(r"whsec_[A-Za-z0-9+/]+=*", secret) for secret in secrets):
        parser.error("TRICK_WEBHOOK_SECRETS has something that is not whsec_ and base64")
    web.run_app(build_app(secrets, public_url), host=options.host, port=options.port, shutdown_timeout=5)


if __name__ == "__main__":
    main()
