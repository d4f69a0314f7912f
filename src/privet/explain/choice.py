"""Choice: what `choose` found, with all that was compared."""

import math
from dataclasses import dataclass
from typing import Any

from privet.core import Mechanism
from privet.display import Card, Chart, Column
from privet.explain.charts.trust import trust_chart
from privet.explain.trust import TrustModel
from privet.loss import Guarantee, SpendingRule
from privet.loss.exact import readable, shortest
from privet.wording.shown_value import shown_margin


@dataclass(frozen=True)
class Way:
    """One kind of noise, as small as the limit allows, and the rule that admits the most of it.

    Args:
        mechanism: ready to be used, for one answer.
        rule: by which the ledger should charge.
        error: the mean absolute error of one number.
        margin: half the width of its 95 % interval.
    """

    mechanism: Mechanism[Any, Any]
    rule: SpendingRule
    error: float
    margin: float


@dataclass(frozen=True, repr=False)
class Choice:
    """What was chosen, and beside what; print it, or take its parts.

    Args:
        people: how many units there are.
        limit: of everything that is to be released, with the chosen δ.
        answers: how many are to be had.
        wanted: the name of the model that fits who is trusted.
        ways: kinds of noise, the one of the smallest expected error first.
        models: central, local and shuffle, for one count at the limit; shuffled at δ = 1e-9 where the limit is pure.
        asked: whether δ was given.

    Example:
        >>> from privet.explain import choose
        >>> print(choose(people=1000, epsilon=1, delta=0))
        central model, 1 answer under (ε=1)-DP from 1,000 units
        noise            scale  expected error  ± (95 %)  rule
        DiscreteLaplace  1      0.85            3         ε and δ add up
        model    deviation of a count  ε if betrayed  trusts
        central  1.36                  no limit       whoever keeps the data, which are all there
        local    30.3                  1              nobody but the own device
        shuffle  7.55                  2.98           whoever mixes the reports, to mix and to be silent; ...
    """

    people: int
    limit: Guarantee
    answers: int
    wanted: str
    ways: tuple[Way, ...]
    models: tuple[TrustModel, ...]
    asked: bool

    @property
    def delta(self) -> Any:  # noqa: ANN401 - an exact number
        """Of the limit, exactly."""
        return self.limit.delta

    @property
    def mechanism(self) -> Mechanism[Any, Any]:
        """For one answer, of the smallest expected error."""
        return self.ways[0].mechanism

    @property
    def rule(self) -> SpendingRule:
        """By which a ledger admits so many answers."""
        return self.ways[0].rule

    @property
    def model(self) -> TrustModel:
        """That fits who is trusted."""
        return next(model for model in self.models if model.name == self.wanted)

    def chart(self) -> Chart:
        """The three models' errors by the number of people, at this limit."""
        return trust_chart(epsilon=self.limit.epsilon, delta=self.limit.delta or 1e-9)

    @property
    def title(self) -> str:
        """What was asked."""
        many = "1 answer" if self.answers == 1 else f"{self.answers:,} answers"
        return f"{self.wanted} model, {many} under {self.limit!r} from {self.people:,} units"

    @property
    def notes(self) -> tuple[str, ...]:
        """Why, where it is not in the tables."""
        if self.asked or not self.limit.delta:
            return ()
        said = shortest(self.limit.delta)
        return (f"δ = {said}: at most one hundredth of 1/{self.people:,}, so failing for any unit is rare",)

    def _tables(self) -> tuple[list[Column], list[Column]]:
        ways = [
            Column("noise", [type(way.mechanism).__name__ for way in self.ways]),
            Column("scale", [_scale(way.mechanism) for way in self.ways]),
            Column("expected error", [f"{way.error:.2g}" for way in self.ways]),
            Column("± (95 %)", [shown_margin(way.margin) for way in self.ways]),
            Column("rule", [way.rule.name for way in self.ways]),
        ]
        models = [
            Column("model", [model.name for model in self.models]),
            Column("deviation of a count", [f"{model.deviation:.3g}" for model in self.models]),
            Column("ε if betrayed", [_level(model.if_betrayed) for model in self.models]),
            Column("trusts", [model.trusted for model in self.models]),
        ]
        return ways, models

    def __repr__(self) -> str:
        tables = [line for columns in self._tables() for line in _lines(columns)]
        return "\n".join([self.title, *tables, *self.notes])

    def _repr_html_(self) -> str:
        """What a notebook shows: the same two tables."""
        ways, models = self._tables()
        return Card(self.title, columns=ways, lines=self.notes).html() + Card("models", columns=models).html()


def _lines(columns: list[Column]) -> list[str]:
    cells = [[column.name, *column.cells] for column in columns]
    widths = [max(map(len, column)) for column in cells]
    rows = zip(*cells, strict=True)
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _scale(noise: Any) -> str:  # noqa: ANN401 - noise of any kind
    return readable(noise.scale) if hasattr(noise, "scale") else f"ε = {readable(noise.epsilon)}"


def _level(epsilon: float) -> str:
    return "no limit" if math.isinf(epsilon) else f"{math.ceil(epsilon * 100) / 100:g}"
