"""What `bot.services` builds once for a process, in groups, each from what all of them share (`base`)."""
