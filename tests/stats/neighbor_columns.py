"""Neighbors that differ in one nasty row, in every kind of column: what an analyst sees, and how far secrets move."""

import datetime as dt
import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import privet
from privet.asking.within_found_bounds import WithinFoundBounds
from privet.core import Ledger, Mechanism, Release, Sensitive, Sensitivity, Unit
from privet.loss import Guarantee
from privet.mechanisms import Bernstein, GroupedRows, SampleAndAggregate, SmoothValue
from privet.mechanisms.halving_quantiles import HalvingQuantiles
from privet.mechanisms.interval_quantile import IntervalQuantile
from privet.mechanisms.quantile_interval import QuantileInterval
from privet.mechanisms.top_choices import TopChoices
from privet.stats import PriestleyChao
from privet.stats.sums import centered
from tests.support.recording_ledger import assert_within, exactly

BIG = 2**60  # whole numbers from here on are no floats
RANKS = (IntervalQuantile, HalvingQuantiles, QuantileInterval, WithinFoundBounds)
Rows = list[Any]

NASTY: dict[str, Any] = {
    "nothing": None,
    "NaN": math.nan,
    "NA": pd.NA,
    "infinite": math.inf,
    "minus infinite": -math.inf,
    "minus zero": -0.0,
    "denormal": 5e-324,
    "a half": 0.5,
    "true": True,
    "2^63": 2**63,
    "-2^63": -(2**63),
    "10^400": 10**400,
    "a signalling NaN": Decimal("sNaN"),
    "a long double": np.longdouble("1e4000"),
    "a long fraction": Fraction(1, 3),
    "a text": "x",
    "a broken text": "\udcff",
    "a long text": "x" * 10_000,
    "a list": [1, 2],
    "a date": dt.date(2026, 1, 1),
    "not a time": pd.NaT,
}

# --- kinds of columns: each makes one from rows, in a type that is declared or that the library infers ----------------


def _objects(rows: Rows) -> Any:  # noqa: ANN401 - a numpy array
    box = np.empty(len(rows), dtype=object)
    box[:] = rows
    return box


def _masked(dtype: str) -> Callable[[Rows], Any]:
    def make(rows: Rows) -> Any:  # noqa: ANN401 - a masked array
        gone = [row is None for row in rows]
        return np.ma.masked_array(np.array([0 if row is None else row for row in rows], dtype=dtype), gone)

    return make


def _chunks(dtype: pa.DataType) -> Callable[[Rows], Any]:
    return lambda rows: pa.chunked_array([pa.array(rows[:3], dtype), pa.array(rows[3:], dtype)])


def _numpy(dtype: str) -> Callable[[Rows], Any]:
    return lambda rows: np.array(rows, dtype)


def _pandas(dtype: str) -> Callable[[Rows], Any]:
    return lambda rows: pd.Series(rows, dtype=dtype)


def _polars(dtype: Any) -> Callable[[Rows], Any]:  # noqa: ANN401 - a polars type
    return lambda rows: pl.Series(rows, dtype=dtype)


def _arrow(dtype: pa.DataType) -> Callable[[Rows], Any]:
    return lambda rows: pa.array(rows, dtype)


