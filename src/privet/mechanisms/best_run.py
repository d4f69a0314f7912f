"""BestRun: run a mechanism a random number of times, and release the run of the best score alone."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from privet.core import Mechanism, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee, PrivacyLoss
from privet.mechanisms.random_runs import RandomRuns
from privet.noise import BitSource

In = TypeVar("In", contravariant=True)
Found = TypeVar("Found", covariant=True)


class Scored(NamedTuple, Generic[Found]):
    """What a run gives: a score, and whatever it is the score of.

    Example:
        >>> max(Scored(0.7, "small"), Scored(0.9, "large")).found
        'large'
    """

    score: float
    found: Found


@dataclass(frozen=True, init=False, repr=False)
class BestRun(Mechanism[In, Scored[Found]], Generic[In, Found]):
    """Runs a mechanism J times and releases the answer of the highest score; J is random, and stays secret.

    Args:
        one: the mechanism of one run. Its answers are `Scored`, and its loss is that of answer and score together.
        runs: the law of J.
        default: what is released if J is 0; fixed and public. Only "poisson" runs can be none.
        promise: what all runs together were made to keep, at which ledgers that count ε and δ charge it.

    Privacy: that of `runs.best_of(one.loss)`: less than three runs, whatever the mean, see `BestOfCurve`.
    Proof: docs/proofs/tuning.md. Equal scores: the first of them is kept, which is each of them with the same
        probability, since runs are alike. A score that is not a number is lower than all others.
    Not covered: time, and whatever else is seen of runs while they run: how many there are must stay hidden. An error
        in a run is one of the whole.

    Example:
        >>> from privet.mechanisms.kary_randomized_response import KaryRandomizedResponse
        >>> one = KaryRandomizedResponse(categories=3, epsilon=1).then(lambda answer: Scored(float(answer), answer))
        >>> best = BestRun(one, RandomRuns(10))
        >>> best.loss.meets(Guarantee(3)), best.loss.meets(Guarantee("2.5"))
        (True, False)
    """

    one: Mechanism[In, Scored[Found]]
    runs: RandomRuns
    default: Any = field(repr=False)

    def __init__(
        self,
        one: Mechanism[In, Scored[Found]],
        runs: RandomRuns,
        *,
        default: Scored[Found] | None = None,
        promise: Guarantee | None = None,
    ) -> None:
        if runs.stop is None and default is None:
            raise InvalidParameter("poisson runs need a default, fixed and public: what is released if nothing runs")
        self._keep(one=one, runs=runs, default=default, promise=promise)
        self._refuse_broken_promise()

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Of all runs together."""
        return self.runs.best_of(self.one.loss)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """What one run covers; nothing that was sampled: every run would have to hold for the same neighbors."""
        return self.one.covers(sensitivity) and not sensitivity.gamma

    def check(self, value: In) -> None:
        """Refuse what one run refuses."""
        self.one.check(value)

    def sample(self, value: In, source: BitSource) -> Scored[Found]:
        """The answer of the best run."""
        best = self.default
        for run in range(self.runs.law.one(source)):
            answer = self.one.sample(value, source)
            if not run or _place(answer.score) > _place(best.score):
                best = answer
        return Scored(*best)


def _place(score: float) -> float:
    return -math.inf if math.isnan(score) else float(score)
