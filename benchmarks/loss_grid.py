"""Readings of sampled Gaussian steps at random points, between the two bounds of dp-accounting, in one run.

Points: rate in [1e-5, 0.5], sigma in [0.3, 50], 1 to 10^6 steps, delta in [1e-10, 1e-3], all on a logarithmic scale.
Each reading must not lie below the peer's optimistic bound, nor above 1.001 times its pessimistic one. The peer rounds
losses to an interval. It is told one at which its pessimistic bound loses about a part in 10^4, and a coarser one where
that takes too long; the interval decides how close the two bounds are, never whether they hold. Where its bounds
are far apart Privet's own lower bound is the closer one, so readings are held against that, too.

Usage: python benchmarks/loss_grid.py [--points 400] [--seed 17] [--alone] [--save points.json]
"""

import argparse
import json
import math
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from loss import forget
from peers import run_peer
from rich.console import Console

from privet.loss import GaussianCurve, PrivacyLoss

RELEASE = "0.6.0"
ALLOWED = 1.001
TINY = 1e-9  # epsilons below are 0 for every purpose
ACCURATE = 1e-4  # share of epsilon that the peer's interval may cost
FINE = 0.05  # and of the spread of the losses of one step, how much the interval may be
LARGEST = 2**21  # intervals that the peer may need
# bytes and seconds that it may take; if more, the interval is coarser
MEMORY = 2**32
PATIENCE = 10
ATTEMPTS = 8

PEER = f"""
import json, math, resource, signal, sys, warnings
warnings.filterwarnings("ignore")
from dp_accounting.pld import privacy_loss_distribution as P
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
def interrupt(*_):
    raise TimeoutError("more than {PATIENCE} s")
signal.signal(signal.SIGALRM, interrupt)
def price(point, interval, pessimistic):
    one = P.from_gaussian_mechanism(point["sigma"], sampling_prob=point["rate"], pessimistic_estimate=pessimistic,
        value_discretization_interval=interval, use_connect_dots=pessimistic)
    return float(one.self_compose(point["steps"]).get_epsilon_for_delta(point["delta"]))
for point in json.load(open(sys.argv[1])):
    interval = point["interval"]
    for _ in range({ATTEMPTS}):
        signal.alarm({PATIENCE})
        try:
            found = {{"upper": price(point, interval, True), "lower": price(point, interval, False)}}
            break
        except Exception as problem:
            found = {{"failed": f"{{type(problem).__name__}}: {{problem}}"}}
            interval *= 4
        finally:
            signal.alarm(0)
    print(json.dumps({{**found, "interval": interval}}), flush=True)
"""


@dataclass(frozen=True)
class Point:
    """Sampled Gaussian steps, and the delta at which their epsilon is read."""

    rate: float
    sigma: float
    steps: int
    delta: float

    @property
    def loss(self) -> PrivacyLoss:
        """Of all steps."""
        return PrivacyLoss.of(GaussianCurve(1 / self.sigma)).sampled(self.rate) * self.steps

    def interval(self, epsilon: float) -> float:
        """One at which connecting the dots costs about the share ACCURATE of this epsilon, or as fine as is affordable.

        Each step gains a variance of a sixth of the interval's square, which costs (tilt + 1)/2 times that; if the
        interval is not small beside the losses of one step, more.
        """
        scale = max(epsilon, TINY)
        tilt = 2 * math.log(1 / self.delta) / scale
        fine = math.sqrt(12 * ACCURATE * scale / ((tilt + 1) * self.steps))
        # about: the losses of one step, and of all
        widest = math.log1p(self.rate * math.expm1(10 / self.sigma)) + 4 * scale
        return max(min(fine, FINE * self.rate / self.sigma), widest / LARGEST)


def points(count: int, seed: int) -> Iterator[Point]:
    """The same points for the same seed."""
    dice = random.Random(seed)  # noqa: S311 - picks cases

    def between(low: float, high: float) -> float:
        return float(f"{math.exp(dice.uniform(math.log(low), math.log(high))):.6g}")

    for _ in range(count):
        yield Point(between(1e-5, 0.5), between(0.3, 50), round(between(1, 1e6)), between(1e-10, 1e-3))


@dataclass
class Reading:
    """What Privet read, how long that took, and what the peer says."""

    point: Point
    epsilon: float
    seconds: float
    below: float = 0.0  # Privet's own lower bound
    lower: float = 0.0
    upper: float = math.inf
    interval: float = 0.0
    failed: str = ""

    @property
    def holds(self) -> bool:
        """Whether it lies between the bounds."""
        return max(self.lower, self.below) <= self.epsilon <= max(ALLOWED * self.upper, TINY)


def read(point: Point) -> Reading:
    forget()
    start = time.perf_counter()
    epsilon = point.loss.epsilon(point.delta)
    return Reading(point, epsilon, time.perf_counter() - start)


def compare(readings: list[Reading], console: Console) -> None:
    """Fill in both lower bounds, and the peer's upper one."""
    asked = [{**asdict(r.point), "interval": r.point.interval(r.epsilon)} for r in readings]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(asked, file)
        file.flush()
        lines = run_peer("dp-accounting", [f"dp-accounting=={RELEASE}"], ["-c", PEER, file.name], console)
    for reading, line in zip(readings, lines, strict=True):
        reading.below = reading.point.loss.lower_bound(reading.point.delta)
        for name, value in json.loads(line).items():
            setattr(reading, name, value)


def told(reading: Reading) -> str:
    point = reading.point
    where = f"rate {point.rate:g}, sigma {point.sigma:g}, {point.steps} steps, delta {point.delta:g}"
    bounds = f"peer [{reading.lower:.6g}, {reading.upper:.6g}], own lower bound {reading.below:.6g}"
    return f"{where}: {reading.epsilon:.8g}, {bounds} {reading.failed}"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--points", type=int, default=400)
    arguments.add_argument("--seed", type=int, default=17)
    arguments.add_argument("--alone", action="store_true", help="time Privet and ask no peer")
    arguments.add_argument("--save", type=Path, help="write all readings to this file")
    options = arguments.parse_args()
    readings = [read(point) for point in points(options.points, options.seed)]
    seconds = [reading.seconds for reading in readings]
    print(f"{len(readings)} readings in {sum(seconds):.2f} s, the slowest in {max(seconds):.3f} s")
    if options.alone:
        return
    compare(readings, Console())
    if options.save:
        options.save.write_text(json.dumps([asdict(reading) for reading in readings], indent=1))
    answered = [reading for reading in readings if not reading.failed]
    shares = sorted(r.epsilon / r.upper for r in answered if r.upper > TINY and math.isfinite(r.upper))
    if shares:
        print(f"share of the peer's upper bound: {shares[0]:.6f}, {statistics.median(shares):.6f}, {shares[-1]:.6f}")
    print(f"the peer failed at {len(readings) - len(answered)} points")
    missed = [reading for reading in answered if not reading.holds]
    for reading in missed:
        print("MISSED:", told(reading))
    print(f"{'met' if not missed else 'MISSED'}: {len(answered) - len(missed)} of {len(answered)} within the bounds")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
