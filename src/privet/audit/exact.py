"""Exact audits: laws that are written out, tables, and whatever draws its bits one by one."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from privet.audit.bounds import Box
from privet.audit.claim import Claim, Claimed, claim_of, claimed
from privet.audit.figures import figure
from privet.audit.finding import Finding, Point
from privet.audit.runs import outcome_of
from privet.audit.shown_inputs import shown
from privet.loss import Guarantee
from privet.loss.exact import whole
from privet.loss.outward import exp_below
from privet.mechanisms import FiniteMechanism

Law: TypeAlias = Mapping[Any, Fraction]
ABOVE = 1 + Fraction(1, 10**30)  # more than the error of `exp_below`
DEPTH = 14


def compare_laws(  # noqa: PLR0913 - two laws and what is said of them
    one: Law,
    other: Law,
    *,
    claim: Claim | None = None,
    name: str = "two laws",
    undecided: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0)),
    inputs: tuple[Any, Any] = ("the first", "the second"),
) -> Finding:
    """What two neighboring inputs give, outcome by outcome: the loss is what it is, and nothing is sampled.

    Args:
        one: the probability of each outcome under the first input, exactly; at least.
        other: under the second.
        claim: what is claimed.
        name: what is audited.
        undecided: what is missing of 1 in either law. It may belong to any outcome, so it never counts as evidence.
        inputs: the two, to be shown.

    Proof: P(T) - e^ε Q(T) is largest for the set of all outcomes with P > e^ε Q. Masses that are undecided are left
        out of P and added to Q, whatever the set.

    Example:
        >>> coins = {0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1, 4), 1: Fraction(3, 4)}
        >>> compare_laws(*coins, claim=Guarantee("1.0986")).verdict
        'violates the claim: ε is at least 1.1, exactly'
        >>> compare_laws(*coins, claim=Guarantee(math.log(3))).violated
        False
    """
    said = claimed(claim, None)
    sides = (Side(one, other, undecided[1]), Side(other, one, undecided[0]))
    broken = [side.breaks(said, claim) for side in sides]
    bounds = [side.epsilon(said.delta) for side in sides]
    place = int(np.argmax(bounds)) if broken[0] == broken[1] else broken.index(True)
    side = sides[place]
    event = side.event(min(said.epsilon, max(bounds[place] - 1e-9, 0.0)))
    box = side.box(event)
    words = [shown(outcome) for outcome in event[:4]]
    return Finding(
        subject=name,
        claim=said.words,
        claimed_epsilon=said.epsilon,
        at_delta=said.delta,
        violated=any(broken),
        epsilon=max(bounds),
        delta=max(each.delta(said.epsilon) for each in sides),
        mu=max(each.mu() for each in sides),
        alpha=0.0,
        event=f"the outcome is {' or '.join(words)}{' or another' if len(event) > len(words) else ''}",
        pair=(shown(inputs[place]), shown(inputs[1 - place])),
        rates=(box.low, box.high),
        tested=0,
        trials=0,
        tradeoff=side.curve(),
        notes=_missing(undecided),
    )


def exact(
    subject: FiniteMechanism | Callable[..., Any],
    *,
    pair: tuple[Any, Any],
    claim: Claim | None = None,
    depth: int = DEPTH,
    name: str | None = None,
) -> Finding:
    """An audit without chance, of a table, or of a function that draws its bits one by one.

    Args:
        subject: a `FiniteMechanism`; or a function of the input and of `bits`, whose `bits.take(k)` gives the next k
            fair bits as a whole number.
        pair: two neighboring inputs.
        claim: what is claimed; by default what the mechanism says of itself, and ε = 1 of a function.
        depth: of a function, how many bits a run may draw until it is given up: 2^depth runs at most, of each input.
        name: what the subject is called.

    Example:
        >>> def coin(truth, bits):  # tells the truth with probability 3/4, and claims ε = 1
        ...     return truth if bits.take(2) else 1 - truth
        >>> exact(coin, pair=(0, 1), claim=Guarantee(1)).verdict
        'violates the claim: ε is at least 1.1, exactly'
    """
    if isinstance(subject, FiniteMechanism):
        laws = [_row(subject, row) for row in pair]
        promised = subject.loss if claim is None else claim
        return compare_laws(laws[0], laws[1], claim=promised, name=repr(subject) if name is None else name, inputs=pair)
    called = str(getattr(subject, "__name__", type(subject).__name__)) if name is None else name
    found = [every_string(lambda bits, data=data: subject(data, bits), depth=depth) for data in pair]  # type: ignore[misc]
    missing = found[0][1], found[1][1]
    return compare_laws(found[0][0], found[1][0], claim=claim, name=called, undecided=missing, inputs=pair)


def _row(table: FiniteMechanism, number: int) -> Law:
    return {column: mass for column, mass in enumerate(table.matrix[number]) if mass}


# --- every short string of bits -------------------------------------------------------------------------------


class OutOfBitsError(Exception):
    """A run asked for more bits than this string has."""


class Bits:
    """A known string of bits, handed out from its front.

    Example:
        >>> tape = Bits("101")
        >>> tape.take(1), tape.take(2)
        (1, 1)
    """

    def __init__(self, string: str) -> None:
        self._string = string
        self.taken = 0

    def take(self, count: int) -> int:
        """The next bits as a whole number, the first bit most significant."""
        if self.taken + count > len(self._string):
            raise OutOfBitsError
        piece = self._string[self.taken : self.taken + count]
        self.taken += count
        return int(piece, 2) if piece else 0


def every_string(run: Callable[[Bits], Any], *, depth: int = DEPTH) -> tuple[dict[Hashable, Fraction], Fraction]:
    """The exact probability of each outcome, from all strings of fair bits, and what longer strings would decide.

    Args:
        run: draws from the bits, and returns an outcome. Failures are outcomes; it must not catch all exceptions.
        depth: the longest string.

    Example:
        >>> def third(bits):  # 0, 1 or 2, each with probability 1/3
        ...     while (drawn := bits.take(2)) == 3:
        ...         pass
        ...     return drawn
        >>> law, undecided = every_string(third, depth=6)
        >>> law[0], undecided
        (Fraction(21, 64), Fraction(1, 64))
    """
    masses: dict[Hashable, Fraction] = {}
    undecided = Fraction(0)
    waiting = [""]
    longest = whole(depth, "depth", low=1)
    while waiting:
        string = waiting.pop()
        tape = Bits(string)
        outcome = outcome_of(lambda tape=tape: run(tape))  # type: ignore[misc]
        mass = Fraction(1, 2 ** len(string))
        if isinstance(outcome, OutOfBitsError):
            if len(string) == longest:
                undecided += mass
            else:
                waiting += [f"{string}0", f"{string}1"]
        else:
            key = outcome if _hashable(outcome) else repr(outcome)
            masses[key] = masses.get(key, Fraction(0)) + mass
    return masses, undecided


def _hashable(outcome: object) -> bool:
    try:
        hash(outcome)
    except TypeError:
        return False
    return not isinstance(outcome, BaseException)  # two failures of one kind are one outcome, by their text


# --- one direction --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """A law that should not be much above another.

    Args:
        mine: probabilities that are there at least.
        theirs: those of the other law, likewise.
        missing: what may be added to any set of the other law.
    """

    mine: Law
    theirs: Law
    missing: Fraction

    def breaks(self, said: Claimed, claim: Claim | None) -> bool:
        """Whether a set of outcomes contradicts the claim; an (ε, δ) is decided without rounding."""
        promise = Guarantee(1) if claim is None else claim_of(claim) if isinstance(claim, str) else claim
        if isinstance(promise, Guarantee):
            grown = exp_below(promise.epsilon) * (ABOVE if promise.epsilon else 1)
            return self._excess(grown) > promise.delta
        return any(said.broken_by(self.box(event)) for event in self._sets())

    def _excess(self, grown: Fraction) -> Fraction:
        """P(T) - e^ε Q(T) for the worst set."""
        parts = (mass - grown * self.theirs.get(outcome, Fraction(0)) for outcome, mass in self.mine.items())
        return sum((part for part in parts if part > 0), Fraction(0)) - grown * self.missing

    def event(self, epsilon: float) -> list[Hashable]:
        """All outcomes that are more than e^ε times as likely here."""
        grown = Fraction(math.exp(min(epsilon, 700.0)))
        chosen = [each for each, mass in self.mine.items() if mass > grown * self.theirs.get(each, Fraction(0))]
        return chosen or list(self.mine)[:1]

    def box(self, event: Iterable[Hashable]) -> Box:
        """The probabilities of a set."""
        chosen = set(event)
        low = sum((mass for outcome, mass in self.mine.items() if outcome in chosen), Fraction(0))
        high = sum((mass for outcome, mass in self.theirs.items() if outcome in chosen), Fraction(0))
        return Box(float(low), float(min(high + self.missing, Fraction(1))))

    def delta(self, epsilon: float) -> float:
        """The smallest δ at this ε."""
        return max(0.0, float(self._excess(Fraction(math.exp(min(epsilon, 700.0))))))

    def epsilon(self, delta: float) -> float:
        """The smallest ε at this δ, from below; infinite where more than δ is impossible on the other side."""
        if self.delta(700.0) > delta:
            return math.inf
        low, high = 0.0, 700.0
        if self.delta(0.0) <= delta:
            return 0.0
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return low

    def mu(self) -> float:
        """The smallest μ of Gaussian privacy."""
        return max((self.box(event).mu() for event in self._sets()), default=0.0)

    def curve(self) -> tuple[Point, ...]:
        """The trade-off curve, without a band."""
        boxes = [Box(0.0, 0.0), *(self.box(event) for event in self._sets())]
        return tuple((box.high, box.high, box.high, 1 - box.low, 1 - box.low, 1 - box.low) for box in boxes)

    def _sets(self) -> list[list[Hashable]]:
        """The sets that a best test accuses, those first that point most to this law."""
        ratio = {each: self.theirs.get(each, Fraction(0)) / mass for each, mass in self.mine.items() if mass}
        ranked = sorted(ratio, key=ratio.__getitem__)
        return [ranked[: place + 1] for place in range(min(len(ranked), 200))]


def _missing(undecided: tuple[Fraction, Fraction]) -> tuple[str, ...]:
    if not any(undecided):
        return ()
    first, second = (figure(float(each)) for each in undecided)
    return (f"undecided after so many bits: {first} under one input, {second} under the other",)
