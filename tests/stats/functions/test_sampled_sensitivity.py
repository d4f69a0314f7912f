"""Sampled sensitivity: the order statistic of the right neighbors, in the right norm, labelled as what it is."""

import importlib
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import Gaussian, Laplace
from privet.stats.functions.kernel_regression import KernelRegression
from privet.stats.functions.nadaraya_watson import NadarayaWatson
from privet.stats.functions.priestley_chao import PriestleyChao
from privet.stats.functions.sampled_sensitivity import move_of, sampled_sensitivity

module: Any = importlib.import_module(
    "privet.stats.functions.sampled_sensitivity"
)  # the package has a function of this name

Oracle = Callable[[int], NDArray[Any]]


def uniform(seed: int = 1, *shape: int) -> Oracle:
    generator = np.random.default_rng(seed)
    return lambda count: generator.random((count, *shape))


def moves_by_hand(f: Any, oracle: Oracle, n: int, m: int, *, remove: bool = False) -> list[Any]:  # noqa: ANN401 - any function
    """The moves of f, one pair after the other, as the paper draws them."""
    moves = []
    for _ in range(m):
        records = oracle(n if remove else n + 1)
        one = records[:n]
        other = records[: n - 1] if remove else np.concatenate((records[: n - 1], records[n:]))
        moves.append(np.asarray(f(one)) - np.asarray(f(other)))
    return moves


@pytest.mark.parametrize("remove", [False, True])
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_it_is_the_kth_smallest_move(norm: str, *, remove: bool) -> None:
    def f(rows: NDArray[Any]) -> Any:  # noqa: ANN401 - an array
        return rows.sum(axis=0) ** 2

    neighbors = "add_remove" if remove else "replace"
    found = sampled_sensitivity(f, uniform(7, 3), 10, m=500, gamma="0.2", norm=norm, neighbors=neighbors)
    order = {"l1": 1, "l2": 2, "linf": math.inf}[norm]
    moves = moves_by_hand(f, uniform(7, 3), 10, 500, remove=remove)
    lengths = sorted(float(np.linalg.norm(move, order)) for move in moves)
    assert getattr(found, norm) == pytest.approx(lengths[438], rel=1e-12)
    assert getattr(found, norm) >= Fraction(lengths[438])
    assert (found.cells, found.gamma) == (3, Fraction(1, 5))


def test_every_norm_but_the_sampled_one_follows_from_it() -> None:
    """One order statistic is taken; the others may not be read off the same draws for the same gamma."""

    def f(rows: NDArray[Any]) -> Any:  # noqa: ANN401 - an array
        return rows.sum(axis=0)

    ask: dict[str, Any] = {"m": 200, "gamma": "0.2"}
    l1 = sampled_sensitivity(f, uniform(1, 4), 5, norm="l1", **ask)
    assert l1.per_cell == l1.l2 == l1.l1
    l2 = sampled_sensitivity(f, uniform(1, 4), 5, norm="l2", **ask)
    assert l2.per_cell == l2.l2
    assert l2.l1 == 2 * l2.l2
    linf = sampled_sensitivity(f, uniform(1, 4), 5, norm="linf", **ask)
    assert linf.l1 == 4 * linf.linf
    assert linf.l2 == 2 * linf.linf


@pytest.mark.parametrize("neighbors", ["replace", "add_remove"])
@pytest.mark.parametrize("kind", [PriestleyChao("0.1"), PriestleyChao("0.2", spacing="even"), NadarayaWatson("0.1")])
def test_one_by_one_in_batches_and_by_what_differs_are_the_same(
    kind: KernelRegression, neighbors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    f = kind.on(np.arange(11) / 10)
    monkeypatch.setattr(module, "AT_ONCE", 1000)  # several turns
    ask: dict[str, Any] = {"n": 40, "m": 60, "norm": "linf", "neighbors": neighbors}
    moving = sampled_sensitivity(f, uniform(5, 2), **ask)
    batched = sampled_sensitivity(f.__call__, uniform(5, 2), batched=True, **ask)  # a function without `move`
    single = sampled_sensitivity(f.__call__, uniform(5, 2), **ask)
    assert batched.linf == pytest.approx(single.linf, rel=1e-9)
    assert moving.linf == pytest.approx(single.linf, rel=1e-8)
    assert moving.gamma == single.gamma


def test_batches_bound_memory() -> None:
    sizes: list[int] = []

    def f(rows: NDArray[Any]) -> Any:  # noqa: ANN401 - an array
        sizes.append(rows.size)
        return rows.mean(axis=1)

    sampled_sensitivity(f, uniform(2), 10_000, m=200, batched=True)
    assert max(sizes) <= module.AT_ONCE
    assert len(sizes) > 10


def test_lists_of_anything_are_records() -> None:
    words = iter(range(10**6))

    def oracle(count: int) -> list[str]:
        return ["x" * (next(words) % 7) for _ in range(count)]

    found = sampled_sensitivity(lambda rows: sum(map(len, rows)), oracle, 21, m=50)
    assert found.l1 == pytest.approx(6)


def test_rounding_is_upward() -> None:
    for norm in ("l1", "l2", "linf"):
        found = sampled_sensitivity(np.mean, uniform(3), 7, m=20, norm=norm)
        largest = max(abs(Fraction(float(move))) for move in moves_by_hand(np.mean, uniform(3), 7, 20))
        assert largest < found.l1 < largest * Fraction(1 + 2**-40)


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_move_of_is_a_norm_of_the_difference(one: float, other: float) -> None:
    def f(rows: Any) -> NDArray[Any]:  # noqa: ANN401 - a list
        return np.array([rows[0], 2 * rows[0]])

    gap = abs(one - other)
    double = abs(2 * one - 2 * other)
    for norm, size in (("l1", gap + double), ("l2", math.hypot(gap, double)), ("linf", double)):
        found = move_of(f, [one], [other], norm=norm)
        assert size <= found <= size * (1 + 1e-12) + 1e-322


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e-160, 1.0, 1e160, 1e300])
def test_no_move_is_too_small_or_too_large_to_be_measured(size: float) -> None:
    for norm, times in (("l1", 4), ("l2", 2), ("linf", 1)):
        found = move_of(lambda rows: np.full(4, rows[0]), [size], [0.0], norm=norm)
        exact = times * Fraction(size)
        assert exact <= Fraction(found) <= exact * (1 + Fraction(1, 10**12)) + Fraction(1, 10**322)


