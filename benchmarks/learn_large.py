# ruff: noqa: S608 - the script's own words
"""A regression on rows that stay in Parquet files, beside the plain sums of products that it is made of.

    python benchmarks/learn_large.py --rows 100_000_000 --folder /tmp/large          five features, each row a unit
    python benchmarks/learn_large.py --rows 10_000_000 --folder /tmp/large --units   rows of people, who are counted

Both are run by DuckDB with the same threads and memory, one after the other; the ratio of their times is what counts.
"""

import argparse
import resource
import tempfile
import time
import warnings
from pathlib import Path

import duckdb

import privet
from privet.learn import LinearRegression

FEATURES = "abcde"
COLUMNS = FEATURES + "y"
MULTIPLIERS = {"a": 1, "b": 3, "c": 7, "d": 11, "e": 13}


def made(folder: Path, rows: int) -> Path:
    """The rows, written once: features are hashes in [0, 1], y is a line and noise."""
    path = folder / f"rows-{rows}.parquet"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    features = ", ".join(f"(hash(range * {by}) % 1000000) / 1e6 AS {name}" for name, by in MULTIPLIERS.items())
    line = "0.5 * a + 0.25 * b + 0.25 * (hash(range * 17) % 1000000) / 1e6 AS y"
    with duckdb.connect() as engine:
        engine.execute("SET threads = 2; SET memory_limit = '1GB'")
        inner = f"SELECT range AS person, range, {features} FROM range({rows})"
        engine.execute(
            f"COPY (SELECT person, {', '.join(FEATURES)}, {line} FROM ({inner})) TO '{path}' (FORMAT parquet)"
        )
    return path


def plain(path: Path, memory: str) -> float:
    """Seconds of all sums of products, as anybody would write them."""
    pairs = [(one, other) for place, one in enumerate(COLUMNS) for other in COLUMNS[place:]]
    sums = ["COUNT(*)", *(f"SUM({each})" for each in COLUMNS), *(f"SUM({one} * {other})" for one, other in pairs)]
    with duckdb.connect() as engine:
        engine.execute(f"SET threads = 2; SET memory_limit = '{memory}'")
        start = time.perf_counter()
        engine.execute(f"SELECT {', '.join(sums)} FROM '{path}'").fetchall()
        return time.perf_counter() - start


def private(path: Path, memory: str, *, units: bool) -> tuple[float, LinearRegression]:
    """Seconds of a fit, and the model."""
    who = 'unit = "person"' if units else 'unit = "row"'
    table = [f'parquet = "{path}"', 'unit_column = "person"' if units else ""]
    bounds = [f'columns.{each} = {{ type = "real", bounds = [0, 1] }}' for each in COLUMNS]
    text = [f'name = "large"\n{who}\nlimit = {{ epsilon = "1" }}\n[tables.people]', *table, *bounds]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a new ledger
        catalog = Path(folder) / "large.toml"
        catalog.write_text("\n".join(text), encoding="utf-8")
        with privet.connect(catalog, memory=memory, threads=2) as session:
            start = time.perf_counter()
            model = LinearRegression(epsilon=1)
            model.fit(session.rows(f"SELECT {', '.join(COLUMNS)} FROM people"), "y")
            return time.perf_counter() - start, model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, required=True, help="where the rows are, or are written")
    parser.add_argument("--memory", default="1.5GB", help="what the engine may use")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--units", action="store_true", help="rows are people's, who must be counted")
    options = parser.parse_args()
    path = made(options.folder, options.rows)
    for _ in range(options.repeats):
        bare = plain(path, options.memory)
        ours, model = private(path, options.memory, units=options.units)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"plain {bare:.2f} s, Privet {ours:.2f} s, ratio {ours / bare:.2f}, peak {peak:.2f} GiB", end=", ")
        print(f"coefficients {model.coef_.round(4).tolist()}")


if __name__ == "__main__":
    main()
