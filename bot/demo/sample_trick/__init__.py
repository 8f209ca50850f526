"""Snack Club, a whole trick to copy and start from. It needs aiohttp and standardwebhooks and nothing else.

A trick is a small web server. `/manifest.json` says what it offers; the other addresses get signed POSTs:
`/challenge` proves that both sides know the secret, `/mcp` runs the tools, `/events` tells who joined or
left. `snack_club.py` is the trick itself, the file to change; `tools.py`, `server.py` and `protocol.py` can
stay as they are. Copy this directory and start it beside the copy:

    export TRICK_PUBLIC_URL=https://snacks.example.com TRICK_WEBHOOK_SECRETS=whsec_...
    python -m sample_trick --port 8080

Register `<public URL>/manifest.json`, put the secret that you are shown into TRICK_WEBHOOK_SECRETS and start
again; while it is being rotated give both, with a comma between. Everything is kept in memory here: a restart
forgets the snacks and ends the running tasks. A trick in earnest has a database.
"""

from .snack_club import build_app

__all__ = ["build_app"]
