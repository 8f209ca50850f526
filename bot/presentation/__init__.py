"""What a trick wants shown: the `pup` object of a tool result, read leniently."""
