"""Connecting: a connection to a server on which every setting that could change a meaning is ours."""

from typing import Any

import psycopg

from privet.errors import InvalidParameter
from privet.query.backends.postgres.address import Address
from privet.query.backends.postgres.literals import quoted

CONNECT_TIMEOUT = 10  # seconds
# Settings that decide how fast the server answers, or what it writes into its logs. All others that a role can set have
# the value the server is built with, or one of those below.
FREE = (
    "^(enable|jit|geqo|cpu|parallel|max_parallel|min_parallel|effective|maintenance|vacuum|tcp|log|track|wal|commit)_"
    "|_(page_cost|collapse_limit|io_concurrency|combine_limit|flush_after|tablespaces|work_mem|siblings)$"
    "|^(work_mem|hash_mem_multiplier|temp_buffers|cursor_tuple_fraction|geqo|jit|application_name|synchronous_commit"
    "|recursive_worktable_factor|default_statistics_target|client_connection_check_interval"
    "|transaction_isolation|transaction_read_only|transaction_deferrable)$|[.]"
)
BUILT_WITH = """
SELECT COUNT(set_config(name, boot_val, false)) FROM pg_settings
WHERE context = 'user' AND boot_val IS NOT NULL AND setting <> boot_val AND name !~ %s AND name <> ALL (%s)
"""
PINNED = {  # whatever the server, the database and the role have as defaults
    "default_transaction_read_only": "on",
    "default_transaction_isolation": "'repeatable read'",  # one snapshot for a statement
    "default_transaction_deferrable": "off",
    "search_path": "pg_catalog, pg_temp",  # what we call is the server's own; pg_temp would come first by itself
    "client_encoding": "'UTF8'",
    "standard_conforming_strings": "on",
    "quote_all_identifiers": "off",
    "extra_float_digits": "1",  # the shortest text that is the number
    "DateStyle": "'ISO, YMD'",
    "IntervalStyle": "'postgres'",
    "TimeZone": "'UTC'",
    "timezone_abbreviations": "'Default'",
    "row_security": "on",
    "enable_nestloop": "off",  # where the planner takes many rows for few; without another way it is still used
    "jit": "off",  # our expressions take longer to compile than to run
}


def connect(address: Address, statement_timeout: str | None = None) -> "psycopg.Connection[Any]":
    """A connection for statements that only read, each of them a transaction of its own.

    Raises:
        InvalidParameter: if the server cannot be reached; without a word of what libpq said, which may hold a password.
    """
    connection = None
    try:
        connection = psycopg.connect(
            address.conninfo,
            autocommit=True,
            connect_timeout=CONNECT_TIMEOUT,
            fallback_application_name="privet",
            prepare_threshold=None,
        )
        pin(connection)
        _limit(connection, statement_timeout or address.statement_timeout)
    except BaseException as problem:
        if connection is not None:
            connection.close()
        if isinstance(problem, psycopg.Error):
            raise InvalidParameter(
                f"{address.place}: the database cannot be reached with what the source says; check host, database, "
                "user, password and sslmode, or try the same address with psql"
            ) from None
        raise
    if connection.info.parameter_status("server_encoding") != "UTF8":
        connection.close()
        raise InvalidParameter(f"{address.place}: the database is not encoded in UTF8, so it has other letters")
    return connection


def search_path(connection: "psycopg.Connection[Any]") -> list[str]:
    """The schemas in which this role finds tables by their name alone."""
    connection.execute("RESET search_path")
    row = connection.execute("SELECT CAST(pg_catalog.current_schemas(false) AS pg_catalog.text[])").fetchone()
    connection.execute(f"SET search_path = {PINNED['search_path']}")
    return [] if row is None else list(row[0])


def pin(connection: "psycopg.Connection[Any]") -> None:
    """Set everything that could change what a statement means, or whether it fails.

    The server itself lists what can be set, so a setting of a later version is not forgotten.
    """
    connection.execute("; ".join(f"SET {word} = {value}" for word, value in PINNED.items()))
    with connection.transaction():
        connection.execute("SET LOCAL work_mem = '8MB'")  # a role may have too little to list its settings
        connection.execute(BUILT_WITH, (FREE, list(PINNED)))


def _limit(connection: "psycopg.Connection[Any]", timeout: str | None) -> None:
    if timeout is None:
        return
    try:
        connection.execute(f"SET statement_timeout = {quoted(timeout)}")
    except psycopg.DataError:
        raise InvalidParameter('statement_timeout must be written as "90s", "5min" or milliseconds') from None
