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

import privet
from privet import Release, Sensitivity, Unit
from privet.explain import Chart
from privet.mechanisms import Laplace

PERSON = Unit("person", neighbors="replace")
WOMEN, LOW, HIGH = 1000, 54, 78  # inches; who is shorter or taller counts as that
EPSILON = 1
NOISE = Laplace.calibrated(epsilon=EPSILON, sensitivity=Sensitivity(Fraction(HIGH - LOW, WOMEN)))


def heights() -> np.ndarray:
    """Invented women; the last one's place is the one that Terry takes."""
    return np.clip(np.rint(np.random.default_rng(176).normal(66, 2.5, WOMEN)), LOW, HIGH).astype(np.int64)


def with_terry() -> np.ndarray:
    """The same women, one of them replaced by Terry."""
    people = heights()
    people[-1] = int(people.mean()) - 2
    return people


def private_mean(people: np.ndarray) -> Release[Any]:
    """The study's answer; the number of women is public."""
    return privet.mean(people, bounds=(LOW, HIGH), mechanism=NOISE, unit=PERSON, purpose="mean height")


def density(mean: float, at: np.ndarray) -> np.ndarray:
    """Of the study's answer, when the exact mean is this."""
    scale = float(NOISE.scale)
    return np.asarray(np.exp(-np.abs(at - mean) / scale) / (2 * scale))


def compared() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The density of the study's answer with Terry and without, answer by answer."""
    means = float(with_terry().mean()), float(heights().mean())
    at = np.linspace(means[1] - 0.15, means[1] + 0.15, 601)
    return at, density(means[0], at), density(means[1], at)


def advantage() -> float:
    """What the best test of whether Terry took part gains over guessing: 1 - e^(-move / (2 scale))."""
    move = abs(float(with_terry().mean() - heights().mean()))
    return -math.expm1(-move / (2 * float(NOISE.scale)))


def main() -> None:
    folder = folder_for_pictures(__doc__)
    lines = []
    for name, people in (("Terry is not in the study", heights()), ("Terry is in the study", with_terry())):
        release = private_mean(people)
        mean, margin = float(release.value), rounded_up(release.margin())
        lines.append((name, f"{mean:.2f} ± {margin}", f"{mean - 2:.2f} ± {margin}"))
    show(
        f"The average of {WOMEN:,} women at ε = {EPSILON}, and what follows for Terry",
        ("", "average (inches)", "Terry's height, by the side knowledge"),
        lines,
    )
    at, one, other = compared()
    ratio = float(np.max(np.maximum(one / other, other / one)))
    tell(
        f"Any answer of the study is at most {ratio:.4f} times likelier with her than without (e^ε = "
        f"{math.exp(EPSILON):.4f});\na test of whether she took part gains {advantage():.4f} over guessing at best. "
        "Her height is out either way:\nwhat harmed her is the average and the side knowledge, not her data."
    )
    curves = {"Terry is in": (at, one), "Terry is not in": (at, other)}
    title = "The study's answer, with Terry and without"
    keep(Chart.lines(curves, x="average height (inches)", y="density of the answer", title=title), folder, "height")


if __name__ == "__main__":
    main()
