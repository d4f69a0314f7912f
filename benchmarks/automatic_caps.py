"""Limits found first, measured: `python benchmarks/automatic_caps.py` compares them with the best fixed limit.

Units have Pareto, lognormal, equal or two kinds of numbers of rows; the rows are those of Adult, drawn with
replacement, so that groups are as uneven as real ones, and half of a unit's rows are copies of its first. The error of
a group is the mean of |what the limit takes away + noise|, worked out from the laws, over all limits that the choice
may take; it is divided by the same for the best of all fixed limits at the whole ε. `--asked` runs statements through a
session instead, and counts how often intervals cover the number under the limit and the number without one.
"""

import argparse
import gzip
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import privet
from privet.mechanisms import CapChoice, Laplace
from privet.query.session import Session

Floats = NDArray[np.float64]
ADULT = [Path(__file__).resolve().parents[up] / "shared" / "data" / "adult.data.gz" for up in (2, 3)]
UNITS = 20_000
LARGEST_VALUE = 100
EPSILONS = ("0.1", "1", "5")
GROUPS = {10: "decades of age", 32: "education and sex", 112: "education and marriage"}
KINDS: Mapping[str, Callable[[np.random.Generator, int], Floats]] = {
    "Pareto 1.2": lambda random, units: np.minimum(np.ceil(random.pareto(1.2, units) + 1), 2_000),
    "Pareto 2": lambda random, units: np.minimum(np.ceil(random.pareto(2, units) + 1), 2_000),
    "lognormal 1, 1": lambda random, units: np.ceil(random.lognormal(1, 1, units)),
    "lognormal 1, 1.5": lambda random, units: np.minimum(np.ceil(random.lognormal(1, 1.5, units)), 2_000),
    "always 1": lambda random, units: np.ones(units),  # noqa: ARG005 - as the others
    "always 10": lambda random, units: np.full(units, 10.0),  # noqa: ARG005 - as the others
    "2, and 1 in 100 has 200": lambda random, units: np.where(random.random(units) < 0.01, 200.0, 2.0),
    "1, and 1 in 10 has 30": lambda random, units: np.where(random.random(units) < 0.1, 30.0, 1.0),
}
ASKED = {
    "COUNT(*)": "SELECT g, COUNT(*) AS n FROM data GROUP BY g",
    "SUM": "SELECT g, SUM(x) AS n FROM data GROUP BY g",
    "COUNT(DISTINCT unit)": "SELECT g, COUNT(DISTINCT id) AS n FROM data GROUP BY g",
}


@dataclass(frozen=True)
class Rows:
    """What units have: their number, group and value of each row."""

    unit: NDArray[np.int64]
    group: NDArray[np.int64]
    value: Floats
    groups: int

    def taken(self, what: str, caps: Floats) -> Floats:
        """What each group lacks under each limit: a row for each limit, a column for each group."""
        unit, group, share = self.unit, self.group, self.value if what == "SUM" else np.ones(len(self.unit))
        if what == "COUNT(DISTINCT unit)":
            pairs = np.unique(unit * self.groups + group)
            unit, group, share = pairs // self.groups, pairs % self.groups, np.ones(len(pairs))
        have = np.bincount(unit)[unit]
        return np.stack(
            [np.bincount(group, share * np.maximum(1 - cap / have, 0), minlength=self.groups) for cap in caps]
        )

    def above(self, what: str, caps: tuple[int, ...]) -> list[int]:
        """How many units have more than each limit."""
        unit = self.unit
        if what == "COUNT(DISTINCT unit)":
            unit = np.unique(unit * self.groups + self.group) // self.groups
        have = np.sort(np.bincount(unit))
        return [int(number) for number in len(have) - np.searchsorted(have, caps, side="right")]

    def table(self) -> pa.Table:
        """As a session reads it."""
        return pa.table({"id": self.unit, "g": self.group, "x": self.value})


