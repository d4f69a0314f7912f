"""Mission rows R057, R079 to R088 and R131: choosing by score, and sparse vector."""

import itertools
import math
import operator
import string
from fractions import Fraction

import numpy as np
import pytest

from privet.core import Sensitivity
from privet.loss import Guarantee
from privet.mechanisms import Laplace
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.mechanisms.sparse_vector import SparseVector
from tests.golden.printed import agrees

BIDS = [Fraction(1), Fraction(1), Fraction("3.01")]
CHOLESTEROL = [(90, False), (100, False), (95, False), (80, False), (99, True)]  # four of five are right at "nobody"


def revenue(price: str | Fraction) -> Fraction:
    """What an auction brings in if everybody pays this price who bids at least that much."""
    return Fraction(price) * sum(bid >= Fraction(price) for bid in BIDS)


def auction(epsilon: str | int = 1) -> np.ndarray:
    scores = [float(revenue(Fraction(price))) for price in (1, 2, 3, 4)]
    shares: np.ndarray = Exponential(score_sensitivity=4, epsilon=epsilon).probabilities(scores)
    return shares


def test_r057_laplace_noise_as_an_exponential_mechanism_costs_a_factor_of_two() -> None:
    """With score -|f - h| the choice is Laplace noise of scale 2: its density at the mode is 1/4, not 1/2."""
    step = 1 / 256
    grid = np.arange(-60 * 256, 60 * 256 + 1) * step
    chosen = Exponential(score_sensitivity=1, epsilon=1).probabilities(-np.abs(grid)) / step
    assert chosen.max() == pytest.approx(0.25, rel=1e-4)
    assert chosen == pytest.approx(np.exp(-np.abs(grid) / 2) / 4, rel=1e-4)
    assert 1 / (2 * float(Laplace.calibrated(epsilon=1, sensitivity=Sensitivity(1)).scale)) == 0.5
    assert Laplace(l1_sensitivity=1, scale=2).loss.meets(Guarantee("1/2"))  # what the choice really costs here


@pytest.mark.parametrize("epsilon", ["0.5", "1", "4"])
def test_r079_every_ratio_is_at_most_e_to_the_epsilon_by_enumeration(epsilon: str) -> None:
    """All pairs of score vectors in {-1, 0, 1}^3 that differ by at most 1 anywhere; negative scores are fine."""
    mechanism = Exponential(score_sensitivity=1, epsilon=epsilon)
    worst = 0.0
    vectors = list(itertools.product([-1, 0, 1], repeat=3))
    laws = {vector: mechanism.probabilities(vector) for vector in vectors}
    for one, other in itertools.product(vectors, repeat=2):
        if max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 1:
            worst = max(worst, float(np.log(laws[one] / laws[other]).max()))
    assert 0.5 * float(epsilon) < worst <= float(epsilon)


def test_r079_the_sensitivity_is_the_largest_over_all_candidates() -> None:
    mechanism = Exponential(score_sensitivity=1, epsilon=1)
    assert mechanism.covers(Sensitivity(1, cells=1000))
    assert not mechanism.covers(Sensitivity("1.001"))


def test_r080_revenue_of_the_auction() -> None:
    assert revenue("1") == 3
    assert revenue("1.01") == Fraction("1.01")
    assert revenue("3.01") == Fraction("3.01")
    assert revenue("3.02") == 0


def test_r081_the_auction() -> None:
    for share, printed in zip(auction(), ("0.280129", "0.247213", "0.280129", "0.192530"), strict=True):
        assert agrees(float(share), printed)
    assert agrees(sum(math.exp(score / 8) for score in (3, 2, 3, 0)), "5.194008")


def test_r081_the_law_without_exp_is_not_ours() -> None:
    """The R package diffpriv draws in proportion to the scores: .374 .250 .376 0, whatever ε is."""
    without = np.array([3.0, 2.0, 3.0, 0.0]) / 8
    assert np.abs(auction() - without).max() > 0.09
    assert auction("1")[3] > 0.19
    assert auction("100")[3] < 1e-15
    assert np.abs(auction("1") - auction("4")).max() > 0.1


def test_r082_a_fine_grid_of_prices() -> None:
    prices = [Fraction(k, 10) for k in range(1, 101)]
    scores = np.array([float(revenue(price)) for price in prices])
    mechanism = Exponential(score_sensitivity=10, epsilon=1)
    shares = mechanism.probabilities(scores)
    assert agrees(float(shares[9]), "0.011276")
    assert agrees(float(shares[29]), "0.011276")
    assert agrees(float(shares[99]), "0.009705")
    assert agrees(float(np.exp(scores / 20).sum()), "103.038026")
    assert agrees(float(shares @ scores), "0.622603")
    assert mechanism.influence(spread=10) < 0.125  # nearly uniform: at least seven draws in eight are blind
    assert mechanism.regret(100) > 10  # and the promised score is below the worst


def stump(rule: str) -> list[float]:
    """The accuracy of "ill if the cholesterol is beyond h" for each h."""
    decide = {">": operator.gt, ">=": operator.ge, "<": operator.lt}[rule]
    return [sum(decide(c, h) == ill for c, ill in CHOLESTEROL) / 5 for h in (100, 200, 300, 400, 500)]


