"""Asking before a write: cards, consents, and the automatic review."""
