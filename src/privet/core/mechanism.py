"""Mechanism: a random function whose privacy loss is known before it runs."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from privet.core.sensitivity import Sensitivity
from privet.core.uncertainty import Uncertainty
from privet.errors import InvalidParameter
from privet.loss import Guarantee, PrivacyLoss
from privet.loss.exact import readable, whole
from privet.noise import BitSource

In = TypeVar("In", contravariant=True)  # what takes any number takes an int
Middle = TypeVar("Middle")
Out = TypeVar("Out", covariant=True)
Next = TypeVar("Next")


class Mechanism(ABC, Generic[In, Out]):
    """Subclasses are frozen dataclasses: public parameters in, no state, no data.

    A new mechanism is one file: its curve (or one of `privet.loss`), this class, a proof in its docstring, and a
    test file that lists EXAMPLES for the contracts. docs/how-to/add-a-mechanism.md walks through one.

    Example:
        >>> from privet.mechanisms import DiscreteLaplace
        >>> mechanism = DiscreteLaplace(l1_sensitivity=1, scale=2)
        >>> isinstance(mechanism, Mechanism), mechanism.loss.epsilon(0)
        (True, 0.5)
    """

    of_rows: ClassVar[bool] = False
    """Whether its inputs are rows, of which a unit adds, removes or replaces some, and the sensitivity counts them."""

    promise: Guarantee | None = None
    """The guarantee the mechanism was made for, if any: where ε and δ are counted, it is charged at that."""

    @property
    @abstractmethod
    def loss(self) -> PrivacyLoss:
        """The privacy loss of one run, for any input that `covers` accepts."""

    @abstractmethod
    def covers(self, sensitivity: Sensitivity) -> bool:
        """True if `loss` holds for inputs that one unit can move this far."""

    def check(self, value: In) -> None:
        """Refuse, with the reason, an input that `sample` could not take. Called before the charge."""

    @abstractmethod
    def sample(self, value: In, source: BitSource) -> Out:
        """One random answer. Called by `Ledger.release` only; tests call it with a seeded source."""

    @property
    def uncertainty(self) -> Uncertainty | None:
        """The law of the error, where it does not depend on the data."""
        return None

    def then(self, function: Callable[[Out], Next]) -> "Mechanism[In, Next]":
        """The mechanism whose answers pass through a function; its loss is the same.

        The function sees the answer only. It may be random; it must not read the data, a clock or a file.

        Proof: P(g(M(D)) in S) = P(M(D) in g^-1(S)), and a random g is a mixture of fixed ones (Dwork and Roth
            2014, Proposition 2.1).
        """
        return Then(self, function)

    def _keep(self, **values: object) -> None:
        """Set fields of a frozen dataclass, in its `__init__` only."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _refuse_broken_promise(self) -> None:
        """Raise if the mechanism does not keep the promise it is labelled with."""
        if self.promise is not None and not self.loss.meets(self.promise):
            raise InvalidParameter(f"{self!r} does not keep {self.promise!r}: make it with .calibrated")

    def __repr__(self) -> str:
        return self._described

    @cached_property
    def _described(self) -> str:
        """The public parameters, numbers as they were typed where that is short; every ledger entry holds it."""
        known = [(field.name, getattr(self, field.name)) for field in fields(self) if field.repr]  # type: ignore[arg-type] # subclasses are dataclasses
        words = [f"{name}={_said(value)}" for name, value in known if value is not None]
        return f"{type(self).__name__}({', '.join(words)})"

    def after(self, function: "Callable[[Before], In]", *, stability: int) -> "Mechanism[Before, Out]":
        """The mechanism on data that first pass a map which moves neighbors at most `stability` units apart.

        Proof: the prepared data of neighbors are joined by a chain of that many neighbors: group privacy. With
            δ > 0 the δ grows too (see `PrivacyLoss.group`).
        """
        return After(self, function, stability)


Before = TypeVar("Before")


@dataclass(frozen=True, repr=False)
class Then(Mechanism[In, Next], Generic[In, Middle, Next]):
    """A mechanism followed by a function of its answer."""

    mechanism: Mechanism[In, Middle]
    function: Callable[[Middle], Next]

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of the mechanism."""
        return self.mechanism.loss

    def __post_init__(self) -> None:
        _refuse_not_callable(self.function)
        self._keep(promise=self.mechanism.promise)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """What the mechanism covers."""
        return self.mechanism.covers(sensitivity)

    def check(self, value: In) -> None:
        """Refuse what the mechanism refuses."""
        self.mechanism.check(value)

    def sample(self, value: In, source: BitSource) -> Next:
        """The function of one answer."""
        return self.function(self.mechanism.sample(value, source))


@dataclass(frozen=True, repr=False)
class After(Mechanism[Before, Out], Generic[Before, Middle, Out]):
    """A mechanism on data prepared by a stable map."""

    mechanism: Mechanism[Middle, Out]
    function: Callable[[Before], Middle]
    stability: int

    def __post_init__(self) -> None:
        _refuse_not_callable(self.function)
        self._keep(stability=whole(self.stability, "stability"))
        self._keep(promise=self.mechanism.promise if self.stability == 1 else None)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of the mechanism for a group of `stability` units."""
        return self.mechanism.loss.preprocessed(self.stability)

    @property
    def uncertainty(self) -> Uncertainty | None:
        """How far the answer may lie from the exact one on the prepared data."""
        return self.mechanism.uncertainty

    def covers(self, sensitivity: Sensitivity) -> bool:
        """What the mechanism covers, for one unit of the prepared data.

        With a stability above 1 nothing that was sampled: the datasets between neighbors are not drawn like anything.
        """
        return self.mechanism.covers(sensitivity) and not (sensitivity.gamma and self.stability > 1)

    def sample(self, value: Before, source: BitSource) -> Out:
        """One answer about the prepared data; what cannot be prepared is refused after the charge."""
        prepared = self.function(value)
        self.mechanism.check(prepared)
        return self.mechanism.sample(prepared, source)


def refuse_uncovered(mechanism: Mechanism[Any, Any], sensitivity: Sensitivity) -> None:
    """Raise if the mechanism's loss does not hold for so large a move."""
    if not mechanism.covers(sensitivity):
        raise InvalidParameter(
            f"{mechanism!r} does not cover {sensitivity!r}: make it for this sensitivity, for example with .calibrated"
        )


def _refuse_not_callable(function: object) -> None:
    if not callable(function):
        raise InvalidParameter(f"function must be a function of one argument, got {type(function).__name__}")


def _said(value: object) -> str:
    """A parameter for people. Of a function only its name: its repr may show an address, or data it was given."""
    if callable(value) and not isinstance(value, Mechanism):
        return str(getattr(value, "__name__", type(value).__name__))
    return readable(value) if isinstance(value, Fraction) else repr(value)
