"""Reported shares: what a report on clipping released: which share of rows was clipped, and of units over a limit."""

from collections.abc import Mapping
from typing import TypeAlias

import pyarrow as pa

from privet.query.plan.statement import Report, Statement
from privet.wording.shown_value import shown_value

Share: TypeAlias = tuple[float | None, float | None, float | None]  # with the ends of its interval


def share_name(report: Report, what: str, whose: str) -> str:
    """What a share is of.

    Example:
        >>> share_name(Report.ROWS, "income outside [0, 250000]", "person")
        'rows with income outside [0, 250000]'
    """
    return f"{'rows' if report is Report.ROWS else f'{whose}s'} with {what}"


def reported_shares(statement: Statement, tables: Mapping[str, pa.Table], *, whose: str) -> dict[str, Share]:
    """The shares that a statement released, by what they are of.

    Args:
        statement: with its stages; of a batch, one of its statements.
        tables: what each stage gave.
        whose: the word for those whose data is held to limits.
    """
    found: dict[str, Share] = {}
    for stage in statement.stages:
        if stage.report is None:
            continue
        (row,) = tables[stage.name].to_pylist()
        for column, _ in stage.output.items:
            name = share_name(stage.report, column.name, whose)
            if name in found:
                name = f"{name}, in {stage.name.rpartition(':')[0]}"
            found[name] = (row[column.name], row.get(f"{column.name}_low"), row.get(f"{column.name}_high"))
    return found


def share_words(name: str, share: Share) -> str:
    """A share for people.

    Example:
        >>> share_words("rows with age outside [0, 110]", (0.032, 0.028, 0.036))
        'rows with age outside [0, 110]: 3.20 ± 0.40 % of all'
    """
    value, low, high = (None if each is None else 100 * each for each in share)
    if value is None:
        return f"{name}: there are too few to say how many"
    return f"{name}: {shown_value(value, low=low, high=high)} % of all"
