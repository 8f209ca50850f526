"""Conversations: what the model is told, the loop, and what is answered."""
