"""Every way the coins can fall, with its exact probability: the mass of each number brackets what the law says."""

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from privet.errors import InvalidParameter
from privet.noise import BernoulliLaw, BitSource, PoissonLaw, TruncatedNegativeBinomialLaw
from privet.noise.run_counts import CountLaw
from tests.support.statistics import assert_does_not_follow, assert_follows

LAWS: list[CountLaw] = [
    TruncatedNegativeBinomialLaw(Fraction(1, 2), shape=1),
    TruncatedNegativeBinomialLaw(Fraction(3, 5), shape=0),
    TruncatedNegativeBinomialLaw(Fraction(2, 3), shape=Fraction(-1, 2)),
    TruncatedNegativeBinomialLaw(Fraction(1), shape=Fraction(1, 3)),
    PoissonLaw(Fraction(1, 3)),
    PoissonLaw(Fraction(4, 5)),
]
DEEPEST = 12


def weights(law: CountLaw, most: int) -> dict[int, float]:
    """The law from its definition."""
    if isinstance(law, PoissonLaw):
        return {k: float(law.mean) ** k * math.exp(-law.mean) / math.factorial(k) for k in range(most)}
    assert isinstance(law, TruncatedNegativeBinomialLaw)
    found = {1: 1.0}
    for k in range(1, 2000):
        found[k + 1] = found[k] * float(1 - law.stop) * float(k + law.shape) / (k + 1)
    whole = sum(found.values())
    return {k: weight / whole for k, weight in found.items() if k < most}


class Script:
    """Coins that fall as written; the probability of what fell, and whether more were wanted than are written."""

    def __init__(self, falls: tuple[bool, ...]) -> None:
        self.falls = list(falls)
        self.chance = Fraction(1)

    def toss(self, law: BernoulliLaw, source: BitSource) -> bool:
        del source
        if not self.falls:
            raise IndexError
        fell = self.falls.pop(0)
        self.chance *= law.probability if fell else 1 - law.probability
        return fell


def passes(law: CountLaw, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int | None, Fraction]]:
    """What comes of every series of coins, None where it is too short, with its probability."""
    open_ones: list[tuple[bool, ...]] = [()]
    while open_ones:
        falls = open_ones.pop()
        script = Script(falls)
        monkeypatch.setattr(BernoulliLaw, "one", lambda self, source, script=script: script.toss(self, source))
        nothing: Any = None
        try:
            found = law.one(nothing)
        except IndexError:
            if script.chance and len(falls) < DEEPEST:
                open_ones += [(*falls, True), (*falls, False)]
            else:
                yield None, script.chance
        else:
            yield found, script.chance


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_every_way_the_coins_fall(law: CountLaw, monkeypatch: pytest.MonkeyPatch) -> None:
    mass: Counter[int | None] = Counter()
    for found, chance in passes(law, monkeypatch):
        mass[found] += chance  # type: ignore[assignment] # fractions count, too
    left = mass.pop(None, 0)
    assert sum(mass.values()) + left == 1
    assert left < Fraction(1, 4)
    for k, weight in weights(law, 12).items():
        assert mass[k] <= weight + 1e-12, f"too much mass on {k}"
        assert mass[k] + left >= weight - 1e-12, f"too little on {k}"


N = 20_000


@pytest.mark.soak
@pytest.mark.parametrize(
    ("law", "wrong"),
    [
        (
            TruncatedNegativeBinomialLaw(Fraction(1, 20), shape=1),
            TruncatedNegativeBinomialLaw(Fraction(13, 200), shape=1),
        ),
        (TruncatedNegativeBinomialLaw(Fraction(1, 50), shape=0), TruncatedNegativeBinomialLaw(Fraction(1, 5), shape=0)),
        (PoissonLaw(9), PoissonLaw(10)),
    ],
    ids=["geometric", "logarithmic", "poisson"],
)
def test_many_follow_the_law(law: CountLaw, wrong: CountLaw, source: BitSource) -> None:
    draws = law.many(source, N)
    assert_follows(draws, weights(law, 2000 if not isinstance(law, PoissonLaw) else 60))
    assert_does_not_follow(draws, weights(wrong, 2000 if not isinstance(law, PoissonLaw) else 60))


def test_refuses_what_is_no_law() -> None:
    for stop, shape in ((0, 1), (2, 1), (Fraction(1, 2), -1), (Fraction(1, 2), 2), (Fraction(1, 10**13), 0)):
        with pytest.raises(InvalidParameter):
            TruncatedNegativeBinomialLaw(stop, shape=shape)
    for mean in (0, -1, 10**7):
        with pytest.raises(InvalidParameter):
            PoissonLaw(mean)
    assert [repr(law) for law in LAWS[-2:]] == ["PoissonLaw(1/3)", "PoissonLaw(4/5)"]