def adult() -> dict[int, NDArray[np.int64]]:
    """The keys of Adult's people by how many groups there are, and their hours of work; invented where it is not."""
    file = next((file for file in ADULT if file.exists()), None)
    if file is None:
        print("Adult is not beside this repository: groups are invented", file=sys.stderr)
        random = np.random.default_rng(3)
        keys = {groups: random.zipf(1.5, 30_000) % groups for groups in GROUPS}
        return {**keys, 0: np.clip(random.normal(40, 12, 30_000), 0, LARGEST_VALUE).astype(np.int64)}
    with gzip.open(file, "rt") as opened:
        people = [line.strip().split(", ") for line in opened if line.strip()]
    named = {place: sorted({row[place] for row in people}) for place in (3, 5, 9)}
    code = {place: np.array([named[place].index(row[place]) for row in people]) for place in named}
    decades = np.minimum(np.array([int(row[0]) for row in people]) // 10, 9)
    hours = np.array([int(row[12]) for row in people])
    return {10: decades, 32: 2 * code[3] + code[9], 112: 7 * code[3] + code[5], 0: hours}


def drawn(kind: str, groups: int, *, units: int = UNITS, seed: int = 1) -> Rows:
    """Units of a kind, with rows of Adult."""
    random = np.random.default_rng(seed)
    many = KINDS[kind](random, units).astype(np.int64)
    unit = np.repeat(np.arange(units), many)
    people = adult()
    person = random.integers(0, len(people[0]), len(unit))
    first = np.repeat(person[np.cumsum(many) - many], many)
    person = np.where(random.random(len(unit)) < 0.5, first, person)
    value = np.clip(people[0][person], 0, LARGEST_VALUE).astype(np.float64)
    return Rows(unit, people[groups][person], value, groups)


def session_of(rows: Rows) -> Session:
    """A session in which these rows are asked about; groups are public."""
    columns = {"g": {"values": list(range(rows.groups))}, "x": {"bounds": [0, LARGEST_VALUE]}}
    limit = privet.Guarantee(10**6, "0.1")
    return privet.connect(
        privet.Catalog.of(rows.table(), unit="person", unit_column="id", columns=columns, limit=limit)
    )


def plan_of(session: Session, what: str, epsilon: str) -> tuple[CapChoice, float]:
    """The choice of a limit, and the mean size of the noise for a limit of 1."""
    quote = session._quoter.quote(  # noqa: SLF001 - what explain shows is rounded
        ASKED[what],
        session._options({"epsilon": epsilon, "rows_per_unit": "auto"}, None),  # noqa: SLF001 - as above
    )
    (choice,), (noise,) = quote.caps["answer"].mechanisms, quote.by_name["answer"].mechanisms
    if not isinstance(choice, CapChoice) or not isinstance(noise, Laplace):
        raise TypeError("limits are chosen, and pure noise is Laplace's")
    return choice, float(noise.scale / noise.l1_sensitivity) * (LARGEST_VALUE if what == "SUM" else 1)


def errors(lacks: Floats, scales: Floats) -> Floats:
    """The mean over groups of E|lack + noise|, for each limit."""
    wide = scales[:, None]
    return np.asarray((lacks + wide * np.exp(-lacks / wide)).mean(axis=1))


def ratio(rows: Rows, session: Session, what: str, epsilon: str) -> float:
    """The expected error with a limit that is found, over that of the best fixed one."""
    choice, scale = plan_of(session, what, epsilon)
    caps = np.array(choice.caps, dtype=np.float64)
    chances = choice.choice.probabilities(choice.scores(rows.above(what, choice.caps)))
    likely = chances > 1e-9  # what is left out is as rare
    found = float(chances[likely] @ errors(rows.taken(what, caps[likely]), scale * caps[likely]))
    whole = (LARGEST_VALUE if what == "SUM" else 1) / float(epsilon)
    useful = caps[caps <= 4 * np.bincount(rows.unit).max()]
    return found / float(errors(rows.taken(what, useful), whole * useful).min())


def grid(groups: int, whats: tuple[str, ...], *, units: int) -> Iterator[tuple[str, str, str, float]]:
    for kind in KINDS:
        rows = drawn(kind, groups, units=units)
        session = session_of(rows)
        for what, epsilon in itertools.product(whats, EPSILONS):
            yield kind, what, epsilon, ratio(rows, session, what, epsilon)


def compared(*, units: int = UNITS) -> dict[int, dict[str, tuple[float, float, float]]]:
    """For each number of groups and each aggregate: geometric mean, ninth decile and largest of the ratios."""
    found: dict[int, dict[str, tuple[float, float, float]]] = {}
    for groups in GROUPS:
        by_what: dict[str, list[float]] = {}
        for _, what, _, each in grid(groups, tuple(ASKED), units=units):
            by_what.setdefault(what, []).append(each)
            by_what.setdefault("all", []).append(each)
        found[groups] = {
            what: (float(np.exp(np.log(all_).mean())), float(np.quantile(all_, 0.9)), max(all_))
            for what, all_ in by_what.items()
        }
    return found


def asked(kind: str, groups: int, what: str, epsilon: str, *, runs: int) -> tuple[float, float, float]:
    """Through a session: the mean error, and how often intervals cover what is under the limit and what there is."""
    rows = drawn(kind, groups)
    session = session_of(rows)
    truth = np.bincount(rows.group, rows.value if what == "SUM" else None, minlength=groups).astype(np.float64)
    if what == "COUNT(DISTINCT unit)":
        truth = np.bincount(np.unique(rows.unit * groups + rows.group) % groups, minlength=groups).astype(np.float64)
    off, held, all_ = [], [], []
    for _ in range(runs):
        answer = session.sql(ASKED[what], epsilon=epsilon, rows_per_unit="auto")
        low, value, high = (np.array(answer.table[f"n{end}"].to_pylist(), dtype=float) for end in ("_low", "", "_high"))
        under = truth - rows.taken(what, np.array([float(answer.found_limits[0].most)]))[0]
        half = 0.0 if what == "SUM" else 0.5
        off.append(np.abs(value - truth).mean())
        held.append(((low - half <= under) & (under <= high + half)).mean())
        all_.append(((low <= truth) & (truth <= high)).mean())
    return float(np.mean(off)), float(np.mean(held)), float(np.mean(all_))


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--asked", action="store_true", help="ask through a session, and count what intervals cover")
    reader.add_argument("--runs", type=int, default=50)
    reader.add_argument("--units", type=int, default=UNITS)
    said = reader.parse_args()
    if said.asked:
        print(
            "| units | groups | what | ε | error | covers what is under the limit | covers all |\n"
            "|---|---|---|---|---|---|---|"
        )
        for kind, groups, what, epsilon in (
            ("Pareto 1.2", 32, "COUNT(*)", "1"),
            ("Pareto 1.2", 32, "SUM", "1"),
            ("2, and 1 in 100 has 200", 32, "COUNT(*)", "1"),
            ("lognormal 1, 1", 10, "COUNT(*)", "0.1"),
            ("always 10", 112, "COUNT(*)", "1"),
        ):
            error, held, everything = asked(kind, groups, what, epsilon, runs=said.runs)
            print(
                f"| {kind} | {groups} | {what} | {epsilon} | {error:.3g} | {held:.3f} | {everything:.3f} |", flush=True
            )
        return
    print("| groups | what | geometric mean | ninth decile | largest |\n|---|---|---|---|---|")
    for groups, by_what in compared(units=said.units).items():
        for what, (mean, decile, largest) in by_what.items():
            print(f"| {groups} ({GROUPS[groups]}) | {what} | {mean:.2f} | {decile:.2f} | {largest:.2f} |", flush=True)


if __name__ == "__main__":
    main()