NUMPY = ("bool", "int8", "int64", "uint64", "float16", "float32", "float64", "longdouble", "str", "M8[ns]")
PANDAS = ("object", "Int64", "Float32", "Float64", "boolean", "category", "string", "str", "int64[pyarrow]")
MORE_PANDAS = ("float[pyarrow]", "bool[pyarrow]", "datetime64[s, UTC]")
POLARS = (pl.Int64, pl.UInt64, pl.Float32, pl.Float64, pl.Boolean, pl.String, pl.Categorical, pl.Decimal(38, 2))
ARROW = (pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.string(), pa.string_view())
MORE_ARROW = (pa.decimal128(38, 2), pa.timestamp("ns"))
KINDS: dict[str, Callable[[Rows], Any]] = {
    "list": list,
    "tuple": tuple,
    **{f"numpy {dtype}": _numpy(dtype) for dtype in NUMPY},
    "numpy texts with None": lambda rows: np.array(rows, np.dtypes.StringDType(na_object=None)),
    "numpy objects": _objects,
    "numpy masked int64": _masked("int64"),
    "numpy masked float64": _masked("float64"),
    "pandas as it comes": pd.Series,
    "pandas index": pd.Index,
    "pandas UInt64": lambda rows: pd.Series(_unsigned(rows)),
    **{f"pandas {dtype}": _pandas(dtype) for dtype in PANDAS + MORE_PANDAS},
    **{f"polars {dtype}": _polars(dtype) for dtype in POLARS},
    **{f"arrow {dtype}": _arrow(dtype) for dtype in ARROW + MORE_ARROW},
    "arrow chunks int64": _chunks(pa.int64()),
    "arrow chunks float32": _chunks(pa.float32()),
    "arrow dictionary": lambda rows: pa.array(rows, pa.int64()).dictionary_encode(),
    "arrow dictionary of texts": lambda rows: pa.array(rows, pa.string()).dictionary_encode(),
    "arrow broken texts": lambda rows: _unchecked([*rows]),
}


def _unsigned(rows: Rows) -> Any:  # noqa: ANN401 - a pandas array
    """Made from numpy, for pandas rounds a list in which one number needs the 64th bit."""
    gone = np.array([row is None for row in rows])
    return pd.arrays.IntegerArray(np.array([0 if row is None else row for row in rows], dtype=np.uint64), gone)


def _unchecked(rows: Rows) -> Any:  # noqa: ANN401 - an arrow array
    """Texts whose bytes nobody has looked at."""
    known = [None if row is None else row.encode("utf-8", "surrogateescape") for row in rows]
    held = pa.array(known, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(held), held.buffers())


# --- worlds: rows that a misreading of all of them would move far ----------------------------------------------------

WORLDS: dict[str, Rows] = {
    "numbers": [1, 0, 7, 2, 9, 4, 4, 1, 8, 3] * 2,
    "large numbers": [BIG + 1 + 2 * place for place in range(20)],
    "truths": [True, False, False, True] + [False] * 16,
    "texts": ["a", "b", "c", "a"] * 5,
    "instants": [1_700_000_000 * 10**9 - 1] * 20,
}

# --- statistics: how each is asked about a column --------------------------------------------------------------------


def _edges(rows: Rows) -> Rows:
    """Public edges or labels for a world; around its own numbers, so that rounding shows."""
    first = rows[0]
    if isinstance(first, bool) or not isinstance(first, int):
        return [0, 1, 2]
    return [first - 10**9, first, first + 1, first + 10**9] if abs(first) > BIG // 2 else [0, 2, 4, 10]


def _labels(rows: Rows) -> Rows:
    return list(dict.fromkeys(rows))[:6]


