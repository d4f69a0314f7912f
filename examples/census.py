"""A census: private counts of a nation, its states and its counties that add up and are never negative.

The 2020 census of the United States published nested counts with noise. Noise alone would leave counties that do not
add up to their state, and counties with -2 people. Two steps that cost nothing repair it: least squares makes every
cell the sum of its children, and uses what children know about their parent; a projection then makes counts whole and
non-negative. Both see the noisy counts only.
"""

import numpy as np
from telling import folder_for_pictures, keep, rounded_up, show, tell

import privet
from privet.explain import Chart
from privet.postprocessing.hierarchy import Hierarchy

EPSILON, STATES, COUNTIES = 1, 5, 12
NATION = {
    f"State {chr(65 + state)}": [f"{chr(65 + state)}{county + 1:02}" for county in range(COUNTIES)]
    for state in range(STATES)
}


def people() -> tuple[list[str], list[str]]:
    """Invented people: the state and the county of each; a few counties are nearly empty."""
    random = np.random.default_rng(177)
    states, counties = [], []
    for state, names in NATION.items():
        for name, number in zip(names, random.lognormal(5, 1.8, len(names)).astype(int), strict=True):
            states += [state] * int(number)
            counties += [name] * int(number)
    return states, counties


def main() -> None:
    folder = folder_for_pictures(__doc__)
    states, counties = people()
    released = privet.hierarchical_counts([states, counties], categories=NATION, epsilon=EPSILON)
    final = released.nonnegative()
    exact = {name: counties.count(name) for names in NATION.values() for name in names}
    lines = [("the nation", f"{len(states):,}", _told(released.total), f"{int(final.levels[0][0]):,}")]
    lines += [
        (state, f"{states.count(state):,}", _told(released.at(state)), f"{int(final.levels[1][place]):,}")
        for place, state in enumerate(NATION)
    ]
    smallest = sorted(exact, key=exact.__getitem__)[:4]
    lines += [
        (
            f"county {name}",
            f"{exact[name]:,}",
            _told(released.at(f"State {name[0]}", name)),
            f"{_county(final, name):,}",
        )
        for name in smallest
    ]
    show(
        f"{len(states):,} people in {STATES} states and {STATES * COUNTIES} counties, ε = {EPSILON} for all counts",
        ("where", "exact", "least squares ± (95%)", "as published"),
        lines,
    )
    leaves = np.asarray(final.value)
    sums = leaves.reshape(STATES, COUNTIES).sum(axis=1)
    tell(
        f"Counties add up to their states: {bool((sums == final.levels[1]).all())}; states to the nation: "
        f"{bool(sums.sum() == final.levels[0][0])}; smallest published count: {int(leaves.min())}.\n"
        f"Noise by {released.mechanism}."
    )
    order = sorted(exact, key=exact.__getitem__)
    series = {
        "exact": (np.arange(1, len(order) + 1), [exact[name] + 1 for name in order]),
        "published": (np.arange(1, len(order) + 1), [_county(final, name) + 1 for name in order]),
    }
    title = "Counties by size: exact and published (people + 1)"
    keep(Chart.points(series, x="county, by its size", y="people + 1", title=title, log_y=True), folder, "census")


def _told(release: privet.Release[float]) -> str:
    return f"{release.value:,.0f} ± {rounded_up(release.margin())}"


def _county(final: Hierarchy, name: str) -> int:
    return int(np.asarray(final.value)[[each for names in NATION.values() for each in names].index(name)])


if __name__ == "__main__":
    main()
