"""Every engine, held to what DuckDB and the reference say: see `engines.py`, where an engine is added."""
