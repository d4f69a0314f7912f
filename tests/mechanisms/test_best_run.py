"""BestRun: the contract on tables, whose best run has a law that can be written down."""

import math
from fractions import Fraction
from typing import Any, ClassVar

import pytest

from privet import Guarantee, Ledger, Sensitive, Unit
from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.mechanisms import BestRun, FiniteMechanism, RandomRuns, Scored
from privet.noise import BitSource
from tests.contracts.mechanism import Example, Law, MechanismContract

TABLE = (
    (Fraction(3, 10), Fraction(1, 10), Fraction(5, 10), Fraction(1, 10)),
    (Fraction(4, 10), Fraction(2, 10), Fraction(2, 10), Fraction(2, 10)),
)
SCORES = (0.0, 1.0, 1.0, 2.0)
NEITHER = 4  # what comes out if nothing runs


def scored(answer: int) -> Scored[int]:
    return Scored(SCORES[answer], answer)


ONE = FiniteMechanism(TABLE).then(scored)


def law(mean: float, kind: str) -> Any:  # noqa: ANN401 - a function
    """Of each answer the probability that all runs are at most as good, less that all are worse; of equals a share."""

    def generating(x: float) -> float:
        if kind == "poisson":
            return math.exp(mean * (x - 1))
        if kind == "geometric":
            return x / mean / (1 - (1 - 1 / mean) * x)
        stop = float(RandomRuns(mean, kind).stop or 0)
        return math.log1p(-(1 - stop) * x) / math.log(stop)

    def of(value: int) -> Law:
        row = TABLE[value]
        found = {NEITHER: generating(0.0)} if kind == "poisson" else {}
        for answer, score in enumerate(SCORES):
            below = float(sum(p for p, s in zip(row, SCORES, strict=True) if s < score))
            level = float(sum(p for p, s in zip(row, SCORES, strict=True) if s == score))
            found[answer] = float(row[answer]) / level * (generating(below + level) - generating(below))
        return found

    return of


def example(mean: float, kind: str) -> Example:
    default = Scored(0.0, NEITHER) if kind == "poisson" else None
    mechanism = BestRun(ONE, RandomRuns(mean, kind), default=default)
    return Example(
        mechanism,
        (0, 1),
        law(mean, kind),
        Sensitivity(1),
        law(2 * mean, kind),
        outcome=lambda answer: answer.found,
        tightness=0.01,
        trials=3000,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar = [example(4, "geometric"), example(3, "logarithmic"), example(2, "poisson")]


def test_a_score_that_is_no_number_is_the_lowest(source: BitSource) -> None:
    odd = FiniteMechanism([["0.5", "0.5"]]).then(lambda answer: Scored(math.nan if answer else -math.inf, answer))
    best = BestRun(odd, RandomRuns(3))
    assert {best.sample(0, source).found for _ in range(60)} == {0, 1}  # as low as the lowest: either may be the first
    sure = FiniteMechanism([["0.5", "0.5"]]).then(lambda answer: Scored(math.nan if answer else -1e308, answer))
    many = BestRun(sure, RandomRuns(1000))
    assert {many.sample(0, source).found for _ in range(5)} == {0}


def test_the_ledger_has_one_entry_that_does_not_tell_how_often_it_ran() -> None:
    person = Unit("person")
    entries = set()
    for _ in range(12):
        ledger = Ledger(Guarantee(10), unit=person)
        ledger.release(Sensitive(0, Sensitivity(1), person), BestRun(ONE, RandomRuns(20)), purpose="the best")
        (entry,) = ledger.entries
        entries.add((entry.mechanism, entry.loss, str(entry.cost)))
    assert len(entries) == 1


def test_runs_that_may_be_none_need_a_default() -> None:
    with pytest.raises(InvalidParameter, match="poisson runs need a default"):
        BestRun(ONE, RandomRuns(3, "poisson"))


@pytest.mark.parametrize(
    ("mean", "kind", "words"),
    [
        (0.5, "geometric", "at least 1 for geometric"),
        (0, "poisson", "above 0 for poisson"),
        (20_000, "geometric", "mean"),
        (5, "binomial", '"poisson", got'),
    ],
)
def test_refuses_other_laws(mean: float, kind: str, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        RandomRuns(mean, kind)
