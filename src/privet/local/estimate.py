"""Estimate: what reports say, with how sure that is; shown and handed on like every answer of Privet."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from privet.core.release import CONFIDENCE
from privet.display import Card, Column
from privet.errors import InvalidParameter
from privet.loss import PrivacyLoss
from privet.loss.exact import readable
from privet.wording.printable import printable
from privet.wording.shown_value import shown_value

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 24  # rows that are printed


def named(names: Sequence[Any]) -> pa.Array:
    """A column of what values are called: whole numbers where all are, else texts."""
    numbers = all(isinstance(name, int) and not isinstance(name, bool) for name in names)
    return pa.array(list(names) if numbers else [str(name) for name in names], pa.int64() if numbers else pa.string())


@dataclass(frozen=True, repr=False, eq=False)
class Estimate(ABC):
    """An unbiased number, or many, with standard errors and intervals. Subclasses are frozen dataclasses too.

    Args:
        protocol: its name.
        reports: n, how many there are.
        loss: of one report.
        epsilon: of one report.

    Privacy: an estimate is made of reports alone; nothing done to it costs more.

    Example:
        >>> from privet.local import KaryResponse
        >>> protocol = KaryResponse(["cat", "dog"], epsilon=1)
        >>> estimate = protocol.estimate(protocol.privatize(["cat", "dog"] * 500))
        >>> isinstance(estimate, Estimate), estimate.reports, round(estimate.epsilon, 6)
        (True, 1000, 1.0)
    """

    protocol: str
    reports: int
    loss: PrivacyLoss
    epsilon: float

    @property
    @abstractmethod
    def value(self) -> Any:  # noqa: ANN401 - a number, or an array
        """The unbiased estimate."""

    @property
    @abstractmethod
    def standard_error(self) -> Any:  # noqa: ANN401 - a number, or an array
        """The standard deviation of the estimate, over the noise and over samples of devices."""

    @abstractmethod
    def interval(
        self, confidence: float = CONFIDENCE, *, simultaneous: bool = False, population: bool = True
    ) -> tuple[Any, Any]:
        """Where the truth lies with this probability: a low and a high end for each number.

        Args:
            confidence: between 0 and 1, both excluded.
            simultaneous: True if all numbers shall hold together with this confidence, not each alone.
            population: True for the population that the devices are a sample of; False for these very devices.
        """

    @property
    @abstractmethod
    def table(self) -> pa.Table:
        """The estimate as an Arrow table; after a column x that has an interval come x_low and x_high."""

    def to_pandas(self) -> "pd.DataFrame":
        """The table as a pandas frame; needs pandas."""
        try:
            return self.table.to_pandas()
        except ModuleNotFoundError as problem:
            raise InvalidParameter("to_pandas needs pandas: pip install pandas, or use .table") from problem

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for any library that speaks Arrow: `pl.DataFrame(estimate)`, `pa.table(estimate)`."""
        return self.table.__arrow_c_stream__(requested_schema)

    def _words(self) -> list[str]:
        """What is said below the table."""
        more = self.table.num_rows - SHOWN
        left = [f"… {more:,} more"] if more > 0 else []
        return [
            *left,
            f"± at {CONFIDENCE:.0%} for each number alone, from the noise and from sampling of devices",
            f"{self.reports:,} reports by {self.protocol}, ε={readable(self.epsilon)} each",
        ]

    def _columns(self) -> list[Column]:
        """The columns as people see them: the first rows, each number with its margin."""
        table = self.table.slice(0, SHOWN)
        rows = table.to_pylist()
        shown = []
        for name in table.column_names:
            if name.endswith(("_low", "_high")) or name == "standard_error":
                continue
            ends = [(row.get(f"{name}_low"), row.get(f"{name}_high")) for row in rows]
            cells = [shown_value(row[name], low=low, high=high) for row, (low, high) in zip(rows, ends, strict=True)]
            spans = [
                None if low is None or high is None else (low, row[name], high)
                for row, (low, high) in zip(rows, ends, strict=True)
            ]
            shown.append(Column(name, cells, right=pa.types.is_floating(table.schema.field(name).type), spans=spans))
        return shown

    def __repr__(self) -> str:
        columns = [[column.name, *map(printable, column.cells)] for column in self._columns()]
        widths = [max(map(len, column)) for column in columns]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in zip(*columns, strict=True)
        ]
        return "\n".join([*lines, *self._words()])

    def _repr_html_(self) -> str:
        """What a notebook shows: the same table with whiskers, and the same words."""
        return Card(columns=self._columns(), lines=self._words()).html()
