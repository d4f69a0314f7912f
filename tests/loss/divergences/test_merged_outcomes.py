import math

import numpy as np
import pytest
from scipy.stats import norm

from privet.errors import InvalidParameter
from privet.loss.divergences.divergence import renyi_divergence
from privet.loss.divergences.f_divergence import CHI_SQUARED, KL
from privet.loss.divergences.merged_outcomes import best_partition, cut, merge


def test_outcomes_with_one_label_become_one() -> None:
    assert merge(np.array([0.5, 0.25, 0.125, 0.125]), [7, 3, 7, 3]).tolist() == [0.375, 0.625]


def test_cuts_count_what_lies_beyond_the_last_edge() -> None:
    assert cut(norm.cdf, edges=[0.0]).tolist() == [0.5, 0.5]
    assert cut(norm.cdf, edges=[]).tolist() == [1.0]


def test_cutting_the_line_keeps_less_than_the_whole() -> None:
    edges = [-1.0, 0.0, 1.0, 2.0]
    kept = CHI_SQUARED(cut(norm(0).cdf, edges=edges), cut(norm(1).cdf, edges=edges))
    assert 0.5 < kept < math.expm1(1.0)  # e^D - 1 with D = 1 at order 2


def test_best_partition_with_more_parts_than_outcomes_keeps_everything() -> None:
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    labels = best_partition(p, q, cells=10, divergence=KL.of_one_cell)
    assert len(set(labels)) == 3
    assert KL.quantised(p, q, cells=labels) == pytest.approx(KL(p, q))
    assert renyi_divergence(p, q, order=1) == pytest.approx(KL(p, q))


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="one label per outcome"):
        merge(np.array([0.5, 0.5]), [1, 2, 3])
    with pytest.raises(InvalidParameter, match="masses"):
        cut(norm.cdf, edges=[1.0, 0.0])
    with pytest.raises(InvalidParameter, match="cells"):
        best_partition(np.array([1.0]), np.array([1.0]), cells=0, divergence=KL.of_one_cell)
