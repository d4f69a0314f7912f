"""Laplace noise in pictures: its density and distribution, and why two neighbors look alike.

If one person moves an answer from 10 to 20 and the noise has scale 10/ε, each answer z is at most e^ε times likelier
under one than under the other, and exactly that beyond both; halfway, at 15, both are equally likely.
"""

import math

import numpy as np
from telling import folder_for_pictures, keep, show, tell

from privet import Sensitivity
from privet.explain import Chart
from privet.mechanisms import Laplace

LOW, HIGH = 10, 20
AXIS = np.linspace(-10, 40, 501)


def density(z: np.ndarray, middle: float, scale: float) -> np.ndarray:
    """With the minus sign in the exponent, which the slide lacks."""
    return np.exp(-np.abs(z - middle) / scale) / (2 * scale)


def distribution(z: np.ndarray, middle: float, scale: float) -> np.ndarray:
    """The probability of an answer up to z."""
    beyond = np.exp(-np.abs(z - middle) / scale) / 2
    return np.where(z < middle, beyond, 1 - beyond)


def scale_for(epsilon: float) -> float:
    """The noise that makes 10 and 20 neighbors at ε."""
    return float(Laplace.calibrated(epsilon=epsilon, sensitivity=Sensitivity(HIGH - LOW)).scale)


def ratio(z: np.ndarray, epsilon: float) -> np.ndarray:
    """How much likelier z is if the exact answer is 10."""
    scale = scale_for(epsilon)
    return np.asarray(density(z, LOW, scale) / density(z, HIGH, scale))


def neighbors_picture(epsilon: float = 1.0) -> Chart:
    """Two shifted densities, and their ratio."""
    scale = scale_for(epsilon)
    both = {f"exact answer {middle}": (AXIS, density(AXIS, middle, scale)) for middle in (LOW, HIGH)}
    limits = {"e^ε": (AXIS[[0, -1]], [math.exp(epsilon)] * 2), "e^-ε": (AXIS[[0, -1]], [math.exp(-epsilon)] * 2)}
    return Chart.panels(
        [
            Chart.lines(both, x="private answer z", y="density", title=f"Two neighbors, noise of scale {scale:g}"),
            Chart.lines(
                {"ratio": (AXIS, ratio(AXIS, epsilon)), **limits},
                x="private answer z",
                y="ratio of densities",
                title=f"Their ratio stays within e^±ε, ε = {epsilon:g}",
            ),
        ]
    )


def family_picture() -> Chart:
    """Density and distribution for several centers and scales."""
    z = np.linspace(-8, 8, 321)
    laws = {
        "at 0, scale 1": (0, 1),
        "at 0, scale 2": (0, 2),
        "at 0, scale 4": (0, 4),
        "at 3, scale 2": (3, 2),
    }
    densities = {name: (z, density(z, *law)) for name, law in laws.items()}
    distributions = {name: (z, distribution(z, *law)) for name, law in laws.items()}
    return Chart.panels(
        [
            Chart.lines(densities, x="z", y="density", title="Density"),
            Chart.lines(distributions, x="z", y="probability of at most z", title="Distribution"),
        ]
    )


def main() -> None:
    folder = folder_for_pictures(__doc__)
    at = np.array([-5.0, 10.0, 12.5, 15.0, 17.5, 20.0, 35.0])
    show(
        "How much likelier an answer z is at 10 than at 20, ε = 1",
        ("z", "ratio", "e^(ε (15 - z)/5), kept within e^±ε"),
        [
            (f"{z:g}", f"{found:.6f}", f"{math.exp(min(max((15 - z) / 5, -1), 1)):.6f}")
            for z, found in zip(at, ratio(at, 1), strict=True)
        ],
    )
    tell(f"Half of the noise is below its center: the distribution at 0 is {distribution(np.zeros(1), 0, 2)[0]:.1f}.")
    keep(neighbors_picture(), folder, "laplace-neighbors")
    keep(family_picture(), folder, "laplace-family")


if __name__ == "__main__":
    main()
