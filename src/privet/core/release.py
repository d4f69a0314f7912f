"""Release: everything the outside world may see about one computation."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeVar, cast

import numpy as np

from privet.core.encoding import decoded, encoded
from privet.core.like_its_value import LikeItsValue
from privet.core.uncertainty import Uncertainty
from privet.core.unit import Unit
from privet.errors import InvalidParameter
from privet.loss import LossCurve, PrivacyLoss
from privet.loss.exact import readable, shortest
from privet.loss.guarantee import failing
from privet.loss.loss_json import described

T = TypeVar("T")
U = TypeVar("U")
CONFIDENCE = 0.95
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

    Privacy: a release may be printed, stored, sent and computed with; nothing done to it costs more.
    """

    value: T
    uncertainty: Uncertainty | None
    loss: PrivacyLoss
    purpose: str
    mechanism: str
    unit: Unit
    gamma: Fraction = field(default=Fraction(0), kw_only=True)
    note: str = field(default="", kw_only=True)

    def map(self, function: Callable[[T], U], *, uncertainty: Uncertainty | None = None) -> "Release[U]":
        """Post-process: free, and the uncertainty is no longer known unless it is given.

        Args:
            function: sees the released value only.
            uncertainty: the law of the new value's error, computed from public or released numbers.
        """
        value = function(self.value)
        gamma = self.gamma
        words = (self.purpose, self.mechanism)
        return Release(value, uncertainty, self.loss, *words, self.unit, gamma=gamma, note=self.note)

    def margin(self, confidence: float = CONFIDENCE, *, simultaneous: bool = False) -> float:
        """Half the width of `interval`: the exact value lies within this of the released one.

        Args:
            confidence: between 0 and 1, both excluded.
            simultaneous: True if all cells shall hold together with this confidence, not each alone.
        """
        if self.uncertainty is None:
            raise InvalidParameter(
                f"the error of this answer ({self.mechanism}) is not known without the data: "
                "ask for a mechanism with an error law, or read the margin before `map`"
            )
        return self.uncertainty.margin(
            confidence, cells=max(np.size(cast("Any", self.value)), 1) if simultaneous else 1
        )

    def interval(self, confidence: float = CONFIDENCE, *, simultaneous: bool = False) -> tuple[T, T]:
        """An interval that holds the exact value with at least this probability, over the noise."""
        margin = self.margin(confidence, simultaneous=simultaneous)
        center: Any = self.value
        return center - margin, center + margin

    def to_json(self) -> str:
        """Everything, as `from_json` reads it; the same bytes for equal releases."""
        label = {"gamma": shortest(self.gamma)} if self.gamma else {}
        label |= {"note": self.note} if self.note else {}
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
            return Release(value, uncertainty, loss, *words, unit, gamma=gamma, note=str(facts.get("note", "")))
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
            return f"{shown} ± {_digits(margin)} ({CONFIDENCE:.0%})"
        cells = [_rounded(cell, margin) for cell in np.ravel(cast("Any", self.value))[:SHOWN].tolist()]
        left = np.size(cast("Any", self.value)) - len(cells)
        more = f" … {left:,} more" if left else ""
        return f"[{', '.join(cells)}{more}] each ± {_digits(margin)} ({CONFIDENCE:.0%})"


def _digits(margin: float) -> str:
    """A margin in two digits, or as a whole number from 100 on, rounded up: it must still hold."""
    unit = 10.0 ** min(math.floor(math.log10(margin)) - 1, 0) if margin > 0 else 1.0
    up = math.ceil(margin / unit * (1 - 1e-9)) * unit  # a float's last digits are no reason to add one
    return f"{up:,.0f}" if up >= 100 else f"{up:.2g}"  # noqa: PLR2004 - then whole numbers are enough


def _rounded(value: Any, margin: float) -> str:  # noqa: ANN401 - any number
    """A number to one digit more than its margin deserves."""
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    digits = max(0, 1 - int(np.floor(np.log10(margin)))) if margin > 0 else 6
    return f"{value:,.{min(digits, 15)}f}"


def _clipped(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:400]} …"  # noqa: PLR2004 - a few lines


def _kinds(kind: type) -> list[type]:
    """A class and all that descend from it."""
    children: list[type] = kind.__subclasses__()
    return [kind, *(each for child in children for each in _kinds(child))]
