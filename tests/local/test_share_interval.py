"""Intervals of shares hold for few reports: by sums over all that can be seen, not by chance."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from privet.local import BinaryResponse, FrequencyEstimate, GridMean, HadamardResponse, KaryResponse, UnaryEncoding
from privet.local.frequency_protocol import FrequencyProtocol
from privet.local.mean_estimate import MeanEstimate
from privet.local.share_interval import score_interval, share_interval

SHARES = np.concatenate([[0.0], np.geomspace(1e-6, 1, 40), np.linspace(0.025, 0.975, 20)])
FEW: list[tuple[FrequencyProtocol, int]] = [
    (KaryResponse(4, 1), 1),
    (KaryResponse(4, 1), 20),
    (KaryResponse(1000, 12), 30_000),
    (UnaryEncoding(100, 5), 200),
    (BinaryResponse(8), 300),
    (HadamardResponse(1000, 1), 50),
]


def estimated(protocol: FrequencyProtocol, reports: int) -> FrequencyEstimate:
    """Of as many values as there can be supports; intervals that hold together are for those of the protocol."""
    supports = np.arange(reports + 1)
    facts = ("x", reports, protocol.loss, protocol.epsilon, tuple(supports.tolist()), supports)
    chances = (float(protocol.true_support), float(protocol.other_support))
    return FrequencyEstimate(*facts, *chances, looked_at=len(protocol.categories))


def missed(ends: tuple[NDArray[np.float64], ...], share: float, law: NDArray[np.float64]) -> float:
    """How likely the interval does not hold the share, from the law of supports."""
    low, high = ends
    return float(law[(share < low - 1e-12) | (high + 1e-12 < share)].sum())


@pytest.mark.parametrize(("protocol", "reports"), FEW, ids=lambda each: str(each)[:40])
def test_intervals_hold_for_few_reports_and_rare_values(protocol: FrequencyProtocol, reports: int) -> None:
    estimate = estimated(protocol, reports)
    own, other = float(protocol.true_support), float(protocol.other_support)
    laws = [binom.pmf(np.arange(reports + 1), reports, other + share * (own - other)) for share in SHARES]
    alone, together = estimate.interval(0.95), estimate.interval(0.95, simultaneous=True)
    assert max(missed(alone, share, law) for share, law in zip(SHARES, laws, strict=True)) <= 0.05
    size = len(protocol.categories)
    assert max(missed(together, share, law) for share, law in zip(SHARES, laws, strict=True)) <= 0.05 / size + 1e-9


@pytest.mark.parametrize(("protocol", "reports"), FEW, ids=lambda each: str(each)[:40])
def test_intervals_of_these_very_devices_hold_for_few(protocol: FrequencyProtocol, reports: int) -> None:
    """Up to a term of 1/√n: 93 % at least, and of all values together as well."""
    estimate = estimated(protocol, reports)
    alone, together = (estimate.interval(0.95, population=False, simultaneous=each) for each in (False, True))
    own, other = float(protocol.true_support), float(protocol.other_support)
    for devices in {0, 1, 2, reports // 10, reports // 2, reports} & set(range(reports + 1)):
        liars = binom.pmf(np.arange(reports - devices + 1), reports - devices, other)
        law = np.convolve(binom.pmf(np.arange(devices + 1), devices, own), liars)
        assert missed(alone, devices / reports, law) <= 0.07
        assert missed(together, devices / reports, law) <= 0.07 / len(protocol.categories)


def test_the_control_score_intervals_alone_do_not_hold_for_few() -> None:
    law = binom.pmf(np.arange(31), 30, 0.17 / 30)
    ends = score_interval(np.arange(31) / 30, 30, 1.96, spread=(0, 1, -1))
    assert missed(ends, 0.17 / 30, law) > 0.15
    assert missed(share_interval(np.arange(31), 30, 0.025), 0.17 / 30, law) < 0.05


def test_standard_errors_are_of_a_possible_share_and_never_0() -> None:
    protocol = KaryResponse(4, 1)
    estimate = protocol.estimate([0, 0, 0])
    rare = float(protocol.other_support)
    wanted = np.sqrt(rare * (1 - rare) / 3) / float(protocol.true_support - protocol.other_support)
    assert estimate.standard_error[1:] == pytest.approx(wanted)
    assert (estimate.standard_error > 0).all()


@pytest.mark.parametrize(("epsilon", "reports"), [(4, 1), (4, 2), (8, 3)])
def test_means_of_few_reports_are_not_taken_for_certain(epsilon: float, reports: int) -> None:
    """All values at a bound, or in the middle: at least 88 % of intervals hold, where deviations alone hold never."""
    protocol = GridMean((0, 1), epsilon)
    size = protocol.points
    every = np.stack(np.meshgrid(*[np.arange(size)] * reports), axis=-1).reshape(-1, reports)
    ends = []
    for row in every:
        counts = np.bincount(row, minlength=size)
        facts = ("x", reports, protocol.loss, protocol.epsilon, protocol.values.bounds)
        ends.append(MeanEstimate(*facts, counts, float(protocol.gain)).interval(0.95))
    low, high = np.array(ends).T
    told = np.array(protocol.channel().matrix, dtype=np.float64)
    for place in (0, size // 2, size - 1):
        mean = place / (size - 1)
        law = told[place][every].prod(axis=1)
        assert law[(low <= mean) & (mean <= high)].sum() >= 0.88
