"""Release: everything the outside world may see about one computation."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, Generic, Literal, TypeVar, cast, overload

import numpy as np

from privet.core.encoding import decoded, encoded
from privet.core.like_its_value import LikeItsValue, Sampling
from privet.core.population_error import PopulationError
from privet.core.uncertainty import Uncertainty
from privet.core.unit import Unit
from privet.errors import InvalidParameter
from privet.loss import LossCurve, PrivacyLoss
from privet.loss.exact import readable, shortest, shown
from privet.loss.guarantee import failing
from privet.loss.loss_json import described
from privet.wording.shown_value import shown_margin

T = TypeVar("T")
U = TypeVar("U")
CONFIDENCE = 0.95
UNKNOWN = (
    "how far other samples would lie from this answer is not computed: count, proportion, mean, total, variance, "
    "moments, histogram and counts say it, before `map`"
)
SHOWN = 10  # cells of a long answer that are printed


@dataclass(frozen=True, repr=False)
class Release(LikeItsValue, Generic[T]):
    """A value, how sure we are of it, and what it cost. It can be used like its value: see `LikeItsValue`.

    Args:
        value: the answer; every number in it is a multiple of a public step.
        uncertainty: the law of its error, or None where that is not known without the data.
        loss: what the answer reveals, under the unit's neighbors.
        purpose: what it was asked for, as recorded in the ledger.
        mechanism: how it was made, in words.
        unit: who is protected.
        gamma: the probability with which the loss does not hold, because a sensitivity was sampled; 0 if it was proven.
        note: what would make the next answer better, from public facts; "" if there is nothing to say.
        sampling: by how much the numbers of different samples of units differ, as a standard deviation for each number
            of the value, computed from public and released numbers; or in words why that is not known.

    Privacy: a release may be printed, stored, sent and computed with; nothing done to it costs more.

    Example:
        >>> import privet
        >>> answer = privet.count(range(1000), epsilon=1, purpose="people")
        >>> answer.margin(0.95), answer.loss.epsilon(0), answer.map(lambda people: people // 2).purpose
        (3.0, 1.0, 'people')
    """

    value: T
    uncertainty: Uncertainty | None
    loss: PrivacyLoss
    purpose: str
    mechanism: str
    unit: Unit
    gamma: Fraction = field(default=Fraction(0), kw_only=True)
    note: str = field(default="", kw_only=True)
    sampling: Sampling = field(default=UNKNOWN, kw_only=True)

    def map(
        self, function: Callable[[T], U], *, uncertainty: Uncertainty | None = None, sampling: Sampling = UNKNOWN
    ) -> "Release[U]":
        """Post-process: free, and the uncertainty is no longer known unless it is given.

        Args:
            function: sees the released value only.
            uncertainty: the law of the new value's error, computed from public or released numbers.
            sampling: as in `Release`, likewise.
        """
        value = function(self.value)
        gamma = self.gamma
        words = (self.purpose, self.mechanism)
        more: dict[str, Any] = {"gamma": gamma, "note": self.note, "sampling": sampling}
        return Release(value, uncertainty, self.loss, *words, self.unit, **more)

    @overload
    def margin(
        self, confidence: float = ..., *, simultaneous: bool = ..., population: Literal[False] = ...
    ) -> float: ...

    @overload
    def margin(self, confidence: float = ..., *, simultaneous: bool = ..., population: bool) -> Any: ...  # noqa: ANN401 - a number, or one for each cell

    def margin(self, confidence: float = CONFIDENCE, *, simultaneous: bool = False, population: bool = False) -> Any:
        """Half the width of `interval`: the exact value lies within this of the released one.

        Args:
            confidence: between 0 and 1, both excluded.
            simultaneous: True if all cells shall hold together with this confidence, not each alone.
            population: False for the margin of the noise alone, about the data at hand; True for that of noise and
                sampling, about the population that the units are a sample of, each drawn by itself. Of several cells
                each has its own then.
        """
        if self.uncertainty is None:
            raise InvalidParameter(
                f"the error of this answer ({self.mechanism}) is not known without the data: "
                "ask for a mechanism with an error law, or read the margin before `map`"
            )
        cells = max(np.size(cast("Any", self.value)), 1) if simultaneous else 1
        if not isinstance(population, bool):
            raise InvalidParameter(f"population must be True or False, got {shown(population)}")
        if not population:
            return self.uncertainty.margin(confidence, cells=cells)
        if isinstance(self.sampling, str):
            raise InvalidParameter(self.sampling)
        noise = self.uncertainty
        known = {each: PopulationError(noise, each).margin(confidence, cells=cells) for each in set(self.sampling)}
        margins = [known[each] for each in self.sampling]
        shape = np.shape(cast("Any", self.value))
        return np.array(margins).reshape(shape) if shape else margins[0]

    def interval(
        self, confidence: float = CONFIDENCE, *, simultaneous: bool = False, population: bool = False
    ) -> tuple[T, T]:
        """An interval that holds the exact value of the data, or of the population, with at least this probability.

        Args:
            confidence: as in `margin`.
            simultaneous: as in `margin`.
            population: as in `margin`: False for the data at hand, over the noise; True for the population, over noise
                and samples.
        """
        margin = self.margin(confidence, simultaneous=simultaneous, population=population)
        center: Any = self.value
        return center - margin, center + margin

    def __eq__(self, other: object) -> bool:
        """Whether all that is known is equal; releases of arrays are not compared."""
        if not isinstance(other, Release):
            return NotImplemented
        if any(isinstance(each.value, np.ndarray) for each in (self, other)):
            raise InvalidParameter(
                "releases of several numbers are not compared by ==: compare their values by "
                "numpy.array_equal(one.value, other.value), or all of them by one.to_json() == other.to_json()"
            )
        same = type(self) is type(other)
        return same and all(getattr(self, each.name) == getattr(other, each.name) for each in fields(self))

    def __hash__(self) -> int:
        return hash((self.value, self.loss, self.purpose, self.mechanism, self.unit))

    def to_json(self) -> str:
        """Everything, as `from_json` reads it; the same bytes for equal releases."""
        label = {"gamma": shortest(self.gamma)} if self.gamma else {}
        label |= {"note": self.note} if self.note else {}
        label |= {"sampling": cast("Any", encoded(_listed(self.sampling)))} if self.sampling != UNKNOWN else {}
        return json.dumps(
            {
                "value": encoded(self.value),
                "uncertainty": encoded(self.uncertainty),
                "loss": json.loads(self.loss.to_json()),
                "purpose": self.purpose,
                "mechanism": self.mechanism,
                "unit": {"name": self.unit.name, "neighbors": self.unit.neighbors.name.lower()},
                **label,
            },
            ensure_ascii=False,
            allow_nan=False,
        )

    @classmethod
    def from_json(cls, text: str, *, kinds: Iterable[type] = ()) -> "Release[Any]":
        """The release that `to_json` wrote.

        Args:
            text: the JSON.
            kinds: the classes of values that are not numbers, texts or arrays, and of curves Privet does not know.
        """
        try:
            facts = json.loads(text)
            known = (*_kinds(Uncertainty), *kinds)
            value, uncertainty = decoded(facts["value"], known), decoded(facts["uncertainty"], known)
            curves = [kind for kind in known if issubclass(kind, LossCurve)]
            loss = PrivacyLoss.from_json(json.dumps(facts["loss"]), curves=curves)
            gamma = failing(facts.get("gamma", 0), "gamma")
            words = (facts["purpose"], facts["mechanism"])
            unit = Unit(**facts["unit"])
            more: dict[str, Any] = {"gamma": gamma}
            more |= {"note": str(facts.get("note", "")), "sampling": _sampling(facts, np.size(value))}
            return Release(value, uncertainty, loss, *words, unit, **more)
        except (ValueError, TypeError, KeyError) as problem:
            raise InvalidParameter(f"not the JSON of a release: {problem}") from problem

    def __repr__(self) -> str:
        pure = self.loss.epsilon(0)
        spent = f"ε={readable(pure)}" if math.isfinite(pure) else described(self.loss)
        if self.gamma:
            spent = f"({spent}, γ={readable(self.gamma)}) random DP"
        note = f"\nnote: {self.note}" if self.note else ""
        return f"{self._shown()}\nspent {spent} per {self.unit.name} on {self.purpose!r} by {self.mechanism}{note}"

    def _repr_html_(self) -> str:
        """What a notebook shows: the value with its margin, and what it cost."""
        from privet.display import Card  # noqa: PLC0415 - for notebooks

        title, *lines = repr(self).split("\n")
        return Card(title, lines=lines).html()

    def _shown(self) -> str:
        if self.uncertainty is None or np.asarray(self.value).dtype.kind not in "iufO":
            return _clipped(self.value)
        margin = self.uncertainty.margin(CONFIDENCE)
        if np.ndim(cast("Any", self.value)) == 0:
            known = isinstance(self.value, int | float | np.generic)
            shown = _rounded(self.value, margin) if known else _clipped(self.value)  # a function, for example
            return f"{shown} ± {shown_margin(margin)} ({CONFIDENCE:.0%})"
        cells = [_rounded(cell, margin) for cell in np.ravel(cast("Any", self.value))[:SHOWN].tolist()]
        left = np.size(cast("Any", self.value)) - len(cells)
        more = f" … {left:,} more" if left else ""
        return f"[{', '.join(cells)}{more}] each ± {shown_margin(margin)} ({CONFIDENCE:.0%})"


def _rounded(value: Any, margin: float) -> str:  # noqa: ANN401 - any number
    """A number to one digit more than its margin deserves."""
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    digits = max(0, 1 - int(np.floor(np.log10(margin)))) if margin > 0 else 6
    return f"{value:,.{min(digits, 15)}f}"


def _clipped(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:400]} …"  # noqa: PLR2004 - a few lines


def _listed(sampling: Sampling) -> list[float] | str:
    return sampling if isinstance(sampling, str) else list(sampling)


def _sampling(facts: dict[str, Any], cells: int) -> Sampling:
    """What the JSON of a release says about samples, if anything."""
    said = facts.get("sampling", UNKNOWN)
    if isinstance(said, str):
        return said
    deviations = tuple(float(each) for each in said)
    if len(deviations) != cells or not all(0 <= each < math.inf for each in deviations):
        raise ValueError("sampling must have a deviation for each number")
    return deviations


def _kinds(kind: type) -> list[type]:
    """A class and all that descend from it."""
    children: list[type] = kind.__subclasses__()
    return [kind, *(each for child in children for each in _kinds(child))]
