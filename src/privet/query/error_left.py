"""The error that is left: what a ledger's rest would do for, where a wanted error costs more."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from decimal import ROUND_CEILING, Context
from fractions import Fraction

from privet.asking.wanted_error import Wanted, WantedError
from privet.core import Ledger
from privet.errors import BudgetExceeded, InvalidParameter
from privet.query.options import Options
from privet.query.pricing.quote import Quote

SHORT = Context(prec=3, rounding=ROUND_CEILING)  # digits of the error that is named
DOUBLINGS, HALVINGS = 24, 10


@contextmanager
def naming_error_left(options: Options, quoted: Callable[[Options], Quote], ledger: Ledger) -> Iterator[None]:
    """Add to a refusal which error would fit, where one was wanted.

    Args:
        options: what was said.
        quoted: the same question with other options.
        ledger: what remains of it is public.
    """
    try:
        yield
    except BudgetExceeded as problem:
        if options.errors is None or type(problem) is not BudgetExceeded:
            raise
        found = _largest(options, options.errors, quoted, ledger)
        advice = "no error would fit" if found is None else f"what remains would do for error={_said(found)}"
        told = None if problem.told is None else f"{problem.told}; {advice}"
        raise BudgetExceeded(f"{problem}; {advice}", told=told) from problem


def _largest(options: Options, wanted: Wanted, quoted: Callable[[Options], Quote], ledger: Ledger) -> Wanted | None:
    remaining = ledger.remaining

    def fits(factor: Fraction) -> bool:
        try:
            quote = quoted(replace(options, errors=_times(wanted, factor)))
        except InvalidParameter:
            return False
        cost = ledger.rule.cost(quote.loss, promise=quote.promise, delta=quote.options.delta)
        return cost.fits(remaining)

    high = next((factor for power in range(DOUBLINGS) if fits(factor := Fraction(2**power))), None)
    if high is None:
        return None
    low = high / 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return _times(wanted, high)


def _times(wanted: Wanted, factor: Fraction) -> Wanted:
    """All of them so much larger, rounded up to what people read."""
    if isinstance(wanted, Mapping):
        return {name: _rounded(each.times(factor)) for name, each in wanted.items()}
    return _rounded(wanted.times(factor))


def _rounded(error: WantedError) -> WantedError:
    return replace(error, amount=Fraction(SHORT.create_decimal(repr(float(error.amount)))))


def _said(wanted: Wanted) -> str:
    if isinstance(wanted, Mapping):
        return str({name: str(each) for name, each in wanted.items()})
    return f'"{wanted}"' if wanted.relative else str(wanted)