def _around_a_center(ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - a release
    """As many rows are asked about elsewhere: here so few that a center would not pay."""
    with patch.dict(centered.FROM, {1: 1, 2: 1}):
        return ask()


BOUNDS: dict[str, Any] = {"bounds": (0, 10)}
Ask = Callable[[Any, Rows, dict[str, Any]], Any]
STATISTICS: dict[str, Ask] = {
    "count": lambda v, _, how: privet.count(v, **how),
    "count of rows": lambda v, _, how: privet.count(v, of="rows", **how),
    "count of true": lambda v, _, how: privet.count(v, of="true", **how),
    "proportion": lambda v, _, how: privet.proportion(v, **how),
    "total": lambda v, _, how: privet.total(v, **BOUNDS, **how),
    "mean": lambda v, _, how: privet.mean(v, **BOUNDS, **how),
    "mean, filled": lambda v, _, how: privet.mean(v, **BOUNDS, missing=3, **how),
    "mean, found bounds": lambda v, _, how: privet.mean(v, bounds="auto", **how),
    "total, found bounds": lambda v, _, how: privet.total(v, bounds="auto", missing=3, **how),
    "variance": lambda v, _, how: privet.variance(v, **BOUNDS, **how),
    "stddev": lambda v, _, how: privet.stddev(v, **BOUNDS, **how),
    "moments": lambda v, _, how: privet.moments(v, **BOUNDS, **how),
    "covariance": lambda v, _, how: privet.covariance((v, v), bounds=((0, 10), (0, 10)), **how),
    "correlation": lambda v, _, how: privet.correlation((v, v), bounds=((0, 10), (0, 10)), **how),
    "correlation, centered": lambda v, _, how: privet.correlation(
        (v, v), bounds=((0, 10), (0, 10)), missing="none", **{**how, "epsilon": 1000}
    ),
    "variance, centered": lambda v, _, how: _around_a_center(
        lambda: privet.variance(v, **BOUNDS, missing="none", **{**how, "epsilon": 5})
    ),
    "covariance, centered": lambda v, _, how: _around_a_center(
        lambda: privet.covariance((v, v), bounds=((0, 10), (0, 10)), missing="none", **{**how, "epsilon": 5})
    ),
    "covariance_matrix": lambda v, _, how: privet.covariance_matrix((v, v), bounds=((0, 10), (0, 10)), **how),
    "histogram": lambda v, rows, how: privet.histogram(v, edges=_edges(rows), **how),
    "histogram, clipped": lambda v, rows, how: privet.histogram(v, edges=_edges(rows), outside="clip", **how),
    "histogram of labels": lambda v, rows, how: privet.histogram(v, categories=_labels(rows), other=True, **how),
    "histogram2d": lambda v, rows, how: privet.histogram2d(
        v, v, edges=(_edges(rows), None), categories=(None, _labels(rows)), **how
    ),
    "counts": lambda v, _, how: privet.counts({"a": v, "b": v}, **how),
    "counts of a function": lambda v, _, how: privet.counts({"a": lambda x: np.log(x) > 1}, values=v, **how),
    "hierarchical_counts": lambda v, rows, how: privet.hierarchical_counts(v, edges=_edges(rows), **how),
    "hierarchical_counts of labels": lambda v, rows, how: privet.hierarchical_counts(
        v, categories=_labels(rows), **how
    ),
    "cdf": lambda v, rows, how: privet.cdf(v, edges=_edges(rows), **how),
    "top_k": lambda v, rows, how: privet.top_k(v, 2, categories=_labels(rows), **how),
    "median": lambda v, _, how: privet.median(v, **BOUNDS, **how),
    "quantile": lambda v, _, how: privet.quantile(v, 0.25, **BOUNDS, **how),
    "quantile, by octaves": lambda v, _, how: privet.quantile(v, 0.9, bounds=(-(10**6), 10**6), scale="log", **how),
    "quantiles": lambda v, _, how: privet.quantiles(v, (0.25, 0.5), **BOUNDS, **how),
    "minimum": lambda v, _, how: privet.minimum(v, **BOUNDS, **how),
    "maximum": lambda v, _, how: privet.maximum(v, **BOUNDS, **how),
    "quantile_interval": lambda v, _, how: privet.quantile_interval(v, 0.5, **BOUNDS, **how),
    "smooth_median": lambda v, _, how: privet.smooth_median(v, **BOUNDS, step="0.01", **how),
    "smooth_sensitivity": lambda v, _, how: privet.smooth_sensitivity(
        max, v, local_sensitivities=lambda rows: [min(10, max(rows))], global_sensitivity=10, step="0.01", **how
    ),
    "sample_and_aggregate": lambda v, _, how: privet.sample_and_aggregate(np.mean, v, blocks=3, **BOUNDS, **how),
    "sample_and_aggregate of a frame": lambda v, _, how: privet.sample_and_aggregate(
        np.mean, v, blocks=3, **BOUNDS, **how
    ),
    "release_function": lambda v, _, how: privet.release_function(
        lambda rows: lambda at: max(rows) * at, v, sensitivity=10, degree=2, **how
    ),
    "release_function of a frame": lambda v, _, how: privet.release_function(
        PriestleyChao("0.1"), v, sensitivity=10, degree=2, **how
    ),
    "owners": lambda v, _, how: privet.count(np.ones(len(v)), unit_ids=v, rows_per_unit=1, **how),
    "owners of blocks": lambda v, _, how: privet.sample_and_aggregate(
        np.mean, np.ones(len(v)), unit_ids=v, blocks=3, **BOUNDS, **how
    ),
    "times": lambda v, _, how: privet.count(
        np.ones(len(v)), unit_ids=[7] * len(v), times=v, window=1, rows_per_time=1, **how
    ),
}
ONLY_REPLACED = {"smooth_median"}
OF_TEXTS = {"count", "count of rows", "histogram of labels", "counts of a function", "hierarchical_counts of labels",
            "top_k", "owners", "owners of blocks"}  # fmt: skip
ROWS_DECIDE = {
    "list",
    "tuple",
    "numpy objects",
    "pandas as it comes",
    "pandas index",
    "pandas object",
    "pandas category",
}
FAILING = {"release_function", "smooth_sensitivity"}  # what a failing function answers is its author's to bound


# --- what is seen -----------------------------------------------------------------------------------------------------


class Watching(Ledger):
    """A ledger that keeps the last exact secret, its sensitivity and its mechanism; it answers as every ledger does."""

    last: tuple[Any, Sensitivity, Mechanism[Any, Any]] | None = None

    def release(self, secret: Sensitive[Any], mechanism: Mechanism[Any, Any], **how: Any) -> Release[Any]:  # noqa: ANN401 - its own
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                self.last = (secret.reveal_to_ledger(), secret.sensitivity, mechanism)
            except Exception:  # noqa: BLE001 - it is seen below
                self.last = None
        return super().release(secret, mechanism, **how)


@dataclass(frozen=True)
class Seen:
    """Everything that an analyst can see of one question, but for the noisy numbers themselves."""

    outcome: str
    warned: tuple[str, ...]
    shape: tuple[Any, ...] = ()
    written: tuple[Any, ...] = ()


def observed(ask: Callable[[Ledger], Any], unit: Unit) -> tuple[Seen, Any]:
    """Ask, and return what is seen and what was handed to the ledger."""
    ledger = _one_ledger(unit)
    ledger.last = None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            release = ask(ledger)
        except Exception as problem:  # noqa: BLE001 - an observation too
            outcome = f"{type(problem).__name__}: {problem}"
            release = None
            _one_ledger.cache_clear()  # a handle is frozen after a few failures
    warned = tuple(str(each.message) for each in said)
    if release is None:
        return Seen(outcome, warned), None
    release = getattr(release, "release", release)  # of several that were released together
    written = (
        release.mechanism,
        repr(release.loss),
        release.purpose,
        str(release.unit),
        release.gamma,
        _margin(release),
    )
    labels = tuple(repr(getattr(release, name, None)) for name in ("axes", "labels", "edges"))
    return Seen("answered", warned, shape_of(release.value), (*written, *labels)), ledger.last


@cache
def _one_ledger(unit: Unit) -> Watching:
    return Watching(Guarantee(10**9, "0.9"), unit=unit)


def _margin(release: Release[Any]) -> str:
    try:
        return "there is one" if release.margin(0.95) > 0 else "none"  # some follow from noisy numbers
    except Exception as problem:  # noqa: BLE001 - an observation too
        return str(problem)


def shape_of(value: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any answer
    """The types of an answer, all the way down."""
    if isinstance(value, np.ndarray):
        return ("array", str(value.dtype), value.shape)
    if isinstance(value, tuple | list):
        return (type(value).__name__, *map(shape_of, value))
    return (type(value).__name__,)


def refuse_far(mine: Any, theirs: Any) -> None:  # noqa: ANN401 - what the ledger was handed
    """Fail if two secrets of neighbors are farther apart than was declared."""
    one, sensitivity, mechanism = mine
    other, also, _ = theirs
    assert sensitivity == also, "the sensitivity must not depend on rows"
    if isinstance(one, SmoothValue):
        bounds = float(one.smooth_sensitivity), float(other.smooth_sensitivity)
        assert abs(exactly(one.value)[0] - exactly(other.value)[0]) <= min(bounds)
        assert abs(math.log(bounds[0] / bounds[1])) <= mechanism.smoothness + 2**-40
    elif isinstance(mechanism, (*RANKS, SampleAndAggregate)):
        allowed = 4 if isinstance(one, GroupedRows) else 2  # a row that moves changes the sizes of two groups
        assert distance(one, other) <= allowed, "rows of others were read in another way"
    elif isinstance(mechanism, TopChoices):
        assert max(abs(a - b) for a, b in zip(exactly(one), exactly(other), strict=True)) <= 2 * sensitivity.linf
    elif not isinstance(mechanism, Bernstein):
        assert_within(exactly(one), exactly(other), sensitivity)


def distance(one: Any, other: Any) -> int:  # noqa: ANN401 - rows
    """How many rows two arrays do not share, however they are ordered."""
    first, second = Counter(_rows(one)), Counter(_rows(other))
    return sum(((first - second) + (second - first)).values())


def _rows(value: Any) -> Iterator[str]:  # noqa: ANN401 - rows
    if isinstance(value, GroupedRows):  # numbers of owners are arbitrary: what counts is how many rows each has
        sizes = Counter(Counter(np.asarray(value.unit_ids).tolist()).values())
        yield from (f"{size} rows" for size, times in sizes.items() for _ in range(times))
    else:
        array = np.asarray(value)
        array = array.astype(np.float64) if array.dtype.kind in "biu" and array.ndim == 1 else array
        known = array[~np.isnan(array)] if array.dtype.kind == "f" and array.ndim == 1 else array
        yield from (f"{array.dtype.kind} {row!r}" for row in known.tolist())


# --- plays ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Play:
    """A statistic of two neighboring columns of one kind."""

    statistic: str
    kind: str
    world: str
    nasty: str
    neighbors: str

    def __str__(self) -> str:
        return f"{self.statistic} of {self.world} in {self.kind}, {self.nasty}, {self.neighbors}"

    def columns(self) -> tuple[Rows, Rows]:
        """The rows of both neighbors: with the nasty one and without it, or with a plain one in its place."""
        rows = WORLDS[self.world]
        place = 5
        kept = [rows[2]] if self.neighbors == "replace" else []
        return [*rows[:place], *kept, *rows[place:]], [*rows[:place], NASTY[self.nasty], *rows[place:]]

    def made(self) -> tuple[Any, Any] | None:
        """Both columns; None if this kind cannot hold such a row."""
        here, there = self.columns()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                columns = KINDS[self.kind](here), KINDS[self.kind](there)
                return (_framed(columns[0]), _framed(columns[1])) if self.statistic.endswith("frame") else columns
            except BaseException as problem:  # polars panics
                if isinstance(problem, KeyboardInterrupt):
                    raise
                return None

    def run(self) -> bool:
        """Ask both; False if there is nothing to ask.

        Numbers are not asked of texts where rows decide the type: that a column without a single number is refused is
        the one thing that its rows decide (see `ArrayColumn.refuse_other_than`).
        """
        if self.world == "texts" and self.kind in ROWS_DECIDE and self.statistic not in OF_TEXTS:
            return False
        made = self.made()
        if made is None or np.ndim(made[0] if isinstance(made[0], np.ndarray) else [0]) != 1:
            return False
        rows = WORLDS[self.world]
        name = "person's 1 consecutive times" if self.statistic == "times" else "person"
        unit = Unit(name, self.neighbors)
        seen = [
            observed(lambda ledger, v=v: STATISTICS[self.statistic](v, rows, {"epsilon": 1, "ledger": ledger}), unit)  # type: ignore[misc]
            for v in made
        ]
        (mine, handed), (theirs, others) = seen
        assert mine == theirs, str(self)
        if handed is not None and others is not None and self.statistic not in FAILING:
            refuse_far(handed, others)
        return True


def _framed(column: Any) -> Any:  # noqa: ANN401 - a frame
    return pd.DataFrame({"a": column, "b": np.zeros(len(column))})


def plays() -> Iterable[Play]:
    """All of them."""
    for statistic in STATISTICS:
        for kind in KINDS:
            for world in WORLDS:
                for nasty in NASTY:
                    for neighbors in ("add_remove", "replace"):
                        if neighbors == "replace" or statistic not in ONLY_REPLACED:
                            yield Play(statistic, kind, world, nasty, neighbors)
