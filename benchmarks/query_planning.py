"""What planning one statement costs, beside OpenDP's, in one run: parse, bind, price, compile; no row is read.

Every question of Privet's first row has an ε of its own, so that nothing kept from an earlier one helps; the second row
asks the same again. OpenDP searches for its scales each time.
"""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
from peers import Row, best_of, run_peer, show
from rich.console import Console

from privet import Guarantee, Ledger, Unit
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.plan.limits import Limits
from privet.query.scalars.facts import Facts, Type
from privet.query.session import Session

CITIES = tuple(f"city {number}" for number in range(50))
STATEMENT = "SELECT city, COUNT(*) AS n, SUM(salary) AS total, AVG(salary) AS pay FROM people GROUP BY city"
PRIVATE = "SELECT town, COUNT(*) AS n, SUM(salary) AS total, AVG(salary) AS pay FROM people GROUP BY town"
WANTED = 20
SCRIPT = str(Path(__file__).with_name("query_peers.py"))


def session() -> Session:
    """People with at most four rows each, as the peer's script has them."""
    columns = {
        "user": Facts(Type.INTEGER, nullable=False),
        "city": Facts(Type.TEXT, values=CITIES),
        "town": Facts(Type.TEXT),
        "salary": Facts(Type.REAL, low=Fraction(20_000), high=Fraction(200_000)),
    }
    people = DeclaredTable("people", columns, unit_column="user", limits=Limits(groups_per_unit=4, rows_per_group=1))
    frame = pa.table({"user": [1], "city": ["city 1"], "town": ["a"], "salary": [50_000.0]})
    unit = Unit("person")
    catalog = Catalog("people", unit, Guarantee(10, "1e-5"), {"people": people}, frames={"people": frame})
    return Session(catalog, backend=DuckDBBackend(catalog), ledger=Ledger(catalog.limit, unit=unit))


def main() -> None:
    console = Console()
    opened = session()
    number = itertools.count(1)

    def fresh(text: str = STATEMENT) -> None:
        opened.explain(text, epsilon=1 + Fraction(next(number), 997), delta="1e-6")

    first = best_of(fresh, 1)
    new = best_of(fresh)
    again = best_of(lambda: opened.explain(STATEMENT, epsilon=1, delta="1e-6"))
    private = best_of(lambda: fresh(PRIVATE))
    told = run_peer("opendp-polars", ["opendp[polars]==0.16.0"], ["-W", "ignore", SCRIPT], console)
    theirs = json.loads(told[-1])["seconds"]
    rows = [
        Row.faster("the very first statement", first, "opendp", theirs, times=WANTED),
        Row.faster("a new budget", new, "opendp", theirs, times=WANTED),
        Row.faster("a new budget, private groups", private, "opendp", theirs, times=WANTED),
        Row.faster("the same again", again, "opendp", theirs, times=WANTED),
    ]
    show("planning COUNT, SUM and AVG by city", rows, console)


if __name__ == "__main__":
    main()
