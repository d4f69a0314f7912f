import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import ProjectiveGeometryResponse
from privet.local.projective_space import ProjectiveSpace
from privet.noise import BitSource
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(ProjectiveGeometryResponse(categories=5, epsilon=1), 1, range(5), shares=(0.4, 0.3, 0.2, 0.1, 0)),
        Example(ProjectiveGeometryResponse(categories=20, epsilon=2), 2, range(20), shares=[0.05] * 20),
        Example(ProjectiveGeometryResponse(categories=["a", "b"], epsilon=1), 1, "ab", shares=(0.7, 0.3)),
    )
    REFUSED = (5, -1, "a")


@pytest.mark.parametrize(("prime", "dimension"), [(2, 2), (2, 5), (3, 3), (5, 3), (7, 2), (3, 4)])
def test_points_and_hyperplanes(prime: int, dimension: int) -> None:
    """By writing all of them down: numbers and vectors, sizes, what two have in common, and both ways to draw."""
    space = ProjectiveSpace(prime, dimension)
    every = np.arange(len(space))
    assert np.array_equal(space.points(space.vectors(every)), every)
    assert np.array_equal(space.points(space.vectors(every) * (prime - 1) % prime), every)
    on = space.incidence().astype(int)
    assert (on.sum(axis=1) == space.on_hyperplane).all()
    both = on @ on.T
    assert (both[~np.eye(len(space), dtype=bool)] == space.on_both).all()
    for point in every:
        choices = np.arange(space.on_hyperplane)
        found = space.drawn_on(np.full(len(choices), point), choices)
        assert sorted(found) == np.flatnonzero(on[point]).tolist()
        choices = np.arange(prime ** (dimension - 1))
        found = space.drawn_off(np.full(len(choices), point), choices)
        assert sorted(found) == np.flatnonzero(1 - on[point]).tolist()
    counts = every**2 + 10**9
    assert np.array_equal(space.hyperplane_sums(counts), on @ counts)


@pytest.mark.parametrize(
    ("categories", "epsilon", "variance"),
    [(1024, 1, 3.761), (1024, 2, 0.7315), (1024, 4, 0.0763), (65536, 3, 0.2210), (256, 3, 0.2208)],
)
def test_variances_are_at_most_those_of_the_reference(categories: int, epsilon: float, variance: float) -> None:
    """At a share of 1/k, over samples; the reference takes the prime nearest to e^ε + 1."""
    protocol = ProjectiveGeometryResponse(categories=categories, epsilon=epsilon)
    assert protocol.variance(1 / categories) <= variance * 1.02


def test_few_and_many_devices_draw_points_of_the_same_kind(source: BitSource) -> None:
    """Many devices look points up in a table, few compute them: both lie on the hyperplane as often as they must."""
    protocol = ProjectiveGeometryResponse(categories=20, epsilon=2)
    on = protocol.space.incidence(20)[3]
    many = protocol.privatize([3] * 20_000, entropy=source)
    few = np.concatenate([protocol.privatize([3] * 4, entropy=source) for _ in range(5_000)])
    assert "_listed" in protocol.__dict__
    p = float(protocol.true_support)
    for reports in (many, few):
        assert abs(on[reports].mean() - p) < 4.9 * (p * (1 - p) / 20_000) ** 0.5
        assert len(np.unique(reports)) == protocol.numbers


def test_spaces_that_are_none_are_refused() -> None:
    config = ProjectiveGeometryResponse(categories=20, epsilon=1).config
    for change in ({"prime": 4}, {"dimension": 2}, {"inside": 1}, {"prime": 2**31 - 1}):
        with pytest.raises(InvalidParameter):
            ProjectiveGeometryResponse.from_config({**config, **change})
