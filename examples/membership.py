"""Homer's attack: is she in the study? Allele frequencies of thousands of sites betray a member.

A study publishes how often each of 1,000 variants occurs among its 60 members. Whoever has a person's genome compares
it, site by site, with the study and with the public at large: members are nearer to the study, by a little at each
site and by a lot over all. With private counts no attack, this one or any other, has an advantage above tanh(ε/2).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from telling import folder_for_pictures, keep, show, tell

from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.explain import Chart
from privet.mechanisms import DiscreteLaplace

PERSON = Unit("person", neighbors="replace")
MEMBERS, SITES = 60, 1000
MOVED = Sensitivity(2, cells=SITES)  # a member has up to two copies of each variant
TRIALS = 300  # studies; half of them to choose the attack's threshold, half to measure it
EPSILONS = (1, 10, 100, 1000)


@dataclass(frozen=True)
class Attack:
    """How well the attack told members from others: alarms where she is in, and where she is not."""

    epsilon: int | None
    hits: float
    alarms: float
    informed: float  # the advantage of an attacker who knows everybody else's genome

    @property
    def advantage(self) -> float:
        """What a guess gains over tossing a coin."""
        return self.hits - self.alarms

    @property
    def bound(self) -> float:
        """The most that any attack may gain."""
        return 1.0 if self.epsilon is None else math.tanh(self.epsilon / 2)


def published(counts: np.ndarray, epsilon: int | None) -> np.ndarray:
    """The counts, exact or private: one member moves each of them by at most 2."""
    if epsilon is None:
        return counts
    ledger = Ledger(Guarantee(epsilon), unit=PERSON)
    mechanism = DiscreteLaplace.calibrated(epsilon=epsilon, sensitivity=MOVED)
    return np.asarray(
        ledger.release(Sensitive.later(lambda: counts, MOVED, PERSON), mechanism, purpose="allele counts").value
    )


def nearness(person: np.ndarray, study: np.ndarray, public: np.ndarray) -> float:
    """How much nearer a genome is to the study's frequencies than to the public's, added over all sites."""
    own = person / 2
    return float(np.sum(np.abs(own - public) - np.abs(own - np.clip(study / (2 * MEMBERS), 0, 1))))


def likelihood(study: np.ndarray, present: np.ndarray, absent: np.ndarray) -> float:
    """What an attacker goes by who knows everybody else's genome: which counts explain the answer better."""
    return float(np.sum(np.abs(study - absent) - np.abs(study - present)))


def attack(epsilon: int | None, *, trials: int = TRIALS, seed: int = 174) -> Attack:
    """Try it on many invented studies, each with and without one person, and measure hits and false alarms."""
    random = np.random.default_rng(seed)
    near, likely = np.empty((trials, 2)), np.empty((trials, 2))
    for trial in range(trials):
        public = random.uniform(0.05, 0.95, SITES)
        her, other = random.binomial(2, public, (2, SITES))
        rest = random.binomial(2 * (MEMBERS - 1), public)
        present, absent = rest + her, rest + other  # she takes the place of someone
        for place, counts in enumerate((present, absent)):
            answer = published(counts, epsilon)
            near[trial, place] = nearness(her, answer, public)
            likely[trial, place] = likelihood(answer, present, absent)
    sure = likely > 0  # the best there is, if presence and absence are equally likely
    return Attack(epsilon, *measured(near), float(sure[:, 0].mean() - sure[:, 1].mean()))


def measured(scores: np.ndarray) -> tuple[float, float]:
    """Hits and false alarms; the threshold is chosen on the first half, so that luck does not count."""
    choice, test = scores[: len(scores) // 2], scores[len(scores) // 2 :]
    gains = [(choice[:, 0] > limit).mean() - (choice[:, 1] > limit).mean() for limit in choice.ravel()]
    limit = choice.ravel()[int(np.argmax(gains))]
    return float((test[:, 0] > limit).mean()), float((test[:, 1] > limit).mean())


def whisker(advantage: float, trials: int) -> tuple[float, float, float]:
    """An advantage over so many pairs of trials, with two standard errors at most; luck may put it below zero."""
    half = 2 * math.sqrt(0.5 / trials)
    shown = max(advantage, 0.0)
    return max(shown - half, 0.0), shown, min(shown + half, 1.0)


def main() -> None:
    folder = folder_for_pictures(__doc__)
    attacks = [attack(None), *(attack(epsilon) for epsilon in reversed(EPSILONS))]
    show(
        f"{MEMBERS} members, {SITES:,} sites, {TRIALS // 2} studies with her and {TRIALS // 2} without",
        ("release", "alarm: she is in", "alarm: she is not", "advantage", "if all others are known", "bound tanh(ε/2)"),
        [
            (
                "exact counts" if each.epsilon is None else f"ε = {each.epsilon:,}",
                f"{each.hits:.1%}",
                f"{each.alarms:.1%}",
                f"{each.advantage:.3f}",
                f"{each.informed:.3f}",
                f"{each.bound:.6f}",
            )
            for each in attacks
        ],
        note="ε is for all sites together. The bound holds for every attack; these two are far below it at a small ε.",
    )
    tell(f'At ε = 1 the bound is {math.tanh(0.5):.6f}. (The story\'s "2000 studies in 2003" were in 2013.)')
    names = {"exact" if each.epsilon is None else f"ε = {each.epsilon:,}": each for each in attacks}
    bars: dict[str, Mapping[str, float | tuple[float, float, float]]] = {
        "Homer's attack": {name: whisker(each.advantage, TRIALS // 2) for name, each in names.items()},
        "if all others are known": {name: whisker(each.informed, TRIALS) for name, each in names.items()},
        "bound for every attack": {name: each.bound for name, each in names.items()},
    }
    keep(
        Chart.bars(bars, x="release", y="advantage over guessing", title="Telling who is in a study"),
        folder,
        "membership",
    )


if __name__ == "__main__":
    main()
