"""SparseVector: the contract, questions chosen as they go, values, and the four published variants that leak."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.core import Ledger, Release, Sensitive, Sensitivity, Unit
from privet.errors import InvalidParameter, ReleaseFailed
from privet.loss import DiscreteLaplaceCurve, Guarantee, LaplaceCurve, PrivacyLoss
from privet.mechanisms.sparse_vector import Crossings, SparseVector
from privet.noise import BitSource, LaplaceLaw
from tests.contracts.mechanism import Example, MechanismContract, audited_epsilon
from tests.support.exact_sums import hockey_stick

Answers = Sequence[float]
Flags = tuple[bool, ...]
PERSON = Unit("person")


def code(flags: Sequence[bool]) -> int:
    """Flags as one number: a leading 1, then a digit for each."""
    return int("1" + "".join(str(int(flag)) for flag in flags), 2)


def sequences(length: int, count: int) -> list[Flags]:
    """Every sequence that can come out: it ends at the last crossing allowed, or with the questions."""
    found = []
    for size in range(1, length + 1):
        for flags in itertools.product([False, True], repeat=size):
            ended = sum(flags) == count and flags[-1]
            if (ended or size == length) and sum(flags[:-1]) < count:
                found.append(flags)
    return found


def chances(
    answers: Answers, threshold: float, count: int, bar: tuple[NDArray[Any], NDArray[Any]], above: Callable[[Any], Any]
) -> dict[int, float]:
    """Pr[flags] as a sum over the threshold's noise (its values and their weights) of a product over the flags."""
    each = [above(threshold + bar[0] - answer) for answer in answers]
    return {
        code(flags): float(
            (bar[1] * math.prod(p if flag else 1 - p for p, flag in zip(each, flags, strict=False))).sum()
        )
        for flags in sequences(len(answers), count)
    }


def laplace_above(scale: float) -> Callable[[Any], Any]:
    return lambda x: np.where(x < 0, 1 - np.exp(-np.abs(x) / scale) / 2, np.exp(-np.abs(x) / scale) / 2)


def law(answers: Answers, vector: SparseVector, wider: float = 1.0) -> dict[int, float]:
    """The continuous textbook law, by quadrature between the kinks, which lie at quarters."""
    bar, query = (wider * float(scale) for scale in (vector.threshold_scale, vector.query_scale))
    nodes, weights = np.polynomial.legendre.leggauss(10)
    edges = np.arange(-math.ceil(40 * bar), math.ceil(40 * bar), 0.25)
    x = (edges[:, None] + (1 + nodes) / 8).ravel()
    w = np.tile(weights / 8, len(edges))
    density = w * np.exp(-np.abs(x) / bar) / (2 * bar)
    return chances(answers, float(vector.threshold), vector.count, (x, density), laplace_above(query))


def discrete_law(answers: Answers, threshold: int, count: int, bar: float, query: float) -> dict[int, float]:
    """The law on the whole numbers, by a sum."""
    z = np.arange(-math.ceil(45 * bar), math.ceil(45 * bar) + 1)
    t, u = math.exp(-1 / bar), math.exp(-1 / query)

    def above(x: NDArray[Any]) -> NDArray[Any]:
        tail: NDArray[Any] = np.where(x > 0, u ** np.abs(x) / (1 + u), 1 - u ** (np.abs(x) + 1) / (1 + u))
        return tail

    return chances(answers, threshold, count, (z, t ** np.abs(z) * (1 - t) / (1 + t)), above)


class CoarseSparseVector(SparseVector):
    """Steps as large as the sensitivity or the noise, so that rounding can be seen."""

    finer: ClassVar[int] = 0


def draws(vector: SparseVector) -> Callable[[Any, BitSource, int], Sequence[int]]:
    return lambda answers, source, count: [code(told.flags) for told in vector.many(answers, source, count)]


def example(vector: SparseVector, pair: tuple[Answers, Answers]) -> Example:
    return Example(
        mechanism=vector,
        pair=pair,
        law=lambda answers: law(answers, vector),
        wrong_law=lambda answers: law(answers, vector, 1 / 1.3),
        sensitivity=Sensitivity(vector.sensitivity, cells=len(pair[0])),
        draw=draws(vector),
        too_far=Sensitivity(vector.sensitivity * Fraction(1001, 1000)),
    )


