"""The path of one question through the source: how many files it passes, and how often it changes the room.

    PYTHONPATH=src python benchmarks/query_path.py [--show]

It is asked twice, and looked at the second time, when nothing is made once and remembered. Functions count when they
are first entered, in that order; a change is where one follows another that is in another room. A room is a folder of
`src/privet/`, and inside of `query/` each of its folders; what lies beside them is a room as well. Any commit can be
looked at: this file needs nothing but `privet.connect`.
"""

import itertools
import sys
import tempfile
import warnings
from pathlib import Path
from types import FrameType

import duckdb

import privet

SOURCE = Path(privet.__file__).parent
STATEMENT = "SELECT city, AVG(salary) AS pay FROM people GROUP BY city"
CATALOG = """
name = "salaries"
unit = "person"
limit = { epsilon = "10" }
source = "duckdb:///salaries.duckdb"
[tables.people]
unit_column = "id"
columns.city = { type = "text", values = ["Bern", "Basel", "Chur"] }
columns.salary = { type = "real", bounds = [0, 200000] }
"""
PEOPLE = "SELECT i AS id, ['Bern', 'Basel', 'Chur'][i % 3 + 1] AS city, 1.0 * i AS salary FROM range(3000) t(i)"


def room(path: str) -> str:
    """The room that a file is in."""
    parts = path.split("/")
    return "/".join(parts[: 2 if parts[0] == "query" and len(parts) > 2 else 1])


def entered(folder: Path) -> list[tuple[str, str]]:
    """File and name of every function that the second of two questions enters, in the order of their first time."""
    with duckdb.connect(str(folder / "salaries.duckdb")) as connection:
        connection.execute(f"CREATE TABLE people AS {PEOPLE}")
    (folder / "salaries.toml").write_text(CATALOG, encoding="utf-8")
    found: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(SOURCE):
            found.setdefault((path.relative_to(SOURCE).as_posix(), frame.f_code.co_name))

    with privet.connect(folder / "salaries.toml") as session:
        session.sql(STATEMENT, epsilon=1)
        sys.setprofile(note)
        session.sql(STATEMENT, epsilon=1)
        sys.setprofile(None)
    return list(found)


def main() -> None:
    """Print the figures, and with `--show` the path."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = entered(Path(folder))
    rooms = [room(file) for file, _ in path]
    changes = sum(here != before for before, here in itertools.pairwise(rooms))
    lines = [f"{len({file for file, _ in path})} files, {len(set(rooms))} rooms, {changes} changes of room"]
    if "--show" in sys.argv:
        lines += [f"{file}  {name}" for file, name in path]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
