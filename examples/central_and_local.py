"""Central or local: what trusting nobody costs.

10,000 people, each with a yes or a no, and ε = 1 for each. In the central model a trusted server counts and adds
Laplace noise, of deviation √2/ε whatever the number of people. In the local model everybody flips the own answer with
probability 1/(1 + e^ε) before telling it; the flips of so many people add up.
"""

import math

import numpy as np
from telling import folder_for_pictures, keep, show, tell

import privet
from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.explain import Chart
from privet.mechanisms import Laplace, RandomizedResponse

PERSON = Unit("person", neighbors="replace")
PEOPLE, EPSILON, REPEATS = 10_000, 1, 300


def truths(people: int = PEOPLE) -> np.ndarray:
    """Who says yes: about three in ten."""
    return np.random.default_rng(75).random(people) < 0.3


def central_deviation(epsilon: float = EPSILON) -> float:
    """Of a count with Laplace noise of scale 1/ε."""
    return math.sqrt(2) / epsilon


def local_deviation(people: int = PEOPLE, epsilon: float = EPSILON) -> float:
    """Of the estimate (reports - n p)/(1 - 2p), with p = 1/(1 + e^ε): √(n p (1 - p))/(1 - 2p)."""
    flip = 1 / (1 + math.exp(epsilon))
    return math.sqrt(people * flip * (1 - flip)) / (1 - 2 * flip)


def central(bits: np.ndarray, ledger: Ledger) -> float:
    """One private count by a trusted server."""
    noise = Laplace.calibrated(epsilon=EPSILON, sensitivity=Sensitivity(1))
    return float(privet.count(bits, mechanism=noise, ledger=ledger, purpose="how many say yes").value)


def local(bits: np.ndarray, ledger: Ledger) -> float:
    """Everybody's own report, and the count that is estimated from them."""
    response = RandomizedResponse.calibrated(epsilon=EPSILON)
    secret = Sensitive.later(lambda: bits, Sensitivity(1), PERSON)
    reports = np.asarray(ledger.release(secret, response, purpose="each person's report").value)
    flip = float(response.flip_zero)
    return float((reports.sum() - len(bits) * flip) / (1 - 2 * flip))


def errors(repeats: int = REPEATS) -> dict[str, np.ndarray]:
    """How far off each model is, over many runs of the same survey."""
    bits, ledger = truths(), Ledger(Guarantee(2 * repeats * EPSILON), unit=PERSON)
    exact = int(bits.sum())
    return {
        "central": np.array([central(bits, ledger) - exact for _ in range(repeats)]),
        "local": np.array([local(bits, ledger) - exact for _ in range(repeats)]),
    }


def main() -> None:
    folder = folder_for_pictures(__doc__)
    seen = errors()
    expected = {"central": central_deviation(), "local": local_deviation()}
    show(
        f"A count of {PEOPLE:,} people at ε = {EPSILON}",
        ("model", "standard deviation", f"measured, {REPEATS} runs", "share of the people", "who must be trusted"),
        [
            (model, f"{expected[model]:.4f}", f"{seen[model].std():.4f}", f"{expected[model] / PEOPLE:.4%}", trust)
            for model, trust in (("central", "the server"), ("local", "nobody"))
        ],
    )
    tell(f"The local count is {expected['local'] / expected['central']:.0f} times less accurate; that grows with √n.")
    sizes = np.unique(np.logspace(2, 7, 26).astype(int))
    curves = {
        "central": (sizes, np.full(len(sizes), central_deviation()) / sizes),
        "local": (sizes, [local_deviation(int(size)) / size for size in sizes]),
    }
    title = "Error of a private count at ε = 1"
    keep(
        Chart.lines(
            curves, x="people", y="standard deviation (share of the people)", title=title, log_x=True, log_y=True
        ),
        folder,
        "central-and-local",
    )


if __name__ == "__main__":
    main()
