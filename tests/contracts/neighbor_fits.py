"""Neighbors for tests of models: a row comes, goes or becomes another, at a random place; and units of several rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEW = 9  # rows that neighbors share
EXTREME = (0.0, 1.0, -0.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324)

Given = dict[str, Any]


def base(features: NDArray[Any], target: NDArray[Any] | None) -> Given:
    """What a fit is given: some rows, and some that are made to break it."""
    rows = np.vstack([features[:FEW], np.full((1, features.shape[1]), np.nan)])
    return given(rows, None if target is None else target[: len(rows)])


def given(rows: NDArray[Any], target: NDArray[Any] | None, groups: NDArray[Any] | None = None) -> Given:
    """The arguments of fit."""
    said = {"X": rows, "y": target, "groups": groups}
    return {name: value for name, value in said.items() if value is not None}


def added(here: Given, labels: tuple[Any, ...], source: np.random.Generator, *, replaced: bool) -> Iterator[Given]:
    """Yield what a fit is given of neighbors: with one extreme row more, or instead of another.

    Args:
        here: what the fit of the first was given.
        labels: what targets to give the row; empty where there are none.
        source: of places.
        replaced: whether a row is replaced.
    """
    rows, target = here["X"], here.get("y")
    for number, value in enumerate(EXTREME):
        row = np.full(rows.shape[1], value)
        row[number % 2 :: 2] = EXTREME[(number * 4 + 1) % len(EXTREME)]
        place = int(source.integers(len(rows)))
        kept = np.delete(rows, place, axis=0) if replaced else rows
        more = None
        if target is not None:
            left = np.delete(target, place) if replaced else target
            more = np.insert(left.astype(object), place, labels[number % len(labels)])
            more = more if any(each is None or isinstance(each, str) for each in more) else more.astype(float)
        yield given(np.insert(kept, place, row, axis=0), more)


def of_units(here: Given, labels: tuple[Any, ...], source: np.random.Generator) -> tuple[Given, Given]:
    """Return what neighbors give of which a unit has five rows, spread among those of others, or none."""
    rows, target = np.vstack([here["X"]] * 2), here.get("y")
    owners = np.arange(len(rows)) // 2
    places = np.sort(source.integers(len(rows), size=5))
    more = np.array([np.full(rows.shape[1], value) for value in EXTREME[:5]])
    both = None if target is None else np.concatenate([target, target])
    told = (
        None if both is None else np.insert(both.astype(object), places, [labels[at % len(labels)] for at in range(5)])
    )
    if told is not None and not any(each is None or isinstance(each, str) for each in told):
        told = told.astype(float)
    mine = given(rows, both, owners)
    return mine, given(np.insert(rows, places, more, axis=0), told, np.insert(owners, places, 999))
