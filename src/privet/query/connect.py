"""`privet.connect`: from a catalog to a session."""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from privet.errors import InvalidParameter
from privet.query.backends.backend import Backend
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.catalog.catalog_ledger import ledger_of
from privet.query.catalog.schema import Schema, completed
from privet.query.catalog.spark_source import is_spark
from privet.query.catalog.toml_file import read_catalog
from privet.query.no_catalog import refuse_data, refuse_object
from privet.query.session import Session
from privet.wording.called_like import called_like

DUCKDB = "duckdb:///"
SERVERS_OF_PRIVET = ("https://", "http://")
LOG = logging.getLogger("privet")
LOG.addHandler(
    logging.NullHandler()
)  # a refusal is raised; without a handler of the caller's it is not printed as well


@called_like('privet.connect("hospital.toml"), or privet.connect(catalog)')
def connect(  # noqa: PLR0913 - who asks, and with what, each by name
    catalog: str | Path | Catalog,
    *,
    analyst: str | None = None,
    memory: str | None = None,
    threads: int | None = None,
    create: bool | None = None,
    token: str | None = None,
    certificate: str | Path | None = None,
) -> Session:
    """A session with the tables of a catalog: opens the data, and the ledger that is charged for every answer.

    Args:
        catalog: a catalog file such as "hospital.toml", a `Catalog` made in Python, or the address of a server, such as
            "https://stats.example.org".
        analyst: who asks; needed if the catalog names its analysts.
        memory: the most that an engine in this process may use, such as "4GB"; what does not fit is spilled to a folder
            in TMPDIR, which is removed afterwards. Most of the machine's by default.
        threads: how many of them such an engine may use; as many as the machine has by default.
        create: whether to make the ledger where there is none. Not said, it is made with a warning (`NewLedger`); a
            service says False once its ledger is there.
        token: who asks, at a server: what `privet token new` printed; what the variable PRIVET_TOKEN says by default.
        certificate: of a server: a PEM file to trust, such as the one that `privet serve --dev` made.

    Raises:
        InvalidParameter: if the catalog, the data's schema and the ledger do not fit together; nothing is read or
            spent.
        LedgerUnavailable, LedgerDamaged: if the ledger cannot be used.

    Example:
        >>> import pyarrow as pa
        >>> import privet
        >>> people = pa.table({"id": range(100), "age": [30, 40] * 50})
        >>> declared = {"unit": "person", "unit_column": "id", "columns": {"age": {"bounds": [0, 110]}}}
        >>> session = privet.connect(privet.Catalog.of(people, table="people", limit=privet.Guarantee(1), **declared))
        >>> session.sql("SELECT COUNT(*) AS n FROM people", epsilon="0.5").table.column_names
        ['n', 'n_low', 'n_high']
        >>> session.ledger.spent
        ε=0.5, δ=0
    """
    if isinstance(catalog, str) and catalog.casefold().startswith(SERVERS_OF_PRIVET):
        return _remote(catalog, token, certificate, (analyst, memory, threads, create))
    if token is not None or certificate is not None:
        raise InvalidParameter("token and certificate are for servers: connect to an address such as https://…")
    if isinstance(catalog, Catalog):
        return _connected(catalog, analyst, create, memory=memory, threads=threads)
    refuse_object(catalog)
    refuse_data(catalog)
    declared = read_catalog(catalog)
    try:
        return _connected(declared, analyst, create, memory=memory, threads=threads)
    except InvalidParameter as problem:
        raise InvalidParameter(f"{catalog}: {problem}") from problem


def _remote(
    address: str, token: str | None, certificate: str | Path | None, of_a_catalog: tuple[object, ...]
) -> Session:
    """The token says who asks, and the server what its engine and its ledger are."""
    from privet.query.remote_session import connect_remote  # noqa: PLC0415 - for those who have a server

    if any(each is not None for each in of_a_catalog):
        raise InvalidParameter("analyst, memory, threads and create are the server's: leave them out, and pass token=")
    return connect_remote(address, token=token, certificate=certificate)


def _connected(
    catalog: Catalog,
    analyst: str | None,
    create: bool | None,  # noqa: FBT001 - as it was said
    *,
    memory: str | None,
    threads: int | None,
) -> Session:
    backend = backend_of(catalog, memory=memory, threads=threads)
    try:
        complete = completed(catalog, backend.schema())
        session = Session(complete, backend=backend, ledger=ledger_of(complete, analyst=analyst, create=create))
    except BaseException:
        backend.close()
        raise
    LOG.info("opened %s: %d tables", catalog.name, len(catalog.tables))
    return session


def backend_of(catalog: Catalog, *, memory: str | None = None, threads: int | None = None) -> Backend:
    """The engine that holds a catalog's tables, opened for reading; which one, the scheme of its source says."""
    scheme, _, rest = catalog.source.partition("://")
    if rest and scheme in SERVERS:
        return SERVERS[scheme](catalog)
    if is_spark(catalog):
        from privet.query.backends.spark.engine import SparkBackend  # noqa: PLC0415 - slow to load, and few need it

        return SparkBackend(catalog, memory=memory, threads=threads)
    if catalog.source and not catalog.source.startswith(DUCKDB):
        raise InvalidParameter(
            f'source: must be "{DUCKDB}file", "postgresql://user@host/base" or "spark://host:7077", or left out with '
            "files for each table"
        )
    return DuckDBBackend(catalog, memory=memory, threads=threads)


def _postgres(catalog: Catalog) -> Backend:
    from privet.query.backends.postgres import PostgresBackend  # noqa: PLC0415 - its library is an extra

    return PostgresBackend(catalog)


SERVERS: Mapping[str, Callable[[Catalog], Backend]] = {"postgresql": _postgres, "postgres": _postgres}


def schema_of(catalog: Catalog) -> Schema:
    """The engine's schema for a catalog; reads no rows."""
    backend = backend_of(catalog)
    try:
        return backend.schema()
    finally:
        backend.close()


def writable_of(catalog: Catalog) -> tuple[str, ...]:
    """Tables on a server that the role of the source could change."""
    if catalog.source.partition("://")[0] not in SERVERS:
        return ()
    backend = backend_of(catalog)
    try:
        return tuple(getattr(backend, "writable", ()))
    finally:
        backend.close()
