"""Six lecture examples of Laplace noise: who can move the answer how far, and what noise that asks for.

A count of the ill, a total and a mean of salaries, a histogram of ages, a salary reported by its owner, and the
inverse: what is the ε of noise that is already there?
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from telling import rounded_up, show, tell

import privet
from privet import Release, Sensitivity, Unit
from privet.mechanisms import Laplace

LOW, HIGH, PEOPLE = 20_000, 200_000, 100
BOUNDS = (LOW, HIGH)
RANDOM = np.random.default_rng(459)
ILL = RANDOM.random(PEOPLE) < 0.2
SALARIES = np.clip(np.rint(RANDOM.lognormal(10.9, 0.5, PEOPLE)), LOW, HIGH).astype(np.int64)
AGES = np.clip(RANDOM.normal(45, 18, PEOPLE), 0, 109).astype(np.int64)


@dataclass(frozen=True)
class Question:
    """What is asked, how far one person moves the answer, the call that answers, and the exact answer."""

    words: str
    neighbors: str
    moved: Sensitivity
    ask: Callable[..., Release[Any]]
    exact: float

    def noise(self, epsilon: int = 1) -> Laplace:
        """Laplace noise for it."""
        return Laplace.calibrated(epsilon=epsilon, sensitivity=self.moved)

    def answer(self) -> Release[Any]:
        """One private answer."""
        return self.ask(mechanism=self.noise(), unit=Unit("person", neighbors=self.neighbors), purpose=self.words)


COUNT, TOTAL = partial(privet.count, ILL), partial(privet.total, SALARIES, bounds=BOUNDS)
MEAN, ONE = partial(privet.mean, SALARIES, bounds=BOUNDS), partial(privet.total, SALARIES[:1], bounds=BOUNDS)
BINS = partial(privet.histogram, AGES, edges=range(0, 111, 10))
QUESTIONS = (
    Question("1 how many have the virus", "add_remove", Sensitivity(1), COUNT, ILL.sum()),
    Question("1 how many have the virus", "replace", Sensitivity(1), COUNT, ILL.sum()),
    Question("2 total of salaries, 20k to 200k", "add_remove", Sensitivity(HIGH), TOTAL, SALARIES.sum()),
    Question("2 total of salaries, 20k to 200k", "replace", Sensitivity(HIGH - LOW), TOTAL, SALARIES.sum()),
    Question("3 mean of 100 salaries", "replace", Sensitivity(Fraction(HIGH - LOW, PEOPLE)), MEAN, SALARIES.mean()),
    Question("4 ages in 11 bins", "add_remove", Sensitivity(1), BINS, int((AGES < 10).sum())),
    Question("4 ages in 11 bins", "replace", Sensitivity(1, cells=2), BINS, int((AGES < 10).sum())),
    Question("5 one salary, told by its owner", "replace", Sensitivity(HIGH - LOW), ONE, SALARIES[0]),
)


def shown(release: Release[Any]) -> str:
    """A private answer, the first of several, with its margin."""
    values = np.atleast_1d(np.asarray(release.value))
    return f"{round(float(values[0])):,}{' …' if values.size > 1 else ''} ± {rounded_up(release.margin())}"


def main() -> None:
    show(
        "Laplace noise at ε = 1",
        ("question", "neighbors", "one moves it by", "noise scale", "private ± (95%)", "exact"),
        [
            (
                each.words,
                each.neighbors,
                f"{float(each.moved.l1):,.0f}",
                f"{float(each.noise().scale):,.0f}",
                shown(each.answer()),
                f"{each.exact:,.0f}",
            )
            for each in QUESTIONS
        ],
        note="Exact answers are shown only because these people are invented. Each bin gets fresh noise.",
    )
    given = Laplace(l1_sensitivity=100 - 18, scale=3)
    sure = given.loss.posterior(0.5)[1]
    tell(
        "6 The inverse: an age between 18 and 100, told with noise of scale 3, has ε = 82/3 = "
        f"{given.loss.epsilon(0):.6f}:\nwho was 50% sure of something may become {sure:.10%} sure. That is no privacy."
    )


if __name__ == "__main__":
    main()