def test_a_move_is_measured_in_a_known_norm() -> None:
    with pytest.raises(InvalidParameter, match="norm must be one of"):
        move_of(np.mean, [1.0], [2.0], norm="l3")


# --- what it is used for --------------------------------------------------------------------------------------------


def test_the_label_travels_from_the_sample_to_the_release() -> None:
    """Random DP all the way, and no ledger without a γ takes it."""
    person = Unit("person", "replace")
    sampled = sampled_sensitivity(np.mean, lambda count: np.random.default_rng(count).normal(size=count), 50, m=100)
    noise = Laplace.calibrated(epsilon=1, sensitivity=sampled)
    secret = Sensitive.later(lambda: 0.5, sampled, person)
    with pytest.raises(BudgetExceeded, match="was sampled"):
        Ledger(Guarantee(5, "1e-6"), unit=person).release(secret, noise, purpose="a mean")
    ledger = Ledger(Guarantee(1, gamma="0.2"), unit=person)
    release = ledger.release(secret, noise, purpose="a mean")
    assert "spent (ε=1, γ=0.159724" in repr(release)
    assert "random DP" in repr(release)
    assert ledger.spent.gamma == sampled.gamma
    assert Gaussian.calibrated(epsilon=1, delta="1e-6", sensitivity=sampled).covers(sampled)


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"f": 3}, "f must be a function"),
        ({"oracle": np.zeros(5)}, "oracle a function"),
        ({"oracle": lambda count: np.zeros(count + 1)}, r"oracle\(11\) must return 11 records, got 12"),
        ({"oracle": lambda count: dict.fromkeys(range(count))}, "numpy array or a list"),
        ({"n": 0}, "n must be a whole number"),
        ({"norm": "l3"}, "norm must be one of"),
        ({"neighbors": "friends"}, "neighbors"),
        ({"m": None}, "give gamma, or m"),
        ({"f": lambda _: [1.0, 2.0]}, "norm must be given"),
        ({"f": lambda _: 1.0}, "did not move"),
        ({"f": lambda _: math.nan}, "moved without bound"),
        ({"f": lambda rows: math.inf if rows[-1] > 0.1 else 0}, "moved without bound"),
        ({"f": lambda rows: rows[rows > 0.5], "norm": "l1"}, "as many numbers"),
        ({"f": lambda rows: rows.sum(), "batched": True}, "one answer for each"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], says: str) -> None:
    ask: dict[str, Any] = {"f": np.mean, "oracle": uniform(1), "n": 10, "m": 50} | change
    with pytest.raises(InvalidParameter, match=says):
        sampled_sensitivity(ask.pop("f"), ask.pop("oracle"), ask.pop("n"), **ask)


def test_rare_nonsense_is_allowed_for_by_gamma() -> None:
    """Fewer than m - k infinite moves lie above the order statistic."""
    count = iter(range(10**6))

    def f(rows: NDArray[Any]) -> float:
        return math.nan if next(count) % 200 == 0 else float(rows.mean())

    assert math.isfinite(sampled_sensitivity(f, uniform(1), 10, m=500, gamma="0.2").l1)
    count = iter(range(10**6))
    with pytest.raises(InvalidParameter, match="moved without bound"):
        sampled_sensitivity(f, uniform(1), 10, m=500)


def test_a_long_run_shows_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    sampled_sensitivity(np.mean, uniform(1), 10, m=50)
    told = capsys.readouterr()
    assert "sampling the sensitivity" in told.err
    assert not told.out


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(sampled_sensitivity(np.mean, uniform(1), 10, m=50), Sensitivity)
    assert capsys.readouterr() == ("", "")
