"""Members who join and leave: told to tricks through an outbox, and what a trick answers is posted once."""
