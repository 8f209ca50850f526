"""What Kennel knows of tricks and its own rules; Discord is spoken in `cogs`, rows are kept in `storage`."""
