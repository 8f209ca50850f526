"""The model behind conversations: our own small protocol, and the one adapter to providers."""
