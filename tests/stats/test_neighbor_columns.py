"""Every statistic, every kind of column: one nasty row is not seen, and moves secrets no farther than declared."""

import inspect
import itertools
from functools import cache

import numpy as np
import pytest

from privet import stats
from tests.stats.neighbor_columns import KINDS, STATISTICS, Play, plays

EVERY = 199  # of all plays in the short run: a prime, so that all statistics, kinds, worlds and rows come by
PUBLIC = {"sampled_sensitivity", "move_of", "release", "target_error"}  # these take no private column


def test_every_public_statistic_is_played() -> None:
    public = {name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))} - PUBLIC
    assert public <= {name.partition(" ")[0].rstrip(",") for name in STATISTICS}


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample(kind: str) -> None:
    for play in sample():
        if play.kind == kind:
            play.run()


def test_the_sample_is_mostly_played() -> None:
    assert sum(play.made() is not None for play in sample()) > len(sample()) // 4


@cache
def sample() -> tuple[Play, ...]:
    return tuple(itertools.islice(plays(), 0, None, EVERY))


@pytest.mark.soak
@pytest.mark.parametrize("statistic", STATISTICS)
def test_all(statistic: str) -> None:
    assert sum(play.run() for play in plays() if play.statistic == statistic) > 100


@pytest.mark.parametrize("statistic", ["mean", "histogram", "median", "moments", "smooth_median"])
def test_strict_numpy_is_not_seen(statistic: str) -> None:
    with np.errstate(all="raise"):
        for nasty in ("denormal", "infinite", "a long double"):
            Play(statistic, "numpy longdouble", "numbers", nasty, "replace").run()
            Play(statistic, "list", "numbers", nasty, "replace").run()
