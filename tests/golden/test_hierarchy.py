"""Mission row R177: counts of a nation, its states and their counties, in the style of the US Census of 2020."""

import numpy as np
import pytest

from privet import hierarchical_counts
from privet.loss import Guarantee
from privet.postprocessing.hierarchy import Hierarchy

NATION = {
    "Alba": ["Ard", "Bute", "Clyde"],
    "Brega": ["Dun", "Esk"],
    "Cymru": ["Flint", "Gower", "Harlech", "Iwade"],
}
PEOPLE = {"Ard": 400, "Bute": 3, "Clyde": 0, "Dun": 2500, "Esk": 1, "Flint": 90, "Gower": 0, "Harlech": 7, "Iwade": 60}


def nation(epsilon: str) -> Hierarchy:
    counties = [county for county, people in PEOPLE.items() for _ in range(people)]
    states = [state for county in counties for state, within in NATION.items() if county in within]
    return hierarchical_counts([states, counties], categories=NATION, epsilon=epsilon, purpose="a census")


@pytest.mark.parametrize("epsilon", ["0.05", "0.5", "4"])
def test_r177_totals_are_consistent_whole_and_not_negative(epsilon: str) -> None:
    release = nation(epsilon)
    view = release.nonnegative()
    assert [len(level) for level in view.levels] == [1, 3, 9]
    for parents, cells, above in zip(view.squares.tree.parents, view.levels[1:], view.levels, strict=False):
        assert cells.dtype == np.int64
        assert cells.min() >= 0
        assert np.bincount(parents, weights=cells).astype(int).tolist() == above.tolist()
    assert release.loss.meets(Guarantee(epsilon))
    assert view.loss == release.loss, "consistency is post-processing: it costs nothing"


def test_r177_every_level_is_near_the_truth_within_its_margin() -> None:
    """ε = 2 for three levels; margins at 1 - 1e-5 each, so that one of thirteen fails once in 7,000 runs at most."""
    release = nation("2")
    assert abs(release.at().value - sum(PEOPLE.values())) <= release.at().margin(0.99999)
    for state, counties in NATION.items():
        cell = release.at(state)
        assert abs(cell.value - sum(PEOPLE[county] for county in counties)) <= cell.margin(0.99999)
        for county in counties:
            cell = release.at(state, county)
            assert abs(cell.value - PEOPLE[county]) <= cell.margin(0.99999)


def test_r177_least_squares_is_no_worse_than_the_noise_it_starts_from() -> None:
    release = nation("2")
    assert release.noise is not None
    alone = release.noise.margin(0.95)
    assert release.at("Brega").margin(0.95) < alone
    assert release.at("Cymru", "Gower").margin(0.95) <= alone * 1.02
