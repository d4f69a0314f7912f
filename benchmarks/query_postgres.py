"""A PostgreSQL with the table in it: a server of its own, for as long as it is measured."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from rich.progress import Progress

ROOT = Path(__file__).parents[1]
TABLE = "CREATE UNLOGGED TABLE people (user_id bigint, city text, age integer, salary double precision)"
WORK = "256MB"  # what a server may use for each sort or hash
BATCH = 1 << 18


@dataclass(frozen=True)
class Server:
    """A running server.

    Args:
        address: of its database.
        process: its first process; others are children of it.
    """

    address: str
    process: int

    def load(self, file: Path, progress: Progress) -> None:
        """Put the rows of a Parquet file into the table, in the place of those there are."""
        import psycopg  # noqa: PLC0415 - an extra

        source = pq.ParquetFile(file)
        task = progress.add_task(f"loading {source.metadata.num_rows:,} rows", total=source.metadata.num_rows)
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS people")
            connection.execute(TABLE)
            with connection.cursor() as cursor, cursor.copy("COPY people FROM STDIN (FORMAT csv)") as copy:
                for batch in source.iter_batches(BATCH):
                    text = pa.BufferOutputStream()
                    pacsv.write_csv(batch, text, pacsv.WriteOptions(include_header=False))
                    copy.write(text.getvalue().to_pybytes())
                    progress.advance(task, len(batch))
            connection.execute("VACUUM (ANALYZE) people")
        progress.remove_task(task)

    def use(self, *, threads: int) -> None:
        """Let every query that begins from now on run on so many cores."""
        import psycopg  # noqa: PLC0415 - an extra

        with psycopg.connect(self.address, autocommit=True) as connection:
            name = psycopg.sql.Identifier(connection.info.dbname)
            settings = {
                "max_parallel_workers_per_gather": str(threads - 1),
                "min_parallel_table_scan_size": "1MB",
                "work_mem": WORK,
                "jit": "off",
            }
            for setting, value in settings.items():
                text = psycopg.sql.SQL("ALTER DATABASE {} SET {} = {}")
                connection.execute(text.format(name, psycopg.sql.Identifier(setting), psycopg.sql.Literal(value)))


@contextmanager
def postgres() -> Iterator[Server]:
    """The server that the tests use, too.

    Raises:
        RuntimeError: if there is none to be had.
    """
    sys.path.append(str(ROOT))
    from tests.support.postgres import MISSING, server  # noqa: PLC0415 - not installed, but beside us

    with server() as address:
        if address is None:
            raise RuntimeError(MISSING)
        import psycopg  # noqa: PLC0415 - an extra

        with psycopg.connect(address) as connection:
            row = connection.execute("SHOW data_directory").fetchone()
        first = (Path(row[0] if row else "") / "postmaster.pid").read_text(encoding="utf-8").splitlines()[0]
        yield Server(address, int(first))
