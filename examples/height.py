"""Dwork's example: a study can tell something about a person who is not in it, and privacy cannot prevent that.

Someone knows: "Terry is two inches shorter than the average Lithuanian woman". A study of that average then tells
Terry's height. But it does so whether or not Terry took part: her joining changes nothing. That is what differential
privacy promises, no less and no more: not that nothing is learned, but that nothing is learned because she joined.
(The thesis tells the story without the name that the source has.)
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from telling import folder_for_pictures, keep, rounded_up, show, tell

from privet import Guarantee, Ledger, Release, Sensitive, Sensitivity, Unit
from privet.explain import Chart
from privet.mechanisms import DiscreteLaplace

PERSON = Unit("person", neighbors="replace")
WOMEN, LOW, HIGH = 1000, 54, 78  # inches; who is shorter or taller counts as that
EPSILON = 1


def heights() -> np.ndarray:
    """Invented women; the last one's place is the one that Terry takes."""
    return np.clip(np.rint(np.random.default_rng(176).normal(66, 2.5, WOMEN)), LOW, HIGH).astype(np.int64)


def total_height(people: np.ndarray) -> Release[Any]:
    """The private total; their number is public."""
    moved = Sensitivity(HIGH - LOW)
    mechanism = DiscreteLaplace.calibrated(epsilon=EPSILON, sensitivity=moved)
    ledger = Ledger(Guarantee(EPSILON), unit=PERSON)
    secret = Sensitive.later(lambda: int(np.clip(people, LOW, HIGH).sum()), moved, PERSON)
    return ledger.release(secret, mechanism, purpose="total height")


def law(total: int, at: np.ndarray) -> np.ndarray:
    """The probability of each answer: q^|answer - total| (1 - q)/(1 + q), with q = e^(-ε/24)."""
    q = math.exp(-float(Fraction(EPSILON, HIGH - LOW)))
    return np.asarray((1 - q) / (1 + q) * q ** np.abs(at - total))


def compared() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The law of the study's answer with Terry and without, answer by answer."""
    without = heights()
    with_terry = without.copy()
    with_terry[-1] = int(without.mean()) - 2
    totals = int(with_terry.sum()), int(without.sum())
    at = np.arange(min(totals) - 600, max(totals) + 601)
    return at, law(totals[0], at), law(totals[1], at)


def main() -> None:
    folder = folder_for_pictures(__doc__)
    without = heights()
    with_terry = without.copy()
    with_terry[-1] = int(without.mean()) - 2
    lines = []
    for name, people in (("Terry is not in the study", without), ("Terry is in the study", with_terry)):
        release = total_height(people)
        mean = release.value / WOMEN
        lines.append(
            (
                name,
                f"{mean:.2f} ± {rounded_up(release.margin() / WOMEN)}",
                f"{mean - 2:.2f} ± {rounded_up(release.margin() / WOMEN)}",
            )
        )
    show(
        f"The average of {WOMEN:,} women at ε = {EPSILON}, and what follows for Terry",
        ("", "average (inches)", "Terry's height, by the side knowledge"),
        lines,
    )
    at, one, other = compared()
    ratio, distance = float(np.max(np.maximum(one / other, other / one))), float(np.abs(one - other).sum() / 2)
    tell(
        f"Any answer of the study is at most {ratio:.4f} times likelier with her than without (e^ε = "
        f"{math.exp(EPSILON):.4f});\na test of whether she took part gains {distance:.4f} over guessing at best. Her "
        "height is out either way:\nwhat harmed her is the average and the side knowledge, not her data."
    )
    near = slice(450, -450)  # where the answers are
    curves = {"Terry is in": (at[near] / WOMEN, one[near]), "Terry is not in": (at[near] / WOMEN, other[near])}
    title = "The study's answer, with Terry and without"
    keep(
        Chart.lines(curves, x="average height (inches)", y="probability of each answer", title=title), folder, "height"
    )


if __name__ == "__main__":
    main()
