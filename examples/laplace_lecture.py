"""Six lecture examples of Laplace noise: who can move the answer how far, and what noise that asks for.

A count of the ill, a total and a mean of salaries, a histogram of ages, a salary reported by its owner, and the
inverse: what is the ε of noise that is already there?
"""

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from telling import rounded_up, show, tell

from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.mechanisms import Laplace

ADDED = Unit("person")
REPLACED = Unit("person", neighbors="replace")
LOW, HIGH, PEOPLE = 20_000, 200_000, 100
QUESTIONS = (  # what is asked, who is protected, and how far one person can move the answer
    ("1 how many have the virus", ADDED, Sensitivity(1)),
    ("1 how many have the virus", REPLACED, Sensitivity(1)),
    ("2 total of salaries, 20k to 200k", ADDED, Sensitivity(HIGH)),
    ("2 total of salaries, 20k to 200k", REPLACED, Sensitivity(HIGH - LOW)),
    ("3 mean salary of 100 people", REPLACED, Sensitivity(Fraction(HIGH - LOW, PEOPLE))),
    ("4 ages in 11 bins", ADDED, Sensitivity(1)),
    ("4 ages in 11 bins", REPLACED, Sensitivity(1, cells=2)),
    ("5 one salary, told by its owner", REPLACED, Sensitivity(HIGH - LOW)),
)


def answers(epsilon: int = 1) -> list[tuple[str, str, str]]:
    """One release for each question about 100 invented people, with the exact answer beside it."""
    random = np.random.default_rng(459)
    ill = random.random(PEOPLE) < 0.2
    salaries = np.clip(np.rint(random.lognormal(10.9, 0.5, PEOPLE)), LOW, HIGH).astype(np.int64)
    ages = np.clip(random.normal(45, 18, PEOPLE), 0, 109).astype(np.int64)
    exact: dict[str, Any] = {
        "1": int(ill.sum()),
        "2": int(salaries.sum()),
        "3": float(salaries.mean()),
        "4": np.bincount(ages // 10, minlength=11),
        "5": int(salaries[0]),
    }
    told = []
    for question, unit, moved in QUESTIONS:
        ledger = Ledger(Guarantee(epsilon), unit=unit)
        mechanism = Laplace.calibrated(epsilon=epsilon, sensitivity=moved)
        release = ledger.release(
            Sensitive.later(partial(exact.__getitem__, question[0]), moved, unit), mechanism, purpose=question
        )
        values = np.atleast_1d(np.asarray(release.value))
        shown = f"{values[0]:,.0f}{' …' if values.size > 1 else ''} ± {rounded_up(release.margin())}"
        told.append((question, shown, f"{np.atleast_1d(exact[question[0]])[0]:,.0f}"))
    return told


def main() -> None:
    released = answers()
    show(
        "Laplace noise at ε = 1",
        ("question", "neighbors", "one person moves it by", "noise scale", "private ± (95%)", "exact"),
        [
            (
                question,
                unit.neighbors.name.lower(),
                f"{float(moved.l1):,.0f}",
                f"{float(Laplace.calibrated(epsilon=1, sensitivity=moved).scale):,.0f}",
                private,
                exact,
            )
            for (question, unit, moved), (_, private, exact) in zip(QUESTIONS, released, strict=True)
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
