"""Set-up: from a file or database to a catalog, by names and types alone; no row is read."""
