"""`python -m bot.observability.probe`: asks this machine's Kennel whether it is well; exit status 0 if it is.

For a container's health check. Needs nothing but KENNEL_OBSERVABILITY__LISTEN in the environment.
"""

import http.client
import os
import sys
from contextlib import closing

VARIABLE = "KENNEL_OBSERVABILITY__LISTEN"
SECONDS = 4.0


def ask(listen: str) -> tuple[bool, str]:
    """Whether `/healthz` says that all is well, and what it says."""
    host, _, port = listen.rpartition(":")
    with closing(http.client.HTTPConnection(host.strip("[]"), int(port), timeout=SECONDS)) as connection:
        try:
            connection.request("GET", "/healthz")
            answer = connection.getresponse()
            return answer.status == 200, answer.read().decode("utf-8", "replace").strip()
        except (OSError, http.client.HTTPException) as error:
            return False, f"No answer from {listen} ({type(error).__name__})."


def main() -> int:
    """The exit status; what was said is printed."""
    listen = os.environ.get(VARIABLE)
    well, said = ask(listen) if listen else (False, f"{VARIABLE} is not set.")
    sys.stdout.write(said + "\n")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
