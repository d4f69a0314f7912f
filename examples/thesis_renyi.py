"""Ferrari's thesis, figure 3.1: Rényi divergence of three mechanisms against its order.

The figure is lost; its parameters are ours: randomized response that tells the truth with probability .52, .6 and .75,
Laplace and Gaussian noise of scale 2, 3 and 5 for an answer that moves by 1.
"""

import numpy as np
from telling import folder_for_pictures, keep, show, tell

from privet.core import Mechanism
from privet.explain import Chart
from privet.mechanisms import Gaussian, Laplace, RandomizedResponse

ORDERS = np.linspace(1.01, 50, 99)
FAMILIES: dict[str, dict[str, Mechanism]] = {  # type: ignore[type-arg] # each has its own input
    "randomized response": {f"truth {t}": RandomizedResponse.symmetric(truth=t) for t in ("0.52", "0.6", "0.75")},
    "Laplace": {f"scale {b}": Laplace(l1_sensitivity=1, scale=b) for b in (2, 3, 5)},
    "Gaussian": {f"scale {b}": Gaussian(l2_sensitivity=1, scale=b) for b in (2, 3, 5)},
}


def figure() -> Chart:
    """Figure 3.1: three panels."""
    parts = [
        Chart.lines(
            {name: (ORDERS, [each.loss.renyi(order) for order in ORDERS]) for name, each in members.items()},
            x="order α",
            y="Rényi divergence (nats)",
            title=family,
        )
        for family, members in FAMILIES.items()
    ]
    return Chart.panels(parts, columns=3, title="Figure 3.1: what each mechanism reveals, by order")


def main() -> None:
    folder = folder_for_pictures(__doc__)
    show(
        "Figure 3.1 in numbers",
        ("mechanism", "", "order 2", "order 16", "every order (ε)"),
        [
            (family, name, *(f"{each.loss.renyi(order):.6f}" for order in (2, 16)), f"{each.loss.epsilon(0):.6f}")
            for family, members in FAMILIES.items()
            for name, each in members.items()
        ],
    )
    tell(
        'The thesis says that the divergence is "always less than 1". It is not: a Gaussian\'s grows without bound,\n'
        f"as α/(2σ²). At σ = 5 it passes 1 at α = 50 (at 51: {FAMILIES['Gaussian']['scale 5'].loss.renyi(51):.2f}), "
        f"at σ = 2 already at α = 8."
    )
    keep(figure(), folder, "figure-3.1")


if __name__ == "__main__":
    main()
