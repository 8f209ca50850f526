"""The life of a trick in a server: registering, testing, enabling, calling, pausing, removing."""
