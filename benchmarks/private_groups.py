"""Private groups: `python benchmarks/private_groups.py` counts how many are named, beside three other ways.

Units are in 1 to 100 groups of 3,000, drawn by Zipf's law, and held to 1, 10 or 100 of them. Privet names them as
`SELECT g FROM t GROUP BY g` does; some cells are asked through `Session.sql`, and with a limit that is found first
beside the best of the others at a cap of 1, 10 or 100. The others are plain floating-point code: the truncated
geometric rule, one round of Gaussian weights at its exact joint δ, and DP-SIPS with rounds of 5, 15 and 80 %.
"""

import argparse
import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pyarrow as pa
from numpy.random import Generator
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.stats import norm

import privet
from privet.core import Sensitivity
from privet.loss import GaussianCurve, Guarantee, PrivacyLoss, calibrated_scale
from privet.mechanisms import PartitionSelection, TwoRoundSelection
from privet.noise import Entropy
from privet.query.measures.members import Members
from privet.query.pricing.naming import error_of

EPSILON, DELTA = Fraction(1), Fraction("1e-5")
UNITS, GROUPS = 3_500, 3_000
SIZES, CAPS, LAWS = (1, 3, 10, 30, 100), (1, 10, 100), (0.8, 1.0, 1.4)
SIPS = (0.05, 0.15, 0.8)
LEAST, MORE = 0.85, 1.2  # of the best other way: in every cell; in half of those with several groups
ASKED = ((1.0, 10, 10), (1.0, 30, 100))  # law, groups of a unit and cap of the cells that are asked in SQL


