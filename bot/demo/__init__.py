"""The whole product offline, and the sample trick that it runs."""
