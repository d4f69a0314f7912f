"""budget_chart: what a ledger has spent, over time."""

from datetime import datetime
from itertools import accumulate

from privet.core.balance import Balance
from privet.display import Chart
from privet.errors import InvalidParameter

LETTERS = {"epsilon": "ε", "rho": "ρ", "mu_squared": "μ²"}


def budget_chart(ledger: Balance) -> Chart:
    """What was spent until when, below the limit, if the ledger was never renewed.

    Args:
        ledger: of an analyst's handle, what that analyst asked.

    Privacy: it shows what the ledger's entries do, and those may be seen by whoever holds it.

    Example:
        >>> import privet
        >>> ledger = privet.Ledger(privet.Guarantee(2), unit=privet.Unit("person"))
        >>> for purpose in ("first", "second"):
        ...     _ = privet.count([1, 2, 3], epsilon="0.5", ledger=ledger, purpose=purpose)
        >>> budget_chart(ledger)
        Chart(1 step, 1 line: spent, limit)
    """
    own = [entry for entry in ledger.entries if entry.kind != "draw" and ledger.analyst in (None, entry.analyst)]
    timed = [(datetime.fromisoformat(entry.at).timestamp() * 1000, entry.cost) for entry in own if entry.at]
    if not timed:
        raise InvalidParameter("nothing with a time has been spent from this ledger: ask something first, then draw it")
    unit = timed[0][1].units[0]
    moments = [at for at, _ in timed]
    totals = [float(total) for total in accumulate(cost.parts[0] for _, cost in timed)]
    name = LETTERS.get(unit, unit)
    title = f"Spent per {ledger.unit.name}"
    start = min(moments)
    steps = Chart.steps({"spent": ([start, *moments], [0.0, *totals])}, x="", y=name, title=title, days=True)
    limit = ledger.spent + ledger.remaining
    if ledger.analyst is not None or float(ledger.spent.parts[0]) != totals[-1]:
        return steps  # renewed, or one analyst's: the limit is of something else
    ends = (start, max(moments)), (float(limit.parts[0]),) * 2
    return steps + Chart.lines({"limit": ends}, x="", y=name, days=True)