def coarse_example() -> Example:
    """One step is 1 and answers are taken to move 2 steps: scales 2/1 and 2*2/1. The threshold 5.5 rounds to 6."""
    vector = CoarseSparseVector(sensitivity=1, epsilon=2, threshold="5.5", threshold_share="1/2")
    return Example(
        mechanism=vector,
        pair=([0, 0, 1], [1, 1, 0]),
        law=lambda answers: discrete_law(answers, 6, 1, 2.0, 4.0),
        wrong_law=lambda answers: discrete_law(answers, 6, 1, 2.0 / 1.3, 4.0 / 1.3),
        sensitivity=Sensitivity(1, cells=3),
        draw=draws(vector),
        too_far=Sensitivity(2),
    )


def value_example() -> Example:
    """One question, with its value: the outcome is the flag and the cell in which the value lies."""
    vector = SparseVector(sensitivity=1, epsilon=2, threshold=0, value_epsilon=2)

    def outcome(told: Crossings) -> int:
        return 100 + math.floor(min(max(told.values[0], -5.0), 5.0) * 2) if told.values else 0

    def exact(answers: Answers, wider: float = 1.0) -> dict[int, float]:
        flags = law(answers, vector, wider)
        scale = wider * 0.5
        edges = laplace_above(scale)(np.arange(-9, 11) / 2 - answers[0])
        cells = -np.diff(np.concatenate([[1.0], edges, [0.0]]))
        return {0: flags[code([False])], **{90 + i: flags[code([True])] * float(p) for i, p in enumerate(cells)}}

    return Example(
        mechanism=vector,
        pair=([1.0], [0.0]),
        law=exact,
        wrong_law=lambda answers: exact(answers, 1 / 1.3),
        sensitivity=Sensitivity(1),
        outcome=outcome,
        draw=lambda answers, source, count: [outcome(told) for told in vector.many(answers, source, count)],
        too_far=Sensitivity("1.01"),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(SparseVector(sensitivity=1, epsilon=2, threshold=4), ([0, 0, 0, 1], [1, 1, 1, 0])),
        example(SparseVector(sensitivity="0.5", epsilon=4, threshold=0, count=2), ([0.5, 0.0, 0.5], [0.0, 0.5, 0.0])),
        example(
            SparseVector(sensitivity=1, epsilon=2, threshold=1, count=2, one_direction=True), ([0, 1, 2], [1, 2, 3])
        ),
        coarse_example(),
        value_example(),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [[], [1.0, float("nan")], [1.0, float("inf")], 3.0, [[1.0]], ["a"], None, abs]


def test_half_of_epsilon_for_the_threshold_gives_the_scales_of_the_textbook() -> None:
    vector = SparseVector(sensitivity=3, epsilon="0.5", threshold=7, count=5, threshold_share="0.5")
    assert [vector.threshold_scale, vector.query_scale] == [Fraction(12), Fraction(120)]
    for drawn, stated in ((vector._threshold_law.scale, 12), (vector._query_law.scale, 120)):
        assert stated < drawn * vector.lattice.step < stated * (1 + Fraction(1, 2**22))


def spread(vector: SparseVector) -> float:
    """The deviation of what decides a flag: the answer's noise less the threshold's."""
    return math.hypot(vector.threshold_scale, vector.query_scale)


@pytest.mark.parametrize(("count", "less", "least"), [(1, 1.07, 1.58), (5, 1.49, 2.58), (50, 1.86, 3.59)])
def test_the_noise_is_the_least_for_the_price(count: int, less: float, least: float) -> None:
    """Against half of epsilon for the threshold, and with other shares of epsilon around ours."""
    half = SparseVector(1, 1, 0, count=count, threshold_share="1/2")
    for one_direction, factor in ((False, less), (True, least)):
        ours = SparseVector(1, 1, 0, count=count, one_direction=one_direction)
        assert spread(half) > factor * spread(ours)
        assert half.margin(questions=100) > ours.margin(questions=100)
        share = ours.sensitivity / ours.threshold_scale
        for other in (share * Fraction(9, 10), share * Fraction(11, 10)):
            moved = SparseVector(1, 1, 0, count=count, one_direction=one_direction, threshold_share=other)
            assert spread(ours) < spread(moved)
        assert ours.loss == half.loss


def worst_flags(vector: SparseVector, moves: Sequence[Answers]) -> tuple[float, float]:
    """The largest loss of any flags, and the largest hockey stick at ε/2, over rows of five answers and these moves."""
    scales = (float(vector._threshold_law.scale), float(vector._query_law.scale))
    largest, stick = (0.0, 0.0)
    for row in itertools.product((-24, 0, 24), repeat=2):
        for move in moves:
            answers = np.array([row[0]] * 3 + [row[1]] * 2)
            one, other = (discrete_law(a.tolist(), 0, vector.count, *scales) for a in (answers, answers + move))
            p, q = np.array([*one.values()]), np.array([*other.values()])
            largest = max(largest, float(np.abs(np.log(p / q)).max()))
            stick = max(stick, hockey_stick(p, q, float(vector.epsilon) / 2))
    return largest, stick


def test_all_flags_of_a_coarse_lattice_keep_the_price_and_come_near_it() -> None:
    """Every sequence, by enumeration; answers move two steps. One direction's discount is for one direction."""
    apart = [(2, 2, 2, -2, -2), (-2, -2, -2, 2, 2)]
    along = [(2, 2, 2, 2, 2), (-2, -2, -2, 0, 0), (2, 2, 2, 0, 0), (0, 0, 0, -2, -2)]
    for count in (1, 2):
        general = CoarseSparseVector(sensitivity=1, epsilon=2, threshold=0, count=count)
        cheap = CoarseSparseVector(sensitivity=1, epsilon=2, threshold=0, count=count, one_direction=True)
        for vector, moves in ((general, apart + along), (cheap, along)):
            largest, stick = worst_flags(vector, moves)
            assert 1.6 < largest <= 2 + 1e-9
            assert stick <= vector.loss.delta(1)
        assert worst_flags(cheap, apart)[0] > 2.2, "the control: answers that move apart show what was saved"


def test_the_price_is_that_of_the_flags_and_of_every_value_that_may_be_told() -> None:
    free = SparseVector(1, "0.7", 0, count=9)
    assert free.loss == PrivacyLoss.of(DiscreteLaplaceCurve(free._moved / Fraction("0.7"), free._moved))
    assert free.loss.largest_loss == Fraction("0.7")
    paid = SparseVector(1, "0.7", 0, count=3, value_epsilon="0.3")
    assert paid.loss == SparseVector(1, "0.7", 0).loss + PrivacyLoss.of(LaplaceCurve("0.1"), 3)
    assert paid.loss.meets(Guarantee(1))
    assert not paid.loss.meets(Guarantee("0.999999"))
    assert paid.value_mechanism is not None
    assert paid.value_mechanism.scale == 10


def test_a_run_ends_with_the_last_crossing_allowed(source: BitSource) -> None:
    vector = SparseVector(sensitivity=1, epsilon=1000, threshold=10, count=2)
    told = vector.sample([0, 20, 0, 20, 0, 20], source)
    assert told == Crossings((False, True, False, True))
    assert told.above == (1, 3)
    assert vector.sample([0, 20, 0], source) == Crossings((False, True, False))


def test_values_have_fresh_noise_and_are_told_for_crossings_only(source: BitSource) -> None:
    vector = SparseVector(sensitivity=1, epsilon=1000, threshold=10, count=2, value_epsilon=1000)
    told = vector.sample([0.5, 20.5, 30.5, 40.5], source)
    assert told.flags == (False, True, True)
    assert told.values == pytest.approx((20.5, 30.5), abs=0.1)
    assert not vector.sample([0.0, 0.0], source).values


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("sensitivity", 0),
        ("epsilon", 0),
        ("epsilon", "-1"),
        ("count", 0),
        ("count", 1.5),
        ("threshold", "nan"),
        ("value_epsilon", 0),
        ("one_direction", "no"),
        ("threshold_share", 0),
        ("threshold_share", 1),
    ],
)
def test_bad_parameters_are_refused(words: str, value: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match=words):
        SparseVector(**{"sensitivity": 1, "epsilon": 1, "threshold": 0, words: value})


