"""Netflix-style linkage: ratings without names are not anonymous.

A service publishes who rated which film, how and when, with the names removed. The attacker has met one of the people
and remembers a few of her ratings, roughly, and roughly when; the scoreboard of Narayanan and Shmatikov (2008) finds
her row. On the real ratings, 8 of them within 14 days (2 of the 8 wrong) found 99% of the people, and 2 within 3 days
found 68%; these people are invented, and show the same shape. Coarser rows do not help. Private counts have no rows.
"""

import math
from dataclasses import dataclass

import numpy as np
from telling import folder_for_pictures, keep, measured_share, show, tell

from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.explain import Chart
from privet.mechanisms import DiscreteLaplace

PERSON = Unit("person", neighbors="replace")
PEOPLE, FILMS, EACH, DAYS = 10_000, 600, 40, 2000
MOVED = Sensitivity(1, cells=2 * EACH)  # her films count one less, her successor's one more
TARGETS = 200
CLEAR = 1.5  # by how many deviations the best row must lead, before the attacker names it


@dataclass(frozen=True)
class Ratings:
    """Who rated what, how and when: one row for each person, EACH ratings long."""

    film: np.ndarray
    stars: np.ndarray
    day: np.ndarray

    def coarser(self) -> "Ratings":
        """Generalized, as for k-anonymity: liked or not, and the quarter of the year."""
        return Ratings(self.film, np.where(self.stars >= 4, 4, 2), self.day // 91 * 91 + 45)

    def by_film(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """For each film: its people, their stars, their days."""
        order = np.argsort(self.film, axis=None, kind="stable")
        ends = np.cumsum(np.bincount(self.film.ravel(), minlength=FILMS))[:-1]
        columns = (np.repeat(np.arange(len(self.film)), EACH), self.stars.ravel(), self.day.ravel())
        return list(zip(*(np.split(column[order], ends) for column in columns), strict=True))


@dataclass(frozen=True)
class Memory:
    """What the attacker remembers: so many ratings, each day off by up to so much, so many of them all wrong."""

    ratings: int
    days: int
    wrong: int = 0


MEMORIES = (Memory(2, 3), Memory(2, 14), Memory(4, 14), Memory(8, 14, wrong=2))


def ratings() -> Ratings:
    """Invented people: some films are far more popular, and everybody is active for a while."""
    random = np.random.default_rng(173)
    popularity = np.log(1 / np.arange(1, FILMS + 1) ** 0.9)
    film = np.array([np.argpartition(-(popularity + random.gumbel(size=FILMS)), EACH)[:EACH] for _ in range(PEOPLE)])
    taste = random.normal(3.5, 0.5, FILMS)
    stars = np.clip(np.rint(random.normal(taste[film], 1.0)), 1, 5).astype(np.int64)
    active = random.integers(0, DAYS - 300, (PEOPLE, 1))
    return Ratings(film, stars, active + random.integers(0, 300, (PEOPLE, EACH)))


def identified(data: Ratings, known: Ratings, memory: Memory, *, targets: int = TARGETS) -> float:
    """The share of people that the scoreboard names, rightly, from what is remembered of their true ratings."""
    random, films = np.random.default_rng(memory.ratings * 100 + memory.days), data.by_film()
    found = 0
    for target in random.choice(len(data.film), targets, replace=False):
        scores = np.zeros(len(data.film))
        for place, item in enumerate(random.choice(EACH, memory.ratings, replace=False)):
            film, stars = known.film[target, item], known.stars[target, item] + random.integers(-1, 2)
            day = known.day[target, item] + random.integers(-memory.days, memory.days + 1)
            if place < memory.wrong:
                film, stars, day = random.integers(FILMS), random.integers(1, 6), random.integers(DAYS)
            people, rated, when = films[film]
            likeness = np.exp(-np.abs(rated - stars) / 1.5) + np.exp(-np.abs(when - day) / 30)
            scores[people] += likeness / math.log(max(len(people), 3))
        second, best = np.partition(scores, -2)[-2:]
        found += bool(best - second >= CLEAR * scores.std() and np.argmax(scores) == target)
    return found / targets


def advantage(data: Ratings, epsilon: int | None, *, targets: int = TARGETS) -> float:
    """What an attacker who knows everybody else gains from counts per film, when asked whether she is in.

    Of two people one is in the data, and the attacker says which is likelier, given the counts; chance gains 0.
    """
    random = np.random.default_rng(1)
    counts = np.bincount(data.film.ravel(), minlength=FILMS)
    right = 0.0
    for _ in range(targets):
        one, two = random.choice(len(data.film), 2, replace=False)
        ours = [np.bincount(data.film[person], minlength=FILMS) for person in (one, two)]
        others = counts - ours[0] - ours[1]
        seen = published(others + ours[0], epsilon)
        off = [np.abs(seen - others - own).sum() for own in ours]
        right += 1 if off[0] < off[1] else 0.5 if off[0] == off[1] else 0
    return 2 * right / targets - 1


def published(counts: np.ndarray, epsilon: int | None) -> np.ndarray:
    """The number of ratings of each film: a replaced person moves 2 x EACH of them by 1."""
    if epsilon is None:
        return counts
    ledger = Ledger(Guarantee(epsilon), unit=PERSON)
    mechanism = DiscreteLaplace.calibrated(epsilon=epsilon, sensitivity=MOVED)
    release = ledger.release(Sensitive.later(lambda: counts, MOVED, PERSON), mechanism, purpose="ratings by film")
    return np.asarray(release.value)


def main() -> None:
    folder, data = folder_for_pictures(__doc__), ratings()
    coarse = data.coarser()
    shares = {memory: (identified(data, data, memory), identified(coarse, data, memory)) for memory in MEMORIES}
    show(
        f"{PEOPLE:,} people without names, {EACH} ratings each: who is found?",
        ("what the attacker remembers", "found in the rows", "found in coarser rows"),
        [
            (
                f"{memory.ratings} ratings, ± {memory.days} days"
                + (f", {memory.wrong} of them wrong" if memory.wrong else ""),
                f"{fine:.1%}",
                f"{rough:.1%}",
            )
            for memory, (fine, rough) in shares.items()
        ],
        note="Coarser rows say liked or not, and the quarter of the year.",
    )
    bound = math.tanh(0.5)
    show(
        "Instead: ratings by film, asked by an attacker who knows everybody else",
        ("release", "advantage in telling whether she is in", "bound"),
        [
            ("exact counts", f"{advantage(data, None):.3f}", "1"),
            ("private counts, ε = 1", f"{advantage(data, 1):.3f}", f"{bound:.3f}"),
        ],
    )
    tell(f"The private counts are off by about {2 * EACH} ratings each, of {PEOPLE * EACH:,}; popular films stand out.")
    bars = {
        name: {
            f"{memory.ratings} ± {memory.days} days": measured_share(pair[place], TARGETS)
            for memory, pair in shares.items()
        }
        for place, name in enumerate(("rows without names", "coarser rows"))
    }
    title = "People found from a few remembered ratings"
    keep(Chart.bars(bars, x="ratings remembered", y="share of people found", title=title), folder, "linkage")


if __name__ == "__main__":
    main()
