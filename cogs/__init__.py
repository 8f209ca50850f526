"""Everything that speaks Discord; it calls the services that `bot.services` builds."""
