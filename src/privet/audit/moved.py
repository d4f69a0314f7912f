"""Moved: how far apart what a mechanism was given by two neighbors is, in the mechanism's own measure."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.audit.followed import Followed
from privet.audit.looks import written
from privet.audit.runs import outcome_of
from privet.core import Sensitivity
from privet.core.mechanism import After, Mechanism, Then
from privet.core.sensitivity import root_above
from privet.loss.exact import exact, readable
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.mechanisms.halving_quantiles import HalvingQuantiles
from privet.mechanisms.interval_quantile import IntervalQuantile
from privet.mechanisms.noisy_steps import NoisySteps
from privet.mechanisms.perturbed_minimiser import LabeledRows
from privet.mechanisms.quantile_interval import QuantileInterval
from privet.mechanisms.sample_and_aggregate import GroupedRows, SampleAndAggregate
from privet.mechanisms.smooth import SmoothNoise, SmoothValue
from privet.mechanisms.two_round_selection import TwoRoundSelection
from privet.noise import Entropy

Coordinates = Mapping[Hashable, Fraction | float]  # by place, or by key as it is written; floats are NaN or infinite


@dataclass(frozen=True)
class Moved:
    """How far a secret moves between two neighbors, beside what was declared.

    Args:
        moved: in words, such as "a sum of moves (L1) of 7".
        declared: in the same words.
        share: moved / declared, where it is largest.
        beyond: whether it moved by more than declared.
        covered: whether the mechanism's loss holds for so large a move all the same.
        compared: False if nobody knows how to compare such secrets.
    """

    moved: str
    declared: str
    share: float
    beyond: bool
    covered: bool = False
    compared: bool = True


SAME = Moved("nothing", "", 0.0, beyond=False)
UNKNOWN = Moved("a secret that cannot be compared", "", 0.0, beyond=False, compared=False)


def moved(mechanism: Mechanism[Any, Any], declared: Sensitivity, one: Any, other: Any) -> Moved:  # noqa: ANN401, PLR0911 - any secrets; a return for each measure
    """Compare what a mechanism was given by two neighbors.

    Args:
        mechanism: what was given them; what it is decides what a move is.
        declared: of the secret.
        one: the first neighbor's secret.
        other: the second's.

    Proof: all differences are exact fractions. A number that is NaN or infinite on one side only is infinitely far.
    """
    if isinstance(mechanism, Then):
        return moved(mechanism.mechanism, declared, one, other)
    if isinstance(mechanism, After):
        return moved(
            mechanism.mechanism, several(declared, mechanism.stability), *map(mechanism.function, (one, other))
        )
    if isinstance(mechanism, IntervalQuantile | QuantileInterval):
        return _ranks(mechanism, one, other)
    if isinstance(mechanism, SmoothNoise):
        return _smooth(mechanism, one, other)
    if isinstance(mechanism, NoisySteps):
        return _steps(mechanism, one, other)
    if isinstance(mechanism, TwoRoundSelection):
        return _members(mechanism, one, other)
    rows = _rows_of(mechanism, declared, one, other)
    return _numbers(mechanism, declared, one, other) if rows is None else rows


def several(declared: Sensitivity, times: int) -> Sensitivity:
    """What so many neighbors in a chain may move."""
    if times == 1:
        return declared
    return Sensitivity(
        declared.per_cell * times, cells=declared.cells * times, l1=declared.l1 * times, l2=declared.l2 * times
    )


# --- numbers ----------------------------------------------------------------------------------------------------


def _numbers(mechanism: Mechanism[Any, Any], declared: Sensitivity, one: Any, other: Any) -> Moved:  # noqa: ANN401 - any secrets
    here, there = coordinates(mechanism, one), coordinates(mechanism, other)
    if here is None or there is None:
        return SAME if one is other else UNKNOWN
    forms = [(_form(one), _form(other))]
    if _type(one) != _type(other):  # does it show in answers?
        forms.append((_answer_form(mechanism, one), _answer_form(mechanism, other)))
    for mine, theirs in forms:
        if mine != theirs:
            return Moved(f"its form: from {mine} to {theirs}", "a public form", math.inf, beyond=True)
    moves = {at: _apart(here.get(at, Fraction(0)), there.get(at, Fraction(0))) for at in {*here, *there}}
    return compared(mechanism, declared, {at: move for at, move in moves.items() if move})


def compared(mechanism: Mechanism[Any, Any], declared: Sensitivity, moves: Coordinates) -> Moved:
    """Moves of numbers, each > 0, beside what was declared; in the norm in which they are worst."""
    if not moves:
        return SAME
    worst = max(moves, key=lambda at: (moves[at], str(at)))
    if not all(isinstance(move, Fraction) for move in moves.values()):
        return Moved(f"number {_at(worst)} by infinity", f"at most {readable(declared.linf)}", math.inf, beyond=True)
    each = [Fraction(move) for move in moves.values()]
    largest, total, square = max(each), sum(each, Fraction(0)), sum((move * move for move in each), Fraction(0))
    length = root_above(square)
    norms = [
        (largest, declared.linf, _at(worst) + " by {}"),
        (total, declared.l1, "a sum of moves (L1) of {}"),
        (length if square > declared.l2**2 else min(length, declared.l2), declared.l2, "a Euclidean move (L2) of {}"),
        (Fraction(len(each)), Fraction(declared.cells), "{} numbers"),
    ]
    over = any(mine > most for mine, most, _ in norms)
    covered = over and mechanism.covers(Sensitivity(largest, cells=len(each), l1=total, l2=length))
    mine, most, words = max(norms, key=lambda norm: norm[0] / norm[1])
    said = words.format(readable(mine, beside=most))
    if mine != largest:
        said += f" ({_at(worst)} by {readable(largest)})"
    return Moved(said, f"at most {readable(most)}", float(mine / most), beyond=over, covered=covered)


def coordinates(mechanism: Mechanism[Any, Any], secret: Any) -> Coordinates | None:  # noqa: ANN401 - any secret
    """The numbers of a secret; None if it is none. Groups are told apart by their keys as these are written."""
    if isinstance(mechanism, GroupedChoice | GroupedInterval):
        return {(group, at): Fraction(weight) for group, found in enumerate(secret) for at, weight in found.items()}
    if isinstance(secret, Mapping):
        return {written(key): exact_or_odd(number) for key, number in secret.items()}
    try:
        array = np.asarray(secret, dtype=object)
        return {at: exact_or_odd(number) for at, number in np.ndenumerate(array)}
    except (TypeError, ValueError, OverflowError):
        return None


def exact_or_odd(number: Any) -> Fraction | float:  # noqa: ANN401 - any number
    """A number exactly, or the float that is none."""
    if isinstance(number, float | np.floating) and not math.isfinite(number):
        return float(number)
    return Fraction(number.item() if isinstance(number, np.generic) else number)


def _apart(here: Fraction | float, there: Fraction | float) -> Fraction | float:
    if isinstance(here, Fraction) and isinstance(there, Fraction):
        return abs(here - there)
    return Fraction(0) if repr(here) == repr(there) else math.inf


def _form(secret: Any) -> str:  # noqa: ANN401 - any secret
    """What of a secret's form is public: not which groups a mapping has."""
    if isinstance(secret, Mapping):
        return "a mapping"
    shape = np.shape(secret) if not isinstance(secret, list | tuple) else (len(secret),)
    return f"numbers in shape {shape}" if shape else "a number"


