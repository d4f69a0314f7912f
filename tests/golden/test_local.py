"""Golden numbers of local privacy: variances of protocols, capacities, detection, budgets over time, consistency."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from privet.local import (
    BinaryResponse,
    HadamardResponse,
    KaryResponse,
    LocalHashing,
    ProjectiveGeometryResponse,
    Rappor,
    SubsetSelection,
    UnaryEncoding,
    choose_frequency_protocol,
)
from privet.local.frequency_protocol import FrequencyProtocol
from privet.loss.exact import Exact
from privet.postprocessing.simplex import with_total

EPSILONS = ("0.1", "0.5", "1", "2", "3", "4", "5")
VARIANCES = {  # of one report's part in a rare value's share, for each ε
    "kary 2": (99.9167, 3.9177, 0.920674, 0.181015, 0.055141, 0.019006, 0.006830),
    "kary 4": (280.733, 8.67011, 1.59807, 0.230011, 0.060632, 0.019702, 0.006922),
    "kary 16": (1365.63, 37.1846, 5.66243, 0.523984, 0.093575, 0.023879, 0.007474),
    "kary 128": (11491.4, 303.319, 43.5965, 3.26773, 0.401050, 0.062866, 0.012628),
    "kary 1024": (92497.3, 2432.40, 347.069, 25.2177, 2.86085, 0.374761, 0.053860),
    "symmetric": (399.917, 15.9169, 3.91770, 0.920674, 0.369710, 0.181015, 0.097422),
    "optimised": (399.667, 15.6708, 3.68269, 0.724062, 0.220564, 0.076022, 0.027319),
    "two buckets": (400.667, 16.6708, 4.68269, 1.72406, 1.22056, 1.07602, 1.02732),
    "hashing": (400.667, 15.8174, 3.69165, 0.724591, 0.220565, 0.076023, 0.027319),
    "subsets 1024": (398.885, 15.6383, 3.67355, 0.720695, 0.218196, 0.073908, 0.025337),
    "hadamard": (400.667, 16.6708, 4.68269, 1.72406, 1.22056, 1.07602, 1.02732),
}


def protocol_of(name: str, epsilon: Exact) -> FrequencyProtocol:
    kind, _, size = name.partition(" ")
    if kind == "kary":
        return KaryResponse(int(size), epsilon)
    if kind == "subsets":
        return SubsetSelection(int(size), epsilon)
    if kind in {"symmetric", "optimised"}:
        return UnaryEncoding(1024, epsilon, symmetric=kind == "symmetric")
    if kind in {"two", "hashing"}:
        return LocalHashing(1024, epsilon, buckets=2 if kind == "two" else None)
    return HadamardResponse(1024, epsilon)


@pytest.mark.parametrize("name", VARIANCES)
def test_variances_at_seven_epsilons(name: str) -> None:
    found = [protocol_of(name, epsilon).variance() for epsilon in EPSILONS]
    assert found == pytest.approx(VARIANCES[name], rel=1e-5, abs=6e-7)


@pytest.mark.parametrize(
    ("size", "epsilon", "bits"),
    [(2, math.log(3), 0.18872187554086717), (2925, 14, 11.461727965384876), (3, 14, 1.584926511508231)],
)
def test_bits_that_a_report_tells_at_most(size: int, epsilon: float, bits: float) -> None:
    """The capacity of a symmetric channel: log k minus the entropy of a row."""
    protocol = KaryResponse(size, epsilon)
    true, other = float(protocol.true_support), float(protocol.other_support)
    told = math.log2(size) + true * math.log2(true) + (size - 1) * other * math.log2(other)
    assert told == pytest.approx(bits, rel=1e-8)


@pytest.mark.parametrize(("epsilon", "wanted"), [("0.5", 602_009), ("1", 141_474), ("2", 27_816), ("4", 2_920)])
def test_reports_for_a_margin_of_a_hundredth(epsilon: Exact, wanted: int) -> None:
    variance = UnaryEncoding(1024, epsilon).variance()
    assert math.ceil(variance * (1.96 / 0.01) ** 2) == pytest.approx(wanted, abs=2 + wanted * 2e-5)


@pytest.mark.parametrize(("reports", "alone", "of_a_million"), [(10**4, 6.53, 21.1), (10**6, 0.653, 2.11)])
def test_shares_that_rappor_detects(reports: int, alone: float, of_a_million: float) -> None:
    protocol = Rappor(bits=32, hashes=2, cohorts=64, f=0.5, p=0.5, q=0.75)
    low, high = float(protocol.one_of_zero), float(protocol.one_of_one)
    error = math.sqrt(low * (1 - low) / reports) / (high - low)
    assert 100 * norm.isf(0.05) * error == pytest.approx(alone, rel=2e-3)
    assert 100 * norm.isf(0.05 / 10**6) * error == pytest.approx(of_a_million, rel=4e-3)


@pytest.mark.parametrize(("reports", "right"), [(1, 0.731), (7, 0.911), (30, 0.996), (90, 0.999998)])
def test_fresh_noise_on_a_value_is_voted_away(reports: int, right: float) -> None:
    """A tie is settled by a coin."""
    truth = float(BinaryResponse(1).true_support)
    voted = binom.sf(reports / 2, reports, truth) + (reports % 2 == 0) * binom.pmf(reports // 2, reports, truth) / 2
    assert voted == pytest.approx(right, abs=6e-4 if reports < 90 else 6e-7)


def test_nearest_shares() -> None:
    assert with_total(np.array([520.0, 310, 190, 40, -60]), 1000.0) == pytest.approx([505, 295, 175, 25, 0])


@pytest.mark.parametrize(
    ("size", "epsilon", "best"),
    [(2, 1, 0.9207), (4, 1, 1.889), (8, 1, 2.717), (16, 2, 0.5783), (64, 3, 0.1984), (256, 5, 0.02338)],
)
def test_the_smallest_variance_of_values_that_are_equally_frequent(size: int, epsilon: int, best: float) -> None:
    found = choose_frequency_protocol(size, epsilon).candidates[0].variance
    assert found <= best * 1.0005
    assert found > best * 0.98  # only maps with one value more to choose from are as good


@pytest.mark.parametrize(("epsilon", "variance"), [(1, 3.761), (2, 0.7315), (4, 0.0763), (5, 0.0282)])
def test_points_and_hyperplanes_of_1024_values(epsilon: int, variance: float) -> None:
    assert ProjectiveGeometryResponse(1024, epsilon).variance("1/1024") == pytest.approx(variance, rel=4e-3)
