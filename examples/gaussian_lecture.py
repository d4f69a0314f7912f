"""Two lecture examples of Gaussian noise: a total of salaries, and a histogram of ages, at δ = 1/n².

The lecture's σ is the textbook's; Privet takes the least σ that keeps (ε, δ), which is a fifth smaller here.
"""

from fractions import Fraction

from telling import show, tell

from privet import Sensitivity
from privet.mechanisms import Gaussian

PEOPLE = 1000
DELTA = Fraction(1, PEOPLE**2)
QUESTIONS = {  # one person is replaced by another
    "total of salaries, 10k to 200k": Sensitivity(200_000 - 10_000),
    "ages in bins (two bins move by 1)": Sensitivity(1, cells=2),
}


def main() -> None:
    lines = []
    for question, moved in QUESTIONS.items():
        book = Gaussian.classical(epsilon=1, delta=DELTA, sensitivity=moved)
        least = Gaussian.calibrated(epsilon=1, delta=DELTA, sensitivity=moved)
        lines.append(
            (
                question,
                f"{float(moved.l2):,.6g}",
                f"{float(book.scale) ** 2:.6e}",
                f"{float(book.scale):,.7g}",
                f"{float(least.scale):,.7g}",
                f"{book.loss.epsilon(DELTA):.4f}",
                f"{least.loss.epsilon(DELTA):.4f}",
            )
        )
    show(
        f"Gaussian noise at ε = 1, δ = 1/n² with n = {PEOPLE:,}",
        ("question", "L2 move", "textbook σ²", "textbook σ", "least σ", "ε of textbook", "ε of least"),
        lines,
    )
    fixed = Gaussian(l2_sensitivity=1, scale=1)
    show(
        "Fixed noise, σ = 1: every δ has its ε",
        ("δ", "ε"),
        [(f"{delta:g}", f"{fixed.loss.epsilon(delta):.6f}") for delta in (0.1, 0.01, 1e-4, 1e-6)],
        note="The lecture calls them inversely proportional; ε grows like the root of ln(1/δ), far slower.",
    )
    tell(f"At σ = 1 and ε = 1, δ is {fixed.loss.delta(1):.6f}: a promise of (1, 0.1) would be false.")


if __name__ == "__main__":
    main()