def _type(secret: Any) -> str:  # noqa: ANN401 - any secret
    """The type of numbers; other secrets have none that answers could show."""
    return str(np.asarray(secret).dtype) if isinstance(secret, np.ndarray | np.generic | int | float) else ""


def _answer_form(mechanism: Mechanism[Any, Any], secret: Any) -> str:  # noqa: ANN401 - any secret
    """What type the answer about a secret has."""
    said = outcome_of(lambda: mechanism.sample(secret, Entropy()))
    return f"answers of {type(said).__name__} {getattr(said, 'dtype', '')}".strip()


def _at(place: Hashable) -> str:
    if isinstance(place, tuple):
        return f"number {', '.join(map(str, place))}" if place else "the number"
    return f"the number of {place}"


# --- rows -------------------------------------------------------------------------------------------------------


def _rows_of(mechanism: Mechanism[Any, Any], declared: Sensitivity, one: Any, other: Any) -> Moved | None:  # noqa: ANN401 - any secrets
    """Of mechanisms that are given rows; None if this one is not."""
    if isinstance(mechanism, HalvingQuantiles):
        return _rows(_column(mechanism, one), _column(mechanism, other), declared.l1)
    if isinstance(mechanism, SampleAndAggregate):
        return _rows(_blocks(one), _blocks(other), 2 * declared.l1, most_pairs=declared.l1)
    if isinstance(one, LabeledRows) and isinstance(other, LabeledRows):
        return _rows(_labeled(one), _labeled(other), declared.l1)
    if mechanism.of_rows:
        return _rows(_plain(one), _plain(other), declared.l1, most_pairs=declared.linf)
    return None


def _rows(one: Counter[Any], other: Counter[Any], most: Fraction, *, most_pairs: Fraction | None = None) -> Moved:
    """Rows that come or go, all together; and if there is a second limit, those that come, and those that go."""
    gone, come = (one - other).total(), (other - one).total()
    if not gone + come:
        return SAME
    found = [(gone + come, most, "row{} that come or go")]
    found += [] if most_pairs is None else [(max(gone, come), most_pairs, "row{} that are replaced, come or go")]
    number, limit, words = max(found, key=lambda each: each[0] / each[1])
    said = f"{number} {words.format('' if number == 1 else 's')}"
    return Moved(said, f"at most {readable(limit)}", float(number / limit), beyond=number > limit)


def _plain(secret: Any) -> Counter[str]:  # noqa: ANN401 - rows
    return Counter(repr(row) for row in np.asarray(secret).tolist())


