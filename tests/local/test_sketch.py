"""CountMeanSketch and HadamardSketch: one contract, and what is true only over the choice of functions."""

from typing import Any

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import CountMeanSketch, HadamardSketch, Tally
from privet.local.sketch import Sketch
from privet.noise import BitSource
from tests.contracts.protocol import Example, ProtocolContract


class TestBits(ProtocolContract):
    EXAMPLES = (
        Example(
            CountMeanSketch(1, categories=["a", "b"], functions=2, width=8), 1, "ab", shares=(0.7, 0.3), exact=False
        ),
        Example(
            CountMeanSketch(2, categories=["a", "ü"], functions=3, width=4, symmetric=True, family=9),
            2,
            "aü",
            shares=(0.7, 0.3),
            exact=False,
        ),
    )
    REFUSED = (None, 0.5, b"a", "\ud800")


class TestHadamard(ProtocolContract):
    EXAMPLES = (
        Example(
            HadamardSketch(1, categories=["a", "b"], functions=4, width=16), 1, "ab", shares=(0.7, 0.3), exact=False
        ),
    )
    REFUSED = (None, 0.5, b"a", "\ud800")


@pytest.mark.parametrize(
    ("kind", "words"),
    [(CountMeanSketch, {"symmetric": True}), (CountMeanSketch, {}), (HadamardSketch, {})],
    ids=["Apple's bits", "optimised bits", "Hadamard"],
)
@pytest.mark.whole
def test_over_families_estimates_are_unbiased_and_intervals_hold(
    kind: type[Sketch], words: dict[str, Any], source: BitSource
) -> None:
    """4,000 devices, one value of a half, 1,500 families of 64 functions.

    The mean of 1,500 errors is within 5 standard errors, its variance within 15 % (five deviations are 18 %), and 93 to
    97 % of the intervals of the other values hold; without collisions in them fewer do.
    """
    names = [str(number) for number in range(20)]
    values = np.repeat(names, [2_000, *[2_000 // 19] * 18, 2_000 - 18 * (2_000 // 19)])
    truth = np.unique(values, return_counts=True)[1][np.argsort(np.argsort(names))] / len(values)
    errors, variances, held, plain = [], [], [], []
    for family in range(1_500):
        protocol: Any = kind(3, categories=names, functions=64, width=16, family=family, **words)  # type: ignore[call-arg]
        estimate = protocol.estimate(protocol.privatize(values, entropy=source))
        low, high = estimate.interval()
        errors.append(estimate.value - truth)
        variances.append(estimate.standard_error**2)
        held.append((low <= truth) & (truth <= high))
        object.__setattr__(estimate, "collisions", 0.0)
        estimate.__dict__.pop("_collided")
        low, high = estimate.interval(population=False)
        plain.append((low <= truth) & (truth <= high))
    spread = np.sqrt(np.mean(variances, axis=0) / 1_500)
    assert (np.abs(np.mean(errors, axis=0)) < 5 * spread).all()
    observed = np.mean(np.array(errors)[:, 1:] ** 2)
    assert observed == pytest.approx(np.mean(np.array(variances)[:, 1:]), rel=0.15)
    assert 0.93 <= np.mean(np.array(held)[:, 1:]) <= 0.98  # these very devices vary a little less than samples
    assert np.mean(np.array(plain)[:, 1:]) < 0.92, "the control"


@pytest.mark.parametrize("kind", [CountMeanSketch, HadamardSketch])
def test_a_table_and_single_hashes_agree(kind: type[Any]) -> None:
    protocol = kind(1, functions=100, width=64)
    texts = np.array(["a", "b", "ü", "a"], dtype=object)
    functions = np.array([0, 15, 16, 99])
    table = protocol.buckets_of(texts.tolist())[np.arange(4), functions]
    assert protocol._hashed(functions, texts).tolist() == table.tolist()
    assert len(set(protocol.buckets_of(["a"])[0].tolist())) > 20
    assert protocol.buckets_of(["a"]).tolist() != kind(1, functions=100, width=64, family=1).buckets_of(["a"]).tolist()


@pytest.mark.parametrize("kind", [CountMeanSketch, HadamardSketch])
def test_who_estimates_says_what_to_look_for(kind: type[Any], source: BitSource) -> None:
    protocol = kind(8, functions=256, width=256)
    tally = Tally.from_json(protocol.tally(protocol.privatize(["x"] * 800 + [7] * 200, entropy=source)).to_json())
    with pytest.raises(InvalidParameter, match="looking_for"):
        protocol.estimate(tally)
    estimate = protocol.looking_for(["x", "7", "y"]).estimate(tally)
    assert estimate.value == pytest.approx([0.8, 0.2, 0], abs=0.25)
    assert protocol.looking_for([1, 7]).estimate(tally).value[1] == pytest.approx(estimate.value[1])
    for column in ("abc", 3):
        with pytest.raises(InvalidParameter, match="a column of texts"):
            protocol.privatize(column)
    for width in (3, 1, 2**17):
        with pytest.raises(InvalidParameter):
            kind(1, width=width)
