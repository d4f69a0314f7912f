"""compare_models: who must be trusted, and what that costs in accuracy."""

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from privet.display import Card, Chart, Column
from privet.errors import InvalidParameter
from privet.local.binary_response import BinaryResponse
from privet.local.weights import MOST_EPSILON, declared
from privet.loss.exact import Exact, exact_within, readable, whole
from privet.loss.outward import float_up

ROUNDS = 24  # halvings of the range of local epsilons
SIZES = 9  # numbers of people in a chart
MOST_PEOPLE = 2**22  # beyond, shuffled answers are priced by a bound
VERIFIED = {
    "central": "nothing by the people: whoever is let in can audit the server's ledger and code",
    "local": "everything by each person: the code on the own device, and the report, which is all that leaves",
    "shuffle": "the device as in the local model; the number of reports; not that the shuffler mixes, nor its silence",
}
TRUSTED = {
    "central": "the server, which holds every answer",
    "local": "nobody but the own device",
    "shuffle": "the shuffler to mix reports and to tell nobody who sent which, and {people:,} honest people to report",
}


@dataclass(frozen=True)
class Model:
    """What one model of trust gives.

    Args:
        name: "central", "local" or "shuffle".
        epsilon: against those who see the outcome, if the trusted ones keep faith; with `delta`.
        delta: 0 but for the shuffle model.
        epsilon_betrayed: against the trusted ones, or everybody if they tell; infinite where they hold the answers.
        deviation: the standard deviation of a count of yes.
    """

    name: str
    epsilon: float
    delta: float
    epsilon_betrayed: float
    deviation: float


@dataclass(frozen=True, repr=False)
class ModelComparison:
    """The three models side by side.

    Args:
        people: how many answer.
        models: central, local and shuffle.
        amplified: the ε of the local model's own answers once they are shuffled, with the δ of the shuffle model.
    """

    people: int
    models: tuple[Model, ...]
    amplified: float

    def __getitem__(self, name: str) -> Model:
        """The model of this name."""
        return next(model for model in self.models if model.name == name)

    @property
    def table(self) -> pa.Table:
        """One row for each model."""
        return pa.table(
            {
                "model": [model.name for model in self.models],
                "epsilon": [model.epsilon for model in self.models],
                "delta": [model.delta for model in self.models],
                "epsilon_betrayed": [model.epsilon_betrayed for model in self.models],
                "standard_deviation": [model.deviation for model in self.models],
                "relative": [model.deviation / self.people for model in self.models],
                "trusted": [TRUSTED[model.name].format(people=self.people) for model in self.models],
                "verified": [VERIFIED[model.name] for model in self.models],
            }
        )

    def chart(self) -> Chart:
        """The error of each model, as a share of the people, over how many they are."""
        sizes = np.unique(
            np.geomspace(100, min(max(10 * self.people, 10_000), MOST_PEOPLE), SIZES).astype(np.int64)
        ).tolist()
        promised = self["shuffle"]
        several = {n: _models(n, promised.epsilon, promised.delta) for n in sizes}
        lines = {
            model.name: (sizes, [several[n][place].deviation / n for n in sizes])
            for place, model in enumerate(self.models)
        }
        title = f"A count at ε = {readable(promised.epsilon)}, δ = {readable(promised.delta)}"
        return Chart.lines(
            lines, x="people", y="standard deviation, as a share of the people", title=title, log_x=True, log_y=True
        )

    def _columns(self) -> list[Column]:
        rows = self.table.to_pylist()
        return [
            Column("model", [row["model"] for row in rows]),
            Column("ε", [readable(row["epsilon"]) for row in rows], right=True),
            Column("δ", [readable(row["delta"]) for row in rows], right=True),
            Column("ε if betrayed", [_level(row["epsilon_betrayed"]) for row in rows], right=True),
            Column("deviation of a count", [f"{row['standard_deviation']:,.4f}" for row in rows], right=True),
            Column("of the people", [f"{row['relative']:.4%}" for row in rows], right=True),
        ]

    def _words(self) -> list[str]:
        trust = [f"{model.name} trusts {TRUSTED[model.name].format(people=self.people)}" for model in self.models]
        proof = [f"{model.name}, what can be verified: {VERIFIED[model.name]}" for model in self.models]
        local, shuffle = self["local"], self["shuffle"]
        price = math.ceil(self.amplified * 1e6) / 1e6  # rounded up
        gain = (
            f"answers at ε={readable(local.epsilon)} each, shuffled among {self.people:,}, cost ε={price:.6f} "
            f"at δ={readable(shuffle.delta)}"
        )
        return [*trust, *proof, gain]

    def __repr__(self) -> str:
        columns = [[column.name, *column.cells] for column in self._columns()]
        widths = [max(map(len, column)) for column in columns]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in zip(*columns, strict=True)
        ]
        return "\n".join([f"a count among {self.people:,} people", *lines, *self._words()])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        title = f"a count among {self.people:,} people"
        return Card(title, columns=self._columns(), lines=self._words()).html()


def compare_models(people: int, *, epsilon: Exact, delta: Exact = 1e-6) -> ModelComparison:
    """A count of yes among so many people in the central, the local and the shuffle model, at one promise.

    Args:
        people: how many answer, from 2 to 2^22.
        epsilon: what those who see the outcome may learn, from a millionth to 20.
        delta: what the shuffle model may fail by, above 0; the others do not fail.

    Central: Laplace noise of scale 1/ε on the count. Local: everybody flips the own answer with probability
    1/(1 + e^ε). Shuffle: the same flips, as few as the mixed answers allow: `PrivacyLoss.shuffled` is exact for them.
    Deviations are those over the noise, for these very people.

    Example:
        >>> found = compare_models(10_000, epsilon=1)
        >>> [round(model.deviation, 2) for model in found.models]
        [1.41, 95.95, 5.84]
        >>> round(found.amplified, 6)  # what the local answers cost once they are shuffled
        0.035659
    """
    whole(people, "people", low=2, high=MOST_PEOPLE)
    promise = float_up(declared(epsilon))
    fail = float_up(exact_within(delta, "delta", low=0, high=1))
    if not 0 < fail < 1:
        raise InvalidParameter("delta must lie between 0 and 1, both excluded: shuffled answers have no pure ε below")
    amplified = BinaryResponse(promise).loss.shuffled(people).epsilon(fail)
    return ModelComparison(people, _models(people, promise, fail), amplified)


def _models(people: int, epsilon: float, delta: float) -> tuple[Model, ...]:
    local = BinaryResponse(epsilon)
    mixed = BinaryResponse(_most_local(people, epsilon, delta))
    return (
        Model("central", epsilon, 0.0, math.inf, math.sqrt(2) / epsilon),
        Model("local", epsilon, 0.0, local.epsilon, _deviation(local, people)),
        Model("shuffle", epsilon, delta, mixed.epsilon, _deviation(mixed, people)),
    )


def _most_local(people: int, epsilon: float, delta: float) -> float:
    """The largest local ε whose shuffled answers keep the promise: they cost more, the more truthful they are."""
    low, high = epsilon, float(MOST_EPSILON)
    if BinaryResponse(high).loss.shuffled(people).delta(epsilon) <= delta:
        return high
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        if BinaryResponse(middle).loss.shuffled(people).delta(epsilon) <= delta:
            low = middle
        else:
            high = middle
    return low


def _deviation(response: BinaryResponse, people: int) -> float:
    return math.sqrt(people * response.variance())


def _level(epsilon: float) -> str:
    return "no limit" if math.isinf(epsilon) else f"{math.ceil(epsilon * 1e4) / 1e4:.4f}"
