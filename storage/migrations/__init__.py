"""Alembic's environment; `storage.migrate` runs it."""