@dataclass(frozen=True)
class Pairs:
    """Units, and the groups of each that count."""

    units: NDArray[np.int64]
    groups: NDArray[np.int64]

    @classmethod
    def drawn(cls, random: Generator, law: float, size: int, cap: int) -> "Pairs":
        """Each unit draws so many groups; of different ones at most `cap` count."""
        chances = np.arange(1, GROUPS + 1, dtype=np.float64) ** -law
        drawn = random.choice(GROUPS, (UNITS, size), p=chances / chances.sum())
        kept = [random.permutation(np.unique(row))[:cap] for row in drawn]
        return cls(np.repeat(np.arange(UNITS), [len(each) for each in kept]), np.concatenate(kept))

    def weights(self, left_out: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Of every group, where each unit shares 1/√t among those that are not left out."""
        here = ~left_out[self.groups]
        degrees = np.bincount(self.units[here], minlength=UNITS)
        each = 1 / np.sqrt(np.maximum(degrees, 1))
        return np.asarray(np.bincount(self.groups[here], each[self.units[here]], GROUPS), dtype=np.float64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many units each group has."""
        return np.bincount(self.groups, minlength=GROUPS)


@cache
def privets_way(cap: int) -> PartitionSelection | TwoRoundSelection:
    """The mechanism that a statement of names alone is priced with."""
    moves = Sensitivity(1, cells=cap)
    ways: list[PartitionSelection | TwoRoundSelection] = [
        PartitionSelection.calibrated(epsilon=EPSILON, delta=DELTA, sensitivity=moves)
    ]
    if cap > 1:
        ways.append(TwoRoundSelection.calibrated(epsilon=EPSILON, delta=DELTA, sensitivity=moves))
    return min(ways, key=lambda way: error_of([way]))


def privets(pairs: Pairs, cap: int, random: Generator) -> int:
    """How many Privet names."""
    del random
    way = privets_way(cap)
    if isinstance(way, PartitionSelection):
        return len(way.sample({group: int(n) for group, n in enumerate(pairs.counts) if n}, Entropy()))
    order = np.argsort(pairs.groups, kind="stable")
    names, starts = np.unique(pairs.groups[order], return_index=True)
    lists = np.split(pairs.units[order], starts[1:])
    return len(way.sample(Members(((int(name),), each) for name, each in zip(names, lists, strict=True)), Entropy()))


@cache
def kept(cap: int) -> NDArray[np.float64]:
    """How likely a group of each size is named by the truncated geometric rule."""
    rule = PartitionSelection.calibrated(epsilon=EPSILON, delta=DELTA, sensitivity=Sensitivity(1, cells=cap))
    return np.array([float(rule.probability(n)) for n in range(rule.units_for(1) + 1)])


def geometric(pairs: Pairs, cap: int, random: Generator) -> int:
    law = kept(cap)
    return int((random.random(GROUPS) < law[np.minimum(pairs.counts, len(law) - 1)]).sum())


@cache
def gaussian_scale(delta: float) -> float:
    promise = Guarantee(EPSILON, Fraction(delta))
    return float(calibrated_scale(lambda s: PrivacyLoss.of(GaussianCurve(1 / Fraction(s))), promise))


def threshold(scale: float, delta: float, cap: int) -> float:
    """Above which none of a unit's own groups is named but with probability delta, however many it is in."""
    sizes = np.arange(1, cap + 1)
    return float(np.max(1 / np.sqrt(sizes) + scale * norm.isf(-np.expm1(np.log1p(-delta) / sizes))))


def one_round(pairs: Pairs, cap: int, random: Generator) -> int:
    scale = gaussian_scale(float(DELTA))
    weights = pairs.weights(np.zeros(GROUPS, dtype=np.bool_))
    noisy = weights + random.normal(0, scale, GROUPS)
    return int(((noisy > threshold(scale, float(DELTA), cap)) & (weights > 0)).sum())


def sips(pairs: Pairs, cap: int, random: Generator) -> int:
    named = np.zeros(GROUPS, dtype=np.bool_)
    for share in SIPS:
        scale = gaussian_scale(float(DELTA) / 2) / math.sqrt(share)
        weights = pairs.weights(named)
        noisy = weights + random.normal(0, scale, GROUPS)
        named |= (noisy > threshold(scale, float(DELTA) / 2 / len(SIPS), cap)) & (weights > 0)
    return int(named.sum())


WAYS: dict[str, Callable[[Pairs, int, Generator], int]] = {
    "Privet": privets,
    "geometric": geometric,
    "one round": one_round,
    "DP-SIPS": sips,
}


def cells() -> Iterator[tuple[float, int, int]]:
    """Law, groups of a unit, and cap."""
    for law in LAWS:
        for size in SIZES:
            for cap in CAPS:
                yield law, size, cap


def measured(cell: tuple[float, int, int], runs: int) -> dict[str, tuple[float, float]]:
    """Mean and standard error of the groups that each way names, all on the same data."""
    found: dict[str, list[int]] = {name: [] for name in WAYS}
    for run in range(runs):
        random = np.random.default_rng([run, int(10 * cell[0]), cell[1], cell[2]])
        pairs = Pairs.drawn(random, *cell)
        for name, way in WAYS.items():
            found[name].append(way(pairs, cell[2], random))
    return {name: (float(np.mean(each)), float(np.std(each) / math.sqrt(runs))) for name, each in found.items()}


def ratio(figures: dict[str, tuple[float, float]]) -> float:
    """Of what Privet names to the best of the others; 1 where nobody names a group."""
    best = max(mean for name, (mean, _) in figures.items() if name != "Privet")
    return figures["Privet"][0] / best if best else 1.0


def asked(cell: tuple[float, int, int | str], runs: int) -> tuple[float, float]:
    """The same through the front door."""
    law, size, cap = cell
    found = []
    for run in range(runs):
        pairs = Pairs.drawn(np.random.default_rng([run, int(10 * law), size]), law, size, GROUPS)
        table = pa.table({"id": pairs.units, "g": pairs.groups.astype(str)})
        catalog = privet.Catalog.of(
            table, name="t", unit="person", unit_column="id", limit=Guarantee(2, "1e-4"), columns={"g": {}}
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            session = privet.connect(catalog)
        text = "SELECT g FROM data GROUP BY g"
        spent = {"epsilon": EPSILON, "delta": DELTA, "groups_per_unit": cap, "rows_per_group": 1}
        found.append(session.sql(text, **spent).table.num_rows)  # type: ignore[arg-type] # as keywords
        session.close()
    return float(np.mean(found)), float(np.std(found) / math.sqrt(runs))


def beside_auto(law: float, size: int, runs: int) -> tuple[tuple[float, float], float]:
    """What is named where the limit is found first, and what the best other way names at its best cap."""
    others = [measured((law, size, cap), runs) for cap in CAPS]
    best = max(mean for figures in others for name, (mean, _) in figures.items() if name != "Privet")
    return asked((law, size, "auto"), runs), best


def main() -> None:
    """Print the table, and whether the figures are what they should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    table = Table(title=f"groups named at ε 1 and δ 1e-5, {UNITS:,} units, mean of {runs} runs")
    for name in ("Zipf", "groups of a unit", "cap", *WAYS, "Privet / best other"):
        table.add_column(name, justify="right")
    ratios: dict[tuple[float, int, int], float] = {}
    for cell in cells():
        figures = measured(cell, runs)
        ratios[cell] = ratio(figures)
        shown = [f"{mean:.1f} ± {error:.1f}" for mean, error in figures.values()]
        table.add_row(*map(str, cell), *shown, f"{ratios[cell]:.2f}")
    console = Console(width=140)
    console.print(table)
    several = [each for (_, size, cap), each in ratios.items() if size > 1 and cap > 1]
    better = sum(each >= MORE for each in several)
    console.print(f"least of all cells {min(ratios.values()):.2f} (wanted: {LEAST})")
    console.print(f"{better} of {len(several)} cells with several groups of a unit at {MORE} times the best or more")
    for cell in ASKED:
        mean, error = asked(cell, runs)
        console.print(f"in SQL, Zipf {cell[0]}, {cell[1]} groups of a unit, cap {cell[2]}: {mean:.1f} ± {error:.1f}")
    for law, size in itertools.product(LAWS, SIZES):
        (mean, error), best = beside_auto(law, size, runs)
        console.print(
            f"auto, Zipf {law}, {size} groups of a unit: {mean:.1f} ± {error:.1f}, {mean / best:.2f} of the best"
        )


if __name__ == "__main__":
    main()
