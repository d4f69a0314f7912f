"""Dinur and Nissim's attack: answers that are too many and too accurate give everybody away.

Each of 128 people has a secret bit. A server answers 512 questions "how many of these people have bit 1?", for random
sets of people, with Laplace noise. The attacker solves for the bits by least squares and rounds; a second attacker uses
linear programming (the least total of |errors|), which is the likeliest explanation under Laplace noise.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog
from telling import folder_for_pictures, keep, show, tell

from privet import BudgetExceeded, Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.explain import Chart
from privet.mechanisms import Laplace

PERSON = Unit("person", neighbors="replace")  # replaced by someone with the other bit: each count moves by at most 1
PEOPLE, QUESTIONS = 128, 512
SCALES = (1, 3, 12, 512)
REPEATS = 40


@dataclass(frozen=True)
class Outcome:
    """What an attack recovered from noise of one scale, over many secrets."""

    scale: int
    least_squares: float
    linear_program: float

    @property
    def epsilon(self) -> Fraction:
        """Of all the answers together."""
        return Fraction(QUESTIONS, self.scale)


def questions() -> np.ndarray:
    """The sets of people asked about, one in each row: public."""
    return np.random.default_rng(171).integers(0, 2, (QUESTIONS, PEOPLE))


def answers(sets: np.ndarray, bits: np.ndarray, scale: int) -> np.ndarray:
    """The counts with Laplace noise of this scale, paid for in one go."""
    moved = Sensitivity(1, cells=len(sets))
    ledger = Ledger(Guarantee(Fraction(len(sets), scale)), unit=PERSON)
    mechanism = Laplace(l1_sensitivity=len(sets), scale=scale)
    release = ledger.release(Sensitive.later(lambda: sets @ bits, moved, PERSON), mechanism, purpose="subset counts")
    return np.array(release.value)


def by_least_squares(sets: np.ndarray, noisy: np.ndarray) -> np.ndarray:
    """The bits that explain the answers best, in squares, rounded; several secrets at once are columns."""
    found, *_ = np.linalg.lstsq(sets.astype(float), noisy, rcond=None)
    return np.asarray(found > 0.5)


def by_linear_program(sets: np.ndarray, noisy: np.ndarray) -> np.ndarray:
    """The bits between 0 and 1 with the least total of |errors|, rounded."""
    one = np.eye(len(sets))
    above, below = np.hstack([sets, -one]), np.hstack([-sets, -one])
    cost = np.concatenate([np.zeros(sets.shape[1]), np.ones(len(sets))])
    limits = [(0, 1)] * sets.shape[1] + [(0, None)] * len(sets)
    solved = linprog(cost, np.vstack([above, below]), np.concatenate([noisy, -noisy]), bounds=limits, method="highs")
    if solved.x is None:
        raise RuntimeError(solved.message)
    return np.array(solved.x[: sets.shape[1]] > 0.5)


def attack(scale: int, *, repeats: int = REPEATS, programs: int = 1) -> Outcome:
    """The share of bits recovered, over many invented secrets."""
    sets, secrets = questions(), np.random.default_rng(scale).integers(0, 2, (repeats, PEOPLE))
    seen = np.array([answers(sets, bits, scale) for bits in secrets])
    right = secrets == by_least_squares(sets, seen.T).T
    likely = [by_linear_program(sets, seen[i]) == secrets[i] for i in range(programs)]
    return Outcome(scale, float(right.mean()), float(np.mean(likely)) if programs else math.nan)


def refused() -> tuple[int, str]:
    """How many of the questions a ledger with limit ε = 1 answers at scale 3, and what it says then."""
    sets, bits = questions(), np.random.default_rng(1).integers(0, 2, PEOPLE)
    ledger, mechanism = Ledger(Guarantee(1), unit=PERSON), Laplace(l1_sensitivity=1, scale=3)
    for number, members in enumerate(sets):
        secret = Sensitive.later(lambda members=members: int(members @ bits), Sensitivity(1), PERSON)  # type: ignore[misc]
        try:
            ledger.release(secret, mechanism, purpose=f"question {number + 1}")
        except BudgetExceeded as problem:
            return number, str(problem)
    return len(sets), ""


def main() -> None:
    folder = folder_for_pictures(__doc__)
    outcomes = [attack(scale) for scale in SCALES]
    show(
        f"{PEOPLE} secret bits, {QUESTIONS} noisy counts",
        ("noise scale", "ε of each answer", "ε of all", "recovered: least squares", "recovered: linear program"),
        [
            (
                each.scale,
                f"{1 / each.scale:.4g}",
                f"{float(each.epsilon):.4g}",
                f"{each.least_squares:.2%}",
                f"{each.linear_program:.2%}",
            )
            for each in outcomes
        ],
        note="Guessing recovers 50%. Only at a small ε of all answers together is the attacker reduced to that.",
    )
    number, problem = refused()
    tell(f"A ledger with limit ε = 1 answers {number} questions with noise of scale 3, and then refuses:\n  {problem}")
    shares = {str(each.scale): each.least_squares for each in outcomes}
    programs = {str(each.scale): each.linear_program for each in outcomes}
    bars = {"least squares": shares, "linear program": programs}
    title = "Bits recovered from 512 counts of 128 people (guessing: 0.5)"
    keep(
        Chart.bars(bars, x="scale of the Laplace noise (people)", y="share of bits recovered", title=title),
        folder,
        "reconstruction",
    )


if __name__ == "__main__":
    main()
