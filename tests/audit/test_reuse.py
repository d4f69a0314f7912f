"""Noise that is used twice."""

import os
from collections.abc import Callable
from typing import Any

import pytest

from privet.audit import reuse
from privet.errors import InvalidParameter
from privet.mechanisms import DiscreteLaplace, Laplace
from privet.noise import Entropy
from privet.noise.for_tests import seeded_entropy_for_tests

LAPLACE = Laplace(1, 1)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def fresh() -> Callable[[], float]:
    source = Entropy()
    return lambda: float(LAPLACE.sample(0.0, source))


@needs_fork
def test_fresh_noise_is_not_reused() -> None:
    found = reuse(fresh)
    assert not found.found, found
    assert found.streams == 7
    assert found.chance < 1e-6
    assert "no reuse found" in repr(found)


@needs_fork
def test_whole_numbers_that_come_often_are_no_reuse() -> None:
    noise = DiscreteLaplace(1, 1)
    found = reuse(lambda: lambda: noise.sample(0, Entropy()))
    assert not found.found
    assert found.repeated > 0
    assert found.repeated < 3 * found.expected


@needs_fork
def test_a_forked_child_that_repeats_its_parent_is_found() -> None:
    seeds = iter(range(100))

    def seeded() -> Callable[[], Any]:
        source = seeded_entropy_for_tests(next(seeds))
        return lambda: LAPLACE.sample(0.0, source)

    found = reuse(seeded)
    assert found.found
    assert found.fork
    assert found.pairs == 3  # two children and the parent that went on
    assert "forked child" in found.verdict


def test_one_seed_for_all_is_found() -> None:
    def seeded() -> Callable[[], Any]:
        source = seeded_entropy_for_tests(1)
        return lambda: LAPLACE.sample(0.0, source)

    found = reuse(seeded, children=0)
    assert (found.found, found.fork, found.pairs) == (True, False, 6)


def test_answers_that_are_all_equal_say_nothing() -> None:
    found = reuse(lambda: lambda: 1, children=0)
    assert not found.found
    assert "nothing can be said" in found.verdict
    failing = reuse(lambda: lambda: 1 / 0, children=0)
    assert not failing.found


def test_without_a_fork_children_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork", raising=False)
    with pytest.raises(InvalidParameter, match="children=0"):
        reuse(fresh)
