"""What is kept about whom: shown, given out and erased, for a member and for a server that the bot has left."""
