"""Three things that ε bounds: telling who is in the data, many answers together, and what side knowledge adds.

1. Membership: a test that says "she is in the data" and is wrong in a share p of the cases where she is not, misses
   her in at least a share of the cases where she is. Its advantage is at most tanh(ε/2).
2. Composition: losses of several answers add up, and nothing done to the answers afterwards adds anything.
3. Side information: whatever one knew before, the odds move by a factor of at most e^ε.
"""

import math

import numpy as np
from telling import folder_for_pictures, keep, show

from privet.explain import Chart
from privet.loss import ApproximateCurve, PrivacyLoss
from privet.mechanisms import Laplace

EPSILONS = ("0.1", "0.5", "1", "2")
LOSSES = {epsilon: PrivacyLoss.of(ApproximateCurve(epsilon)) for epsilon in EPSILONS}


def membership() -> Chart:
    """The errors of the best test for membership."""
    rates = np.linspace(0, 1, 101)
    return Chart.lines(
        {f"ε = {epsilon}": (rates, [loss.tradeoff(rate) for rate in rates]) for epsilon, loss in LOSSES.items()},
        x="wrong alarms (share of those absent)",
        y="missed (share of those present)",
        title="1 Membership: no test is below its line",
    )


def composition() -> Chart:
    """What k answers with Laplace noise of scale 10 reveal together."""
    one, times = Laplace(l1_sensitivity=1, scale=10).loss, np.arange(1, 101)
    return Chart.lines(
        {
            "δ = 0": (times, [(one * int(k)).epsilon(0) for k in times]),
            "δ = 1e-6": (times, [(one * int(k)).epsilon(1e-6) for k in times]),
        },
        x="answers, each with ε = 0.1",
        y="ε of all together",
        title="2 Composition: losses add up",
    )


def side_information() -> Chart:
    """What someone may believe afterwards, by what they believed before."""
    prior = np.linspace(0, 1, 101)
    return Chart.lines(
        {f"ε = {epsilon}": (prior, [loss.posterior(float(p))[1] for p in prior]) for epsilon, loss in LOSSES.items()},
        x="belief before",
        y="largest belief after",
        title="3 Side information: odds move by e^ε",
    )


def main() -> None:
    folder = folder_for_pictures(__doc__)
    show(
        "What ε bounds",
        ("ε", "best advantage", "tanh(ε/2)", "ten answers", "belief 10% becomes", "50%", "90%", "odds times"),
        [
            (
                epsilon,
                f"{loss.advantage():.6f}",
                f"{math.tanh(float(epsilon) / 2):.6f}",
                f"ε = {(loss * 10).epsilon(0):g}",
                *(f"{loss.posterior(prior)[1]:.1%}" for prior in (0.1, 0.5, 0.9)),
                f"{math.exp(float(epsilon)):.4f}",
            )
            for epsilon, loss in LOSSES.items()
        ],
    )
    keep(Chart.panels([membership(), composition(), side_information()], columns=3), folder, "what-epsilon-means")


if __name__ == "__main__":
    main()