def test_calibration_splits_epsilon_and_spends_all_of_it() -> None:
    made = SparseVector.calibrated(epsilon=1, sensitivity=Sensitivity(2, cells=9), threshold=5, count=2, values="0.25")
    assert (made.sensitivity, made.epsilon, made.value_epsilon) == (Fraction(2), Fraction(3, 4), Fraction(1, 4))
    assert made.loss.meets(Guarantee(1))
    plain = SparseVector.calibrated(epsilon="0.1", sensitivity=Sensitivity(2), threshold=5)
    assert plain.value_epsilon is None
    assert not plain.loss.meets(Guarantee("0.0999999"))
    with pytest.raises(InvalidParameter, match="share"):
        SparseVector.calibrated(epsilon=1, sensitivity=Sensitivity(2), threshold=5, values=1)


def test_the_margin_holds_for_all_questions_at_once(source: BitSource) -> None:
    """n = 2,000 runs of 20 questions at 90 %: fewer than 10 % name an answer that lies beyond the margin."""
    vector = SparseVector(sensitivity=1, epsilon=1, threshold=0)
    margin = vector.margin(0.9, questions=20)
    wrong = [told.above for told in vector.many([-margin] * 20, source, 2_000) if told.above]
    assert len(wrong) < 200
    assert margin < 8 * (math.log(20) + math.log(2 / 0.1))  # Dwork and Roth 2014, Theorem 3.24
    with pytest.raises(InvalidParameter, match="confidence"):
        vector.margin(1.0, questions=3)


