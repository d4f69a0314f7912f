"""choose: which model, which noise, which δ and which rule, with the expected error, before anything is spent."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.explain.choice import Choice, Way
from privet.explain.trust import CENTRAL, LOCAL, SHUFFLE, trust_models
from privet.loss import Guarantee, best_rule
from privet.loss.exact import Exact, exact_within, shown, whole
from privet.loss.rule_choice import admitted
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Staircase
from privet.mechanisms.least_noise import Noise, expected_error
from privet.wording.nearest import nearest

TRUSTED = {"keeper": CENTRAL, "nobody": LOCAL, "shuffler": SHUFFLE}
DIGITS = Fraction(1, 1000)  # scales are found to so much
WIDEST = 2**80
SHARE = 100  # δ times the people is at most one in so many
MOST_ANSWERS = 10**6


@dataclass(frozen=True)
class _Kind:
    """One kind of noise, made from its size: twice the size, about half the loss."""

    make: Callable[[Fraction], Noise]


def choose(  # noqa: PLR0913 - what is known beforehand, each by name
    *,
    people: int,
    epsilon: Exact,
    delta: Exact | None = None,
    sensitivity: Sensitivity | None = None,
    answers: int = 1,
    trusted: str = "keeper",
    integers: bool = True,
) -> Choice:
    """Choose by public numbers alone; nothing is read, and nothing is spent.

    Args:
        people: about how many units there are, from 2 on.
        epsilon: the limit of everything that is to be released.
        delta: of the limit; None for one that suits the number of people (`delta_for`), 0 for a pure promise.
        sensitivity: how far one unit moves one answer; that of a count if left out.
        answers: how many of the kind are to be had under the limit, one after the other, up to a million.
        trusted: "keeper" if somebody may hold the data, "shuffler" if somebody may mix reports, or "nobody".
        integers: whether answers are whole numbers.

    Privacy: δ is chosen so that even a mechanism that published each unit's data with probability δ, which (0, δ)-DP
        allows, would hit one in a hundred such datasets at most.

    Example:
        >>> found = choose(people=10_000, epsilon=1, answers=100)
        >>> found.delta, found.model.name
        (Fraction(1, 1000000), 'central')
        >>> found.mechanism
        DiscreteGaussian(l2_sensitivity=1, scale=45.31, cells=1, per_cell=1)
        >>> found.rule.name
        'zCDP: ρ adds up'
    """
    number, many = whole(people, "people", low=2), whole(answers, "answers", high=MOST_ANSWERS)
    failure = delta_for(number) if delta is None else exact_within(delta, "delta", low=0, high=0.5)
    limit = Guarantee(exact_within(epsilon, "epsilon", low=1e-6, high=1000), failure)
    if trusted not in TRUSTED:
        raise InvalidParameter(f"trusted cannot be {shown(trusted)}{nearest(str(trusted), TRUSTED)}")
    moved = Sensitivity(1) if sensitivity is None else sensitivity
    found = [_least(kind, limit, many) for kind in _kinds(moved, limit, answers=many, integers=integers)]
    ways = tuple(sorted(found, key=lambda way: way.error))
    models = trust_models(min(number, 1 << 22), epsilon=min(limit.epsilon, Fraction(20)), delta=failure or 1e-9)
    return Choice(number, limit, many, TRUSTED[trusted], ways, models, asked=delta is not None)


def delta_for(people: int) -> Fraction:
    """The largest power of ten that is at most a hundredth of 1/people.

    Proof: a mechanism that publishes each unit with probability δ is (0, δ)-DP, and publishes somebody with
        probability up to people times δ. A δ near 1/people therefore promises nothing.

    Example:
        >>> [float(delta_for(people)) for people in (150, 10_000, 3_000_000)]
        [1e-05, 1e-06, 1e-09]
    """
    power = 0
    while 10**power < SHARE * whole(people, "people", low=1):
        power += 1
    return Fraction(1, 10**power)


def _kinds(moved: Sensitivity, limit: Guarantee, *, answers: int, integers: bool) -> Iterator[_Kind]:
    if integers and moved.linf.denominator == 1:
        yield _Kind(lambda size: DiscreteLaplace(moved.l1, moved.l1 * size))
        if limit.delta:
            yield _Kind(lambda size: _whole_gaussian(moved, size))
        return
    yield _Kind(lambda size: Laplace(moved.l1, moved.l1 * size))
    if limit.delta:
        yield _Kind(lambda size: Gaussian(moved.l2, moved.l2 * size))
    if moved.cells == 1 and answers == 1:
        yield _Kind(lambda size: Staircase(moved.linf, 1 / size))


def _whole_gaussian(moved: Sensitivity, size: Fraction) -> DiscreteGaussian:
    each = int(moved.linf) if moved.cells == 1 else None  # the exact curve of several cells takes seconds
    return DiscreteGaussian(moved.l2, moved.l2 * size, cells=moved.cells, per_cell=each)


def _least(kind: _Kind, limit: Guarantee, answers: int) -> Way:
    """The least noise of a kind of which so many answers fit, under the rule that then admits the most."""
    low, high = Fraction(0), max(1 / limit.epsilon, DIGITS)
    while not _fits(kind.make(high), limit, answers):
        low, high = high, 2 * high
        if high > WIDEST:
            raise InvalidParameter(f"so many answers do not fit under {limit!r}: ask for fewer, or raise the limit")
    while high - low > high * DIGITS:
        middle = _short((low + high) / 2)
        if not low < middle < high:
            break
        low, high = (low, middle) if _fits(kind.make(middle), limit, answers) else (middle, high)
    noise = kind.make(high)
    return Way(noise, best_rule(limit, answer=noise.loss), expected_error(noise), _margin(noise))


def _fits(noise: Any, limit: Guarantee, answers: int) -> bool:  # noqa: ANN401 - noise of any kind
    return admitted(limit, rule=best_rule(limit, answer=noise.loss), answer=noise.loss) >= answers


def _margin(noise: Any) -> float:  # noqa: ANN401 - noise of any kind
    return float(noise.uncertainty.margin(0.95))


def _short(number: Fraction) -> Fraction:
    """The number to four digits."""
    return Fraction(f"{float(number):.4g}")
