"""The second price: the same price again, read off the engine's SQL. It shares no code with the first."""