# --- questions chosen as they go ------------------------------------------------------------------------------------


def test_questions_may_follow_from_flags(source: BitSource) -> None:
    """A search by halves for a secret number: each question follows from the flags before it."""
    vector = SparseVector(sensitivity=1, epsilon=10_000, threshold=0, count=20)

    def middle(flags: Flags) -> int | None:
        low, high = 0, 1024
        for flag in flags:
            low, high = ((low + high) // 2, high) if flag else (low, (low + high) // 2)
        return (low + high) // 2 if high - low > 1 else None

    told = vector.asking(middle).sample(lambda question: 700.0 - question + 0.5, source)
    assert int("".join(str(int(flag)) for flag in told.flags), 2) == 700


def test_asking_has_the_law_of_the_row(source: BitSource) -> None:
    """n = 20,000: questions asked one by one against the exact law of the same questions in a row."""
    from tests.support.statistics import assert_does_not_follow, assert_follows  # noqa: PLC0415 - used here only

    vector = SparseVector(sensitivity=1, epsilon=2, threshold=1, count=2)
    answers = [0, 1, 2]
    asking = vector.asking(lambda flags: len(flags) if len(flags) < len(answers) else None)
    outcomes = [code(asking.sample(answers.__getitem__, source).flags) for _ in range(20_000)]
    assert_follows(outcomes, law(answers, vector))
    assert_does_not_follow(outcomes, law(answers, vector, 1 / 1.3))


def test_asking_goes_through_a_ledger_and_stops_like_a_row() -> None:
    vector = SparseVector(sensitivity=1, epsilon=500, threshold=10, count=2, value_epsilon=500)
    asking = vector.asking(len)
    ledger = Ledger(Guarantee(1000), unit=PERSON)
    secret = Sensitive(lambda question: 50.0 * (question % 2), Sensitivity(1, cells=9), PERSON)
    release = ledger.release(secret, asking, purpose="which days")
    assert release.value.flags == (False, True, False, True)
    assert release.value.values == pytest.approx((50.0, 50.0), abs=1)
    assert ledger.remaining.epsilon == 0
    assert Release.from_json(release.to_json(), kinds=[Crossings]).value == release.value
    assert not asking.covers(Sensitivity("1.1"))
    with pytest.raises(InvalidParameter, match="answers one question"):
        ledger.release(Sensitive[Any]([1.0], Sensitivity(1), PERSON), asking, purpose="a row")


def test_an_answer_that_is_no_number_fails_after_the_charge_without_a_word_about_it() -> None:
    ledger = Ledger(Guarantee(10), unit=PERSON)
    asking = SparseVector(sensitivity=1, epsilon=1, threshold=0).asking(len)
    with pytest.raises(ReleaseFailed, match="not shown"):
        ledger.release(Sensitive(lambda _: float("nan"), Sensitivity(1), PERSON), asking, purpose="bad")
    assert ledger.spent.epsilon == 1


# --- the variants that leak (Lyu, Su and Li 2017) -----------------------------------------------------------------

Event = Callable[[Answers, BitSource, int], Sequence[int]]


def noise(scale: float, source: BitSource, *shape: int) -> NDArray[Any]:
    values: NDArray[Any] = LaplaceLaw(scale * 2**20).many(source, math.prod(shape)).reshape(shape) / 2**20
    return values


def third(answers: Answers, source: BitSource, count: int) -> Sequence[int]:
    """Tells the noisy answer that crossed. Event: six below, then a value of at most 2."""
    bar = noise(2, source, count, 1)
    noisy = np.array(answers) + noise(2, source, count, len(answers))
    event = (noisy[:, :6] < bar).all(axis=1) & (noisy[:, 6] >= bar[:, 0]) & (noisy[:, 6] <= 2)
    return event.astype(int).tolist()  # type: ignore[no-any-return]


def fourth(answers: Answers, source: BitSource, count: int) -> Sequence[int]:
    """Too little noise on the answers. Event: five below, then one above a threshold of 1."""
    above = np.array(answers) + noise(4 / 3, source, count, len(answers)) >= 1 + noise(4, source, count, 1)
    return (~above[:, :5].any(axis=1) & above[:, 5]).astype(int).tolist()  # type: ignore[no-any-return]


def fifth(answers: Answers, source: BitSource, count: int) -> Sequence[int]:
    """No noise on the answers. Event: below, then above."""
    above = np.array(answers) >= noise(2, source, count, 1)
    return (~above[:, 0] & above[:, 1]).astype(int).tolist()  # type: ignore[no-any-return]


def sixth(answers: Answers, source: BitSource, count: int) -> Sequence[int]:
    """Never stops. Event: five below, then five above."""
    above = np.array(answers) + noise(2, source, count, len(answers)) >= noise(2, source, count, 1)
    return (~above[:, :5].any(axis=1) & above[:, 5:].all(axis=1)).astype(int).tolist()  # type: ignore[no-any-return]


class Leak(NamedTuple):
    """A variant, where its leak is seen, and in how many trials."""

    variant: Event
    pair: tuple[Answers, Answers]
    threshold: int
    event: Flags
    trials: int


LEAKS = [
    Leak(third, ([0] * 7, [1] * 6 + [0]), 0, (False,) * 6 + (True,), 400_000),
    Leak(fourth, ([0] * 5 + [1], [1] * 5 + [0]), 1, (False,) * 5 + (True,), 200_000),
    Leak(fifth, ([0, 1], [1, 0]), 0, (False, True), 20_000),
    Leak(sixth, ([-1] * 5 + [1] * 5, [0] * 10), 0, (False,) * 5 + (True,), 200_000),
]


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.variant.__name__)
def test_an_audit_sees_the_variants_that_leak_and_not_ours(leak: Leak, source: BitSource) -> None:
    vector = SparseVector(sensitivity=1, epsilon=1, threshold=leak.threshold)
    ours = example(vector, leak.pair)

    def same_event(answers: Answers, source: BitSource, count: int) -> Sequence[int]:
        return [int(told.flags == leak.event) for told in vector.many(answers, source, count)]

    def audited(draw: Event, trials: int) -> float:
        seen = Example(vector, leak.pair, ours.law, ours.sensitivity, ours.wrong_law, draw=draw)
        return audited_epsilon(seen, source, trials)

    assert audited(leak.variant, leak.trials) > 1, "the control: a leak this large is seen"
    assert audited(same_event, 20_000) <= 1
