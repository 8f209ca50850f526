"""What an operator's tools ask over HTTP: `/healthz` and `/metrics`."""
