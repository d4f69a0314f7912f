"""What every protocol of local privacy must do. A test file lists EXAMPLES and subclasses `ProtocolContract`.

The heart is the *channel*: the exact probability of every report for every value, on a small domain. Samples must
follow it, no ratio in it may exceed e^ε, and what one report adds to an estimate must have the right mean and the
variance of the formula, by sums over all reports. So only intervals and samplers are tested by chance.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.audit import lower_epsilon
from privet.errors import InvalidParameter
from privet.local import BinaryResponse, Protocol, Tally
from privet.local.frequency_protocol import FrequencyProtocol
from privet.local.read_config import read_config
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource
from tests.support.statistics import FALSE_ALARM, assert_does_not_follow, assert_follows

TRIALS = 40_000  # reports of each value, for the sampler's test and the audit
RUNS = 4_000  # collections, for coverage: a share of 0.95 is off by 0.017 once in a million
CLOSE = 1e-9
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """One protocol on a small domain.

    Args:
        protocol: what is tested.
        epsilon: what it was made for; what it realises must be at most this, and almost this.
        values: one for each row of its channel.
        targets: what an estimate must have as its mean when all devices have that value; by default the shares.
        shares: how many devices have each value, where intervals are tested.
        reports: how many devices there are then.
        exact: False where estimates are unbiased only over the choice of hash functions.
        covers: False where the same holds for intervals; as `exact` if nothing is said.
    """

    protocol: Protocol[Any]
    epsilon: float
    values: Sequence[Any]
    shares: Sequence[float]
    targets: Sequence[Any] | None = None
    reports: int = 2_000
    exact: bool = True
    covers: bool | None = None

    @property
    def truths(self) -> Floats:
        """The targets, one row for each value."""
        wanted = np.eye(len(self.values)) if self.targets is None else np.array(self.targets, dtype=np.float64)
        return wanted.reshape(len(self.values), -1)

    def skip_over_functions(self) -> None:
        """Skip a test that holds over the choice of hash functions only."""
        if not (self.exact if self.covers is None else self.covers):
            pytest.skip("holds over hash functions: its own test says so")

    def columns(self, reports: NDArray[Any]) -> list[int]:
        """The number of each report among all reports there are."""
        places = {row.tobytes(): place for place, row in enumerate(self.protocol.encode(self.protocol.outcomes()))}
        return [places[row.tobytes()] for row in self.protocol.encode(reports)]


class ProtocolContract:
    """Subclass as TestContract in a protocol's test file and set EXAMPLES."""

    EXAMPLES: ClassVar[Sequence[Example]]
    REFUSED: ClassVar[Sequence[Any]] = ()  # values that no device may have

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One test for each example, and for each refused value."""
        if "example" in metafunc.fixturenames:
            metafunc.parametrize("example", self.EXAMPLES, ids=lambda example: repr(example.protocol)[:60])
        if "refused" in metafunc.fixturenames:
            metafunc.parametrize("refused", self.REFUSED, ids=lambda value: repr(value)[:30])

    # --- privacy ----------------------------------------------------------------------------------------------

    def test_no_ratio_exceeds_epsilon_and_one_reaches_it(self, example: Example) -> None:
        protocol = example.protocol
        assert protocol.channel().worst().ratio == protocol.ratio
        assert protocol.channel().worst().epsilon == protocol.epsilon
        assert example.epsilon * (1 - 1e-6) <= protocol.epsilon <= example.epsilon

    def test_the_loss_is_that_of_the_channel(self, example: Example) -> None:
        loss, truth = example.protocol.loss, example.protocol.channel().loss
        for share in (0.0, 0.3, 0.7, 1.0):
            level = share * example.protocol.epsilon
            assert loss.delta(level) >= truth.delta(level) - 1e-12
            assert loss.delta(level) <= truth.delta(level) + CLOSE

    @pytest.mark.whole
    def test_reports_follow_the_channel_and_no_audit_exceeds_epsilon(self, example: Example, source: BitSource) -> None:
        channel = example.protocol.channel()
        draws = []
        for place, value in enumerate(example.values):
            drawn = example.columns(example.protocol.privatize([value] * TRIALS, entropy=source))
            assert_follows(drawn, law_of(channel, place))
            draws.append(drawn)
        high, low = channel.worst().rows
        assert_does_not_follow(draws[high], law_of(channel, low))
        bound = audited(channel, draws[high], draws[low], rows=(high, low))
        assert bound <= example.protocol.epsilon
        assert audited(channel, draws[high], draws[low], rows=(high, low)) > 0.5 * example.protocol.epsilon

    # --- estimates --------------------------------------------------------------------------------------------

    def test_estimates_are_unbiased_with_the_variance_of_the_formula(self, example: Example) -> None:
        if not example.exact:
            pytest.skip("unbiased over hash functions: its own test says so")
        law = np.array(example.protocol.channel().matrix, dtype=np.float64)
        parts = np.array([np.ravel(example.protocol.estimate(tally).value) for tally in single_tallies(example)])
        assert law @ parts == pytest.approx(example.truths, abs=CLOSE)
        if isinstance(example.protocol, FrequencyProtocol):
            spread = law @ parts**2 - (law @ parts) ** 2
            wanted = np.where(np.eye(len(spread)), example.protocol.variance(1), example.protocol.variance(0))
            told = slice(-1, None) if isinstance(example.protocol, BinaryResponse) else slice(None)  # that of yes
            assert spread[:, told] == pytest.approx(wanted[:, told], rel=1e-6, abs=CLOSE)

    @pytest.mark.whole
    def test_intervals_cover(self, example: Example, source: BitSource) -> None:
        """Of 4,000 collections 93 to 97 % hold the truth, and of intervals half as wide fewer do."""
        example.skip_over_functions()
        truth = np.asarray(example.shares) @ example.truths
        mixed = np.asarray(example.shares) @ np.array(example.protocol.channel().matrix, dtype=np.float64)
        inside, narrow, together = [], [], []
        for tally in simulated(example, mixed[None], np.array([example.reports]), source):
            estimate = example.protocol.estimate(tally)
            low, high = map(np.ravel, estimate.interval(0.95))
            inside.append((low <= truth) & (truth <= high))
            center, half = (low + high) / 2, (high - low) / 4
            narrow.append(np.abs(center - truth) <= half)
            low, high = map(np.ravel, estimate.interval(0.95, simultaneous=True))
            together.append(((low <= truth) & (truth <= high)).all())
        covered = np.mean(inside, axis=0)
        assert (covered >= 0.93).all(), covered
        assert (covered <= (0.97 if example.exact else 0.98)).all(), covered  # hashes of what is not listed: from above
        assert np.mean(together) >= 0.93
        assert (np.mean(narrow, axis=0) < 0.93).all(), "the control: half the width must not pass"

    @pytest.mark.whole
    def test_intervals_of_these_very_devices_cover(self, example: Example, source: BitSource) -> None:
        example.skip_over_functions()
        devices = np.rint(np.asarray(example.shares) * example.reports).astype(np.int64)
        truth = devices / devices.sum() @ example.truths
        law = np.array(example.protocol.channel().matrix, dtype=np.float64)
        ends = [
            tuple(map(np.ravel, example.protocol.estimate(tally).interval(0.95, population=False)))
            for tally in simulated(example, law, devices, source)
        ]
        covered = np.mean([(low <= truth) & (truth <= high) for low, high in ends], axis=0)
        assert (covered >= 0.93).all(), covered
        assert (covered <= 0.97).all() or not example.exact, covered

    # --- reports, tallies, configurations ---------------------------------------------------------------------

    def test_tallies_add_up_and_survive_json(self, example: Example, source: BitSource) -> None:
        protocol = example.protocol
        reports = protocol.privatize(list(example.values) * 50, entropy=source)
        both = protocol.tally(reports)
        assert protocol.tally(reports[:20]) + protocol.tally(reports[20:]) == both
        assert sum([protocol.tally(reports[:1]), protocol.tally(reports[1:])]) == both
        assert Tally.from_json(both.to_json()) == both
        assert protocol.tally(reports, times=np.full(len(reports), 3)) == both + both + both
        assert protocol.tally([bytes(row) for row in protocol.encode(reports)]) == both
        assert np.array_equal(protocol.estimate(both).value, protocol.estimate(reports).value)
        with pytest.raises(InvalidParameter, match="at least one report"):
            protocol.estimate(protocol.tally(reports[:0]))

    def test_every_report_has_the_same_length_and_comes_back(self, example: Example, source: BitSource) -> None:
        protocol = example.protocol
        rows = protocol.encode(protocol.outcomes())
        assert rows.shape == (len(protocol.outcomes()), protocol.payload_bytes)
        assert len({bytes(row) for row in rows}) == len(rows)
        assert np.array_equal(protocol.decode(rows), protocol.outcomes())
        for value in example.values:
            assert len(protocol.report(value, entropy=source)) == protocol.payload_bytes

    def test_forged_reports_are_refused(self, example: Example) -> None:
        protocol = example.protocol
        known = {bytes(row) for row in protocol.encode(protocol.outcomes())}
        with pytest.raises(InvalidParameter, match="bytes long"):
            protocol.tally([bytes(protocol.payload_bytes + 1)])
        forged = b"\xff" * protocol.payload_bytes
        if forged not in known:
            with pytest.raises(InvalidParameter):
                protocol.tally([forged])

    def test_the_configuration_says_all(self, example: Example) -> None:
        protocol = example.protocol
        text = json.dumps(protocol.config)
        assert read_config(text) == protocol
        assert read_config(text).fingerprint == protocol.fingerprint
        again: Any = type(protocol).from_config(json.loads(text))
        if hasattr(again, "looking_for"):
            again = again.looking_for(list(example.values))
        assert again.channel().matrix == protocol.channel().matrix
        for word, value in json.loads(text).items():
            if isinstance(value, int) and value:
                with pytest.raises(InvalidParameter):
                    type(protocol).from_config({**protocol.config, word: -value})
                with pytest.raises(InvalidParameter):
                    type(protocol).from_config({**protocol.config, word: f"{value}"})
        with pytest.raises(InvalidParameter):
            type(protocol).from_config({"protocol": protocol.name})

    def test_an_estimate_is_shown_and_handed_on(self, example: Example, source: BitSource) -> None:
        estimate = example.protocol.estimate(example.protocol.privatize(list(example.values) * 10, entropy=source))
        assert f"{len(example.values) * 10:,} reports" in repr(estimate)
        assert "<table" in estimate._repr_html_()
        assert len(estimate.to_pandas()) == estimate.table.num_rows

    def test_values_outside_the_domain_are_refused(self, refused: Any) -> None:  # noqa: ANN401 - anything
        with pytest.raises(InvalidParameter):
            self.EXAMPLES[0].protocol.privatize([refused])


def law_of(channel: FiniteMechanism, row: int) -> dict[int, float]:
    """The probabilities of one row."""
    return {column: float(mass) for column, mass in enumerate(channel.matrix[row]) if mass}


def single_tallies(example: Example) -> list[Tally]:
    """The tally of each report by itself."""
    outcomes = example.protocol.outcomes()
    return [example.protocol.tally(outcomes[place : place + 1]) for place in range(len(outcomes))]


def simulated(example: Example, laws: Floats, devices: NDArray[np.int64], source: BitSource) -> list[Tally]:
    """Tallies of many collections: so many devices with each law. Tallies add up, so they are sums of single ones."""
    generator = np.random.default_rng(int(source.words(1)[0]))
    single = single_tallies(example)
    drawn = sum(generator.multinomial(n, law / law.sum(), size=RUNS) for n, law in zip(devices, laws, strict=True))
    counts = np.tensordot(drawn, np.array([tally.counts for tally in single]), axes=1)
    return [Tally(single[0].config, int(devices.sum()), each) for each in counts]


def audited(channel: FiniteMechanism, high: list[int], low: list[int], *, rows: tuple[int, int]) -> float:
    """A lower bound of ε at confidence 1 - 1e-6, from how often the reports occur that a row makes likeliest."""
    one, other = (channel.matrix[row] for row in rows)
    ratios = [p / q if q else Fraction(0) for p, q in zip(one, other, strict=True)]
    event = {place for place, ratio in enumerate(ratios) if ratio == max(ratios)}
    hits, others = (sum(each in event for each in drawn) for drawn in (high, low))
    return lower_epsilon(hits, others, len(high), 0.0, FALSE_ALARM / 2)
