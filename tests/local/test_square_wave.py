"""Exactness by enumeration; the estimate against distributions that are known."""

import json
from fractions import Fraction

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import SquareWave, Tally
from privet.local.read_config import read_config
from privet.local.square_wave import wave_width
from privet.local.weights import WHOLE
from privet.noise import BitSource
from tests.support.statistics import assert_does_not_follow, assert_follows

CASES = [(1, 8), (2, 9), ("0.5", 20), (4, 33), (3, 2)]


@pytest.mark.parametrize(("epsilon", "bins"), CASES)
def test_weights_are_whole_and_reach_epsilon(epsilon: int | str, bins: int) -> None:
    protocol = SquareWave(bounds=(0, 1), epsilon=epsilon, bins=bins)
    assert (2 * protocol.reach + 1) * protocol.near + (bins - 1) * protocol.other == WHOLE
    assert float(epsilon) * (1 - 1e-6) <= protocol.epsilon <= float(epsilon)
    channel = protocol.channel()
    assert {sum(row) for row in channel.matrix} == {Fraction(1)}
    assert channel.worst().ratio == protocol.ratio
    for level in (0.0, protocol.epsilon / 2):
        assert protocol.loss.delta(level) == pytest.approx(channel.loss.delta(level), abs=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "near", "far"),
    [(0.5, 0.755948, 0.458506), (1, 1.136305, 0.418023), (2, 2.53801, 0.343482), (4, 12.6309, 0.231343)],
)
def test_many_bins_have_the_densities_of_the_reference(epsilon: float, near: float, far: float) -> None:
    width = wave_width(epsilon)
    grown = np.exp(epsilon)
    assert [grown / (2 * width * grown + 1), 1 / (2 * width * grown + 1)] == pytest.approx([near, far], rel=1e-5)
    protocol = SquareWave(bounds=(0, 1), epsilon=epsilon, bins=4096)
    assert protocol.near / WHOLE * 4096 == pytest.approx(near, rel=0.02)
    assert protocol.other / WHOLE * 4096 == pytest.approx(far, rel=0.02)


def test_reports_follow_the_channel(source: BitSource) -> None:
    """n = 40,000 for each value, false alarm 1e-6; the control is another value's law."""
    protocol = SquareWave(bounds=(0, 1), epsilon=1, bins=8)
    for place in (0, 3, 7):
        drawn = protocol.privatize(np.full(40_000, (place + 0.5) / 8), entropy=source)
        law = [{y: float(p) for y, p in enumerate(row)} for row in protocol.channel().matrix]
        assert_follows(drawn, law[place])
        assert_does_not_follow(drawn, law[(place + 4) % 8])


def test_a_mean_is_unbiased_for_every_bin() -> None:
    """By the channel: what reports of one bin add up to on average is the middle of that bin."""
    protocol = SquareWave(bounds=(10, 20), epsilon=1, bins=8)
    for place, row in enumerate(protocol.channel().matrix):
        counts = np.array([int(p * WHOLE) for p in row]) >> 20
        found = protocol.estimate(Tally(protocol.config, int(counts.sum()), counts))
        assert found.mean == pytest.approx(10 + (place + 0.5) * 10 / 8, abs=1e-6)


@pytest.mark.whole
def test_a_smooth_distribution_is_found(source: BitSource) -> None:
    """40 collections of 20,000: means within intervals, shares near the truth; the control is the raw reports."""
    protocol = SquareWave(bounds=(0, 1), epsilon=2, bins=32)
    truth = np.random.default_rng(3).beta(4, 2, 20_000)
    shares = np.histogram(truth, 32, (0, 1))[0] / len(truth)
    off = []
    for _ in range(40):
        reports = protocol.privatize(truth, entropy=source)
        estimate = protocol.estimate(reports)
        off.append(abs(estimate.mean - truth.mean()) / estimate.mean_error)
    assert np.sum(np.array(off) > 1.96) <= 12  # of 40, expected 2: one in a million
    raw = np.bincount(reports, minlength=protocol.numbers)[protocol.reach : -protocol.reach] / len(reports)
    assert np.abs(estimate.value - shares).sum() < 0.12 < np.abs(raw - shares).sum()
    assert estimate.quantile(0.5) == pytest.approx(np.median(truth), abs=0.03)


@pytest.mark.parametrize("peak", [0.31, 0.5])
def test_intervals_hold_for_smooth_and_for_sharp_distributions(peak: float, source: BitSource) -> None:
    """At a false-alarm rate of 1e-6; the control is what deviations alone would say of a peak: smoothing shifts it."""
    protocol = SquareWave(bounds=(0, 1), epsilon=2, bins=16)
    truth = np.append(np.full(5000, peak), np.random.default_rng(4).beta(2, 2, 5000))
    shares = np.histogram(truth, 16, (0, 1))[0] / len(truth)
    estimate = protocol.estimate(protocol.privatize(truth, entropy=source))
    low, high = estimate.interval(0.999999)
    assert ((low <= shares) & (shares <= high)).all()
    assert not (np.abs(estimate.value - shares) <= 1.96 * estimate.standard_error).all()
    low, high = estimate.cumulative_interval(0.999999)
    below = np.concatenate([[0.0], np.cumsum(shares)])
    assert ((low <= below + 1e-9) & (below - 1e-9 <= high)).all()
    assert (high - low).max() < 0.5


def test_reports_tallies_and_configurations() -> None:
    protocol = SquareWave(bounds=(-5, 5), epsilon=1, bins=16)
    reports = protocol.privatize(np.linspace(-9, 9, 300))
    assert protocol.tally(reports[:100]) + protocol.tally(reports[100:]) == protocol.tally(reports)
    assert read_config(json.dumps(protocol.config)) == protocol
    estimate = protocol.estimate(reports)
    assert estimate.value.sum() == pytest.approx(1)
    assert estimate.table.num_rows == 16
    assert "300 reports" in repr(estimate)
    assert "for all bins together" in repr(estimate)
    assert repr(estimate.plot()).startswith("Chart(1 step")
    assert np.array_equal(estimate.standard_error, protocol.estimate(reports).standard_error)
    for word in ("bins", "reach", "near", "other"):
        with pytest.raises(InvalidParameter):
            SquareWave.from_config({**protocol.config, word: -1})
    with pytest.raises(InvalidParameter, match="missing"):
        protocol.privatize([None, 1.0])
    with pytest.raises(InvalidParameter, match="share"):
        estimate.quantile(2)