@pytest.mark.parametrize(
    ("rule", "first", "others"),
    [(">", "0.2", "0.2"), (">=", "0.118022", "0.220494"), ("<", "0.318365", "0.170409")],
)
def test_r083_a_private_threshold(rule: str, first: str, others: str) -> None:
    """The rule of the documentation is c > h, where all five thresholds are equally good."""
    mechanism = Exponential(score_sensitivity="1/5", epsilon="1.25")
    shares = mechanism.probabilities(stump(rule))
    assert agrees(float(shares[0]), first)
    assert all(agrees(float(share), others) for share in shares[1:])


def test_r084_without_epsilon_the_choice_is_blind() -> None:
    shares = Exponential(score_sensitivity=4, epsilon="1e-9").probabilities([3, 2, 3, 0])
    assert np.abs(shares - 0.25).max() < 1e-9


def test_r085_utility() -> None:
    mechanism = Exponential(score_sensitivity=4, epsilon=1)
    radius = mechanism.regret(4, best=2, tail=math.exp(-1))
    assert agrees(radius, "13.545177")
    assert radius > 3  # vacuous: no score is larger
    for t in (0.1, 1.0, 3.0):  # the bound itself, where it says something
        sharp = Exponential(score_sensitivity=4, epsilon=40)
        bound = sharp.regret(4, best=2, tail=math.exp(-t))
        missed = sum(
            share
            for share, score in zip(sharp.probabilities([3, 2, 3, 0]), (3, 2, 3, 0), strict=True)
            if 3 - score >= bound
        )
        assert missed <= math.exp(-t)


def test_r086_the_accuracy_of_a_model_moves_by_one_over_n() -> None:
    truth = [True, False, True, True, False, True]
    guesses = list(itertools.product([True, False], repeat=6))[:8]  # eight models, on six held-out rows
    moved = Fraction(0)
    for row in range(6):
        neighbor = [label != (place == row) for place, label in enumerate(truth)]
        for guess in guesses:
            hits = [sum(a == b for a, b in zip(guess, labels, strict=True)) for labels in (truth, neighbor)]
            moved = max(moved, Fraction(abs(hits[0] - hits[1]), 6))
    assert moved == Fraction(1, 6)
    assert Exponential(score_sensitivity="1/6", epsilon=1).covers(Sensitivity(moved, cells=len(guesses)))


def test_r087_the_most_frequent_letter() -> None:
    text = "".join(f"Object {letter}" for letter in "ABCDEFGHIJ")
    counts = [text.count(letter) for letter in string.ascii_lowercase]
    tied = [letter for letter, count in zip(string.ascii_lowercase, counts, strict=True) if count == max(counts)]
    assert tied == list("bcejt")
    assert max(counts) == 10
    for sensitivity, often, seldom in ((5, "0.078583", "0.028909"), (1, "0.194496", "0.001311")):
        shares = Exponential(score_sensitivity=sensitivity, epsilon=1).probabilities(counts)
        for letter, share in zip(string.ascii_lowercase, shares, strict=True):
            assert agrees(float(share), often if letter in tied else seldom)


def test_r088_gumbel_noise_has_the_same_law() -> None:
    """Pr[i has the largest score/8 + Gumbel] by quadrature, against R081."""
    scores = np.array([3, 2, 3, 0]) / 8
    nodes, weights = np.polynomial.legendre.leggauss(400)
    # from -8 to 48
    x = 20 + 28 * nodes
    w = 28 * weights
    below = np.exp(-np.exp(-(x[:, None] - scores)))
    density = np.exp(-(x[:, None] - scores))
    shares = (w[:, None] * density * below.prod(axis=1)[:, None]).sum(axis=0)
    assert shares == pytest.approx(auction(), abs=1e-9)


def test_r088_permute_and_flip_is_another_law_and_a_better_one() -> None:
    scores = np.array([3, 2, 3, 0])
    shares = PermuteAndFlip(score_sensitivity=4, epsilon=1).probabilities(scores)
    assert shares.round(6).tolist() == [0.288913, 0.243621, 0.288913, 0.178552]
    assert shares @ scores > auction() @ scores


def test_r131_sparse_vector() -> None:
    vector = SparseVector(sensitivity=1, epsilon=1, threshold=0, threshold_share="1/2")
    assert [vector.threshold_scale, vector.query_scale] == [Fraction(2), Fraction(4)]
    assert vector.loss.largest_loss == 1
    more = SparseVector(sensitivity="0.5", epsilon="0.1", threshold=0, count=3, threshold_share="1/2")
    assert [more.threshold_scale, more.query_scale] == [Fraction(10), Fraction(60)]


def test_r131_values_cost_extra() -> None:
    """ "Only output sums over a threshold" is two releases: which ones, and their values."""
    vector = SparseVector(sensitivity=1, epsilon=1, threshold=0, count=2, value_epsilon=1)
    assert vector.loss.epsilon(delta=0) == 2
    assert not SparseVector(sensitivity=1, epsilon=1, threshold=0, count=2).value_mechanism
