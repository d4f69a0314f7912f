"""Every engine, held to what DuckDB and the reference say: see `tests/support/engines.py`, where an engine is added."""