def _ranks(mechanism: Any, one: Any, other: Any) -> Moved:  # noqa: ANN401 - mechanisms with a quantile, and their columns
    """How far rows that come or go can move a score: q or 1-q for each, 1 for each that is replaced."""
    here, there = _column(mechanism, one), _column(mechanism, other)
    gone, come = (here - there).total(), (there - here).total()
    if not gone + come:
        return SAME
    quantile = Fraction(mechanism.quantile)
    score = min(gone, come) + abs(gone - come) * max(quantile, 1 - quantile)
    most = mechanism.score_sensitivity
    return Moved(f"scores by {readable(score)}", f"at most {readable(most)}", float(score / most), beyond=score > most)


def _column(mechanism: Any, secret: Any) -> Counter[float]:  # noqa: ANN401 - mechanisms with bounds, and their columns
    low, high = (float(end) for end in mechanism.bounds)
    values = np.asarray(secret, dtype=np.float64).ravel()
    return Counter(np.clip(values[~np.isnan(values)], low, high).tolist())


def _labeled(secret: LabeledRows) -> Counter[Any]:
    return Counter(zip(map(tuple, secret.features.tolist()), secret.codes.tolist(), strict=True))


def _blocks(secret: Any) -> Counter[Any]:  # noqa: ANN401 - rows, or rows of units
    """What is dealt to blocks: rows, or all rows of a unit together."""
    if not isinstance(secret, GroupedRows):
        return _plain(secret)
    units: dict[str, list[str]] = {}
    for row, unit in zip(np.asarray(secret.rows).tolist(), secret.unit_ids, strict=True):
        units.setdefault(repr(unit), []).append(repr(row))
    return Counter((unit, tuple(sorted(rows))) for unit, rows in units.items())


# --- other secrets ----------------------------------------------------------------------------------------------


def _smooth(mechanism: SmoothNoise, one: SmoothValue, other: SmoothValue) -> Moved:
    """An answer may move by its bound at either neighbor, and the bound by a factor."""
    bounds = [exact(each.smooth_sensitivity, "smooth_sensitivity") for each in (one, other)]
    values = [np.asarray(each.value, dtype=np.float64).ravel().tolist() for each in (one, other)]
    square = sum(((Fraction(here) - Fraction(there)) ** 2 for here, there in zip(*values, strict=True)), Fraction(0))
    least = min(bounds)
    if square > least**2:
        share = math.inf if not least else float(root_above(square) / least)
        return Moved(f"the answer by {root(square)}", f"its bound, {readable(least)}", share, beyond=True)
    factor, smoothness = float(max(bounds) / least), getattr(mechanism, "smoothness", None)
    allowed = math.inf if smoothness is None else math.exp(float(smoothness)) * (1 + 1e-12)
    if factor > allowed:
        return Moved(f"the bound by a factor of {factor:.6g}", f"{allowed:.6g}", factor / allowed, beyond=True)
    share = float(root_above(square) / least)
    return Moved(f"the answer by {root(square)}", f"its bound, {readable(least)}", share, beyond=False)


def _steps(mechanism: NoisySteps[Any], one: Followed, other: Followed) -> Moved:
    """The sums over all units, at the places to which the same released sums led both neighbors."""
    most = mechanism.noise.l2_sensitivity * (2 if mechanism.replaced else 1)
    longest = Fraction(0)
    for mine, theirs in zip(one.sums, other.sums, strict=True):
        if mine.shape != theirs.shape:
            return Moved(f"its form: from {mine.shape} to {theirs.shape}", "a public form", math.inf, beyond=True)
        each = zip(mine.ravel().tolist(), theirs.ravel().tolist(), strict=True)
        longest = max(longest, sum(((Fraction(here) - Fraction(there)) ** 2 for here, there in each), Fraction(0)))
    share = float(root_above(longest) / most)
    return Moved(f"a sum (L2) by {root(longest)}", f"at most {readable(most)}", share, beyond=longest > most**2)


def _members(mechanism: TwoRoundSelection, one: Any, other: Any) -> Moved:  # noqa: ANN401 - who is in which group
    """Which groups units are in, a set of them for each unit: one set comes or goes."""
    if not all(hasattr(each, "groups_of_units") for each in (one, other)):
        return UNKNOWN
    here, there = (
        Counter(tuple(sorted(map(written, groups))) for groups in each.groups_of_units()) for each in (one, other)
    )
    widest = max((len(groups) for groups in (*here, *there)), default=0)
    if widest > mechanism.groups_per_unit:
        return Moved(f"a unit in {widest} groups", f"at most {mechanism.groups_per_unit}", math.inf, beyond=True)
    apart = _rows(here, there, Fraction(1))
    return Moved(apart.moved.replace("row", "unit"), apart.declared, apart.share, beyond=apart.beyond)


def root(square: Fraction) -> str:
    """The root of an exact square, for people."""
    return readable(root_above(square))
