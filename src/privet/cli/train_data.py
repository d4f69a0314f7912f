"""What `privet train` learns from: a table of a catalog, or a file with what was declared of it by options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from privet.core import Ledger, Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee, Promise
from privet.loss.exact import exact
from privet.query.catalog import Catalog
from privet.query.catalog.declared_table import DeclaredTable
from privet.query.catalog.toml_file import ROW
from privet.query.plan.limits import limits_from
from privet.query.scalars.facts import Facts, Type

TABLE = "data"
FILES = (".csv", ".csv.gz", ".parquet", ".pq")


@dataclass(frozen=True)
class DeclaredFile:
    """A file of private rows, and what options say about it.

    Args:
        file: CSV or Parquet.
        bounds: of numbers, such as "age=0:120".
        values: of categories, such as "sex=F,M".
        unit_column: whose a row is; None if each row is a unit.
        rows_per_unit: how many rows of a unit count.
        ledger: its address; None for one in memory, of this training alone.
    """

    file: Path
    bounds: Sequence[str]
    values: Sequence[str]
    unit_column: str | None
    rows_per_unit: int | None
    ledger: str | None

    def catalog(self, limit: Guarantee) -> Catalog:
        """The same as a catalog; without a ledger `limit` is all that may be spent."""
        if not self.file.name.lower().endswith(FILES):
            raise InvalidParameter(f"{self.file} must be a catalog (.toml), a CSV or a Parquet file")
        if not self.file.is_file():
            raise InvalidParameter(f"there is no file {self.file}: name a catalog, a CSV or a Parquet file")
        if self.rows_per_unit is not None and self.unit_column is None:
            raise InvalidParameter("rows_per_unit needs --unit-column: without it each row is a unit of its own")
        columns = {**_numbers(self.bounds), **_categories(self.values)}
        if not columns:
            raise InvalidParameter(
                "say what is public about the columns: --bounds age=0:120 of numbers, --values sex=F,M of categories; "
                f"or draft a catalog with `privet catalog draft {self.file}`"
            )
        promise, unit = self._terms(limit)
        most = 1 if self.rows_per_unit is None else self.rows_per_unit
        table = DeclaredTable(
            TABLE,
            columns,
            unit_column=self.unit_column,
            limits=limits_from(most, None, None),
            files=str(self.file.absolute()),
        )
        return Catalog(
            name=self.file.name.split(".")[0],
            unit=unit,
            limit=promise,
            tables={TABLE: table},
            row_level=self.unit_column is None,
            ledger=self.ledger,
        )

    def _terms(self, limit: Guarantee) -> tuple[Promise, Unit]:
        """The limit and the unit, of the ledger if there is one."""
        if self.ledger is None:
            return limit, Unit(ROW if self.unit_column is None else "person")
        with Ledger.open(self.ledger) as opened:
            promise, unit = opened.limit, opened.unit
        if self.unit_column is None and unit.name != ROW:
            raise InvalidParameter(
                f"the ledger protects every {unit.name}: say with --unit-column which column tells them apart"
            )
        return promise, unit


def _numbers(said: Sequence[str]) -> Mapping[str, Facts]:
    found = {}
    for each in said:
        name, equals, ends = each.rpartition("=")
        low, colon, high = ends.partition(":")
        if not (equals and name and colon):
            raise InvalidParameter(f"--bounds takes name=low:high, got {each}: write --bounds age=0:120")
        lower, upper = exact(low, f"--bounds {name}"), exact(high, f"--bounds {name}")
        if not lower < upper:
            raise InvalidParameter(f"--bounds must have a lower end and a higher one, got {each}: write {name}=0:120")
        found[name] = Facts(Type.REAL, low=lower, high=upper)
    return found


def _categories(said: Sequence[str]) -> Mapping[str, Facts]:
    found = {}
    for each in said:
        name, equals, listed = each.partition("=")
        labels = tuple(dict.fromkeys(label.strip() for label in listed.split(",") if label.strip()))
        if not (equals and name and labels):
            raise InvalidParameter(f"--values takes name=one,two, got {each}: write --values sex=F,M")
        found[name] = Facts(Type.TEXT, values=labels)
    return found
