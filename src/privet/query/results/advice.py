"""Advice: which of noise, limits and bounds probably errs most, and what would err less, a sentence for each cause."""

from collections.abc import Iterator, Sequence

from privet.query.results.column_plans import ColumnPlan
from privet.wording.shown_value import roughly


def advice_before(plans: Sequence[ColumnPlan], *, whose: str = "") -> tuple[str, ...]:
    """What should be changed, as far as declared numbers tell it beforehand; nothing where nothing would err less.

    Args:
        plans: of the columns.
        whose: the word for those whose data is held to limits, to tell of noise as well; "" tells of what is cut off.
    """
    limited = [plan for plan in plans if plan.mostly == "limits"]
    noisy = [plan for plan in plans if plan.mostly == "noise" and plan.cut and plan.cut.rows_per_unit]
    found = []
    if limited:
        found.append(f"{_names(limited)}: the limit on rows probably errs more than the noise{_fix(limited)}")
    if noisy and whose:
        found.append(f"{_names(noisy)}: the noise hides more rows of each {whose} than most have{_fix(noisy)}")
    found += [
        f"{plan.name}: the bounds probably err more than the noise, by what is beyond them{_fix([plan])}"
        for plan in plans
        if plan.mostly == "bounds"
    ]
    return tuple(found)


def _names(plans: Sequence[ColumnPlan]) -> str:
    return ", ".join(plan.name for plan in plans)


def _fix(plans: Sequence[ColumnPlan]) -> str:
    """What would err least, and by how much, each change once."""
    fixes: dict[str, list[str]] = {}
    for change, off in _fixes(plans):
        fixes.setdefault(change, []).append(off)
    return "".join(f"; with {change} {', '.join(offs)}" for change, offs in fixes.items())


def _fixes(plans: Sequence[ColumnPlan]) -> Iterator[tuple[str, str]]:
    for plan in plans:
        cut = plan.cut
        if cut is not None and cut.then is not None:
            limit = f"rows_per_unit={cut.rows_per_unit}"
            change = limit if cut.upper is None else f"an upper bound of {roughly(cut.upper)}"
            yield change, f"{plan.name} would be off by about {roughly(cut.then)}"
