"""Finding: what an audit found, with all that is needed to judge it."""

import json
import math
from dataclasses import asdict, dataclass, fields
from itertools import accumulate
from typing import Any, Self

from privet.audit.figures import confidence, figure
from privet.display import Card, Chart, Column
from privet.errors import InvalidParameter

Point = tuple[float, float, float, float, float, float]


@dataclass(frozen=True, repr=False)
class Finding:
    """A lower bound of what a mechanism reveals, the event that shows it, and what that says of its claim.

    Args:
        subject: what was audited.
        claim: what it claims, in words.
        claimed_epsilon: the ε of the claim at `at_delta`.
        at_delta: the δ at which ε is bounded.
        violated: True if the event contradicts the claim.
        epsilon: ε at `at_delta` is at least this.
        delta: δ at the claimed ε is at least this.
        mu: of Gaussian privacy, at least this.
        alpha: each of the bounds, and the verdict, is wrong with probability at most this; 0 for exact audits.
        event: the set of outcomes that tells the inputs apart, in words.
        pair: the two inputs, the one first under which the event is likelier.
        rates: how often the event was seen under either, or its exact probabilities.
        tested: runs of each input in which the event was tested; 0 for exact audits, and of few trainings how many
            canaries they had in all.
        trials: runs of each input, with those by which the event was chosen.
        visible: if the true ε of this event were above this, the claim would have been contradicted with probability
            one half at least; infinite where that cannot be said.
        tradeoff: points of the trade-off curve: false alarms, their bounds, misses, their bounds.
        notes: what else is to be known.

    Example:
        >>> from privet.audit import test
        >>> from privet.loss import Guarantee
        >>> from privet.mechanisms import Laplace
        >>> found = test(Laplace(1, "0.5"), pair=(0, 1), claim=Guarantee(1), trials=20_000)
        >>> found.violated, found.epsilon > 1.5, Finding.from_json(found.to_json()) == found
        (True, True, True)
    """

    subject: str
    claim: str
    claimed_epsilon: float
    at_delta: float
    violated: bool
    epsilon: float
    delta: float
    mu: float
    alpha: float
    event: str
    pair: tuple[str, str]
    rates: tuple[float, float]
    tested: int
    trials: int
    visible: float = math.inf
    tradeoff: tuple[Point, ...] = ()
    notes: tuple[str, ...] = ()

    # --- in words ---------------------------------------------------------------------------------------------

    @property
    def exact(self) -> bool:
        """Whether nothing was sampled."""
        return self.tested == 0

    @property
    def by_canaries(self) -> bool:
        """Whether canaries of few trainings were counted, not runs."""
        return self.tested > self.trials

    @property
    def confidence(self) -> str:
        """How sure the bounds are, such as "99.9 %"."""
        return confidence(self.alpha)

    @property
    def verdict(self) -> str:
        """What is violated and how surely; or what would have been seen, which is no proof that nothing is.

        Finding nothing proves nothing: no test of samples can (Gilbert and McMillan 2018).
        """
        sure = "exactly" if self.exact else f"with confidence {self.confidence}"
        least = f"ε is at least {figure(self.epsilon)}{self._at()}, {sure}"
        if self.violated and self.epsilon > self.claimed_epsilon:
            return f"violates the claim: {least}"
        if self.violated:
            more = f"δ is at least {figure(self.delta)} at ε={figure(self.claimed_epsilon)}, {sure}"
            rare = f"{self.event}, and it allows so many with a chance below {figure(self.alpha)}"
            return f"violates the claim: {rare if self.by_canaries else more}"
        if self.exact:
            return f"keeps the claim for this pair: {least}"
        runs = f"{self.trials:,} runs"
        power = f"with {runs}, a loss above {figure(self.visible)} would have been seen by this event"
        if not math.isfinite(self.visible):
            power = f"{runs} are too few for this event to contradict the claim"
        if self.by_canaries:
            power = "so many right guesses do not contradict the claim"
        return f"no violation found: {least}; {power}"

    def __repr__(self) -> str:
        return f"Finding({self.subject}: {self.verdict})"

    def __str__(self) -> str:
        return "\n".join((f"{self.subject}, claimed: {self.claim}", self.verdict, *self._lines()))

    def _lines(self) -> list[str]:
        first, second = self.rates
        if self.by_canaries:
            return [f"event: {self.event}", *self.notes]
        how = "with probability" if self.exact else f"in {self.tested:,} runs each with frequency"
        seen = f"event: {self.event}; {how} {figure(first)} under the first input, {figure(second)} under the second"
        return [seen, f"first input: {self.pair[0]}", f"second input: {self.pair[1]}", *self.notes]

    def _repr_html_(self) -> str:
        names = ("at least", "what")
        bounds = (
            (figure(self.epsilon), f"ε{self._at()}"),
            (figure(self.delta), f"δ at ε={figure(self.claimed_epsilon)}"),
        )
        more = ((figure(self.mu), "μ of Gaussian privacy"),) if math.isfinite(self.mu) else ()
        columns = [Column(name, cells) for name, cells in zip(names, zip(*bounds, *more, strict=True), strict=True)]
        return Card(f"{self.subject}: {self.verdict}", tuple(columns), lines=tuple(self._lines())).html()

    def _at(self) -> str:
        return f" at δ={figure(self.at_delta)}" if self.at_delta else ""

    # --- as a picture -----------------------------------------------------------------------------------------

    def chart(self) -> Chart:
        """The trade-off curve that was seen, with its band, beside what the claim allows."""
        if not self.tradeoff:
            raise InvalidParameter("this finding has no trade-off curve: only sampled audits draw one")
        alarms = [point[0] for point in self.tradeoff]
        misses = [point[3] for point in self.tradeoff]
        worst = sorted(
            ((min(point[2], 1.0), min(point[5], 1.0)) for point in self.tradeoff), key=lambda at: (at[0], -at[1])
        )
        least = list(accumulate((misses for _, misses in worst), min))  # a test with more alarms need not miss more
        series = {
            "claimed": _claimed_curve(self.claimed_epsilon, self.at_delta),
            f"seen, at worst ({self.confidence})": ([alarms for alarms, _ in worst], least),
            "seen": (alarms, misses),
        }
        said = "below the claimed curve" if self.violated else "not shown to be below the claimed curve"
        return Chart.lines(
            series,
            x="false alarms: the event, under the second input",
            y="misses: no event, under the first input",
            title=f"{self.subject}: {said}",
        )

    # --- as text ----------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """All of it as JSON; infinite numbers are written as texts."""
        said = {name: _written(value) for name, value in asdict(self).items()}
        return json.dumps({**said, "verdict": self.verdict}, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The finding that was written."""
        try:
            said = json.loads(text)
            return cls(**{each.name: _read(said[each.name]) for each in fields(cls)})
        except (KeyError, TypeError, ValueError):
            raise InvalidParameter("not a finding: give what `to_json` wrote") from None


def _claimed_curve(epsilon: float, delta: float) -> tuple[list[float], list[float]]:
    """The least misses that (ε, δ) allows at each rate of false alarms: two lines that meet at the diagonal."""
    if not math.isfinite(epsilon):
        return [0.0, 1.0], [0.0, 0.0]
    grown = math.exp(min(epsilon, 700.0))
    middle = (1 - delta) / (1 + grown)
    return [0.0, middle, 1 - delta, 1.0], [1 - delta, middle, 0.0, 0.0]


def _written(value: Any) -> Any:  # noqa: ANN401 - a field
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return [_written(each) for each in value] if isinstance(value, tuple | list) else value


NAMED = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def _read(value: Any) -> Any:  # noqa: ANN401 - a field
    if isinstance(value, str):
        return NAMED.get(value, value)
    return tuple(_read(each) for each in value) if isinstance(value, list) else value
