"""The page of benchmarks/learn.py: a table for each kind of model, and what follows from all cells."""

import math
from collections import UserDict
from dataclasses import dataclass

from learn_models import LOWER_IS_BETTER, SCORES, Pair
from learn_task import EPSILONS, LIMIT, Figures

ABOUT = """# Models, measured

Made by `python benchmarks/learn.py --write`. Every figure is a mean over splits of the rows, 70 % to learn from and
30 % to score, with its standard error: {seeds} splits for diffprivlib, and for Privet as many of the same as are said
behind the data's name. *diffprivlib* is release 0.6.6 with
scikit-learn 1.6.1, in an environment of its own. Bounds, norms and classes are the same public round numbers for both
([benchmarks/learn_data.py](../../benchmarks/learn_data.py)); each gets them as its own documentation would have it.
*Plain* is scikit-learn without privacy. diffprivlib's models have no δ; where Privet's name says one, Privet's
guarantee allows it, and the row above without one is like for like. What diffprivlib says of its own ε is taken at
its word: some of its models keep less than they say ([choosing a model](README.md#why-not-diffprivlib)).

In bold: better by more than two standard errors of the difference. "late" is a fit that took more than {limit} seconds.

"""


class Cells(UserDict[tuple[str, str, str, float], Figures]):
    """Figures by who, model, data and ε."""


@dataclass(frozen=True)
class Compared:
    """One cell of Privet beside the peer's.

    Args:
        ours, theirs: figures.
        lower: whether lower is better.
    """

    ours: Figures
    theirs: Figures
    lower: bool

    @property
    def ahead(self) -> float:
        """By how many standard errors Privet is better."""
        if not self.theirs.scores:
            return math.inf
        gap = (self.theirs.mean - self.ours.mean) if self.lower else (self.ours.mean - self.theirs.mean)
        error = math.hypot(self.ours.error, self.theirs.error)
        return gap / error if error else math.copysign(math.inf, gap) if gap else 0.0


def page(pairs: list[Pair], sets: list[str], cells: Cells, *, seeds: int, large: str) -> str:
    """All tables and the summary."""
    text = ABOUT.format(seeds=seeds, limit=LIMIT)
    compared: dict[tuple[str, str, float], Compared] = {}
    for kind, score in SCORES.items():
        asked = [(pair, data) for pair in pairs if pair.kind == kind for data in sets if data != large]
        there = [(pair, data) for pair, data in asked if _whole(pair, data, cells)]
        if there:
            head = " | ".join(f"ε = {each:g}" for each in EPSILONS)
            text += f"## {score}\n\n| model | data | plain | {head} |\n|---|---|--:|{'--:|' * len(EPSILONS)}\n"
            text += "".join(_row(pair, data, cells, compared) for pair, data in there) + "\n"
    return text + _summary(compared) + _times(pairs, cells, large)


def _whole(pair: Pair, data: str, cells: Cells) -> bool:
    """Whether both were measured at every ε."""
    asked = [("Privet", pair.title), ("diffprivlib", pair.peer)]
    return all((*each, data, epsilon) in cells for each in asked for epsilon in EPSILONS)


def _row(pair: Pair, data: str, cells: Cells, compared: dict[tuple[str, str, float], Compared]) -> str:
    plain = cells.get(("scikit-learn", pair.name, data, 0.0))
    splits = len(cells["Privet", pair.title, data, EPSILONS[0]].scores)
    shown = [f"{pair.title}<br>diffprivlib {pair.peer}", f"{data} ({splits})", f"{plain.mean:.3f}" if plain else ""]
    for epsilon in EPSILONS:
        ours, theirs = cells["Privet", pair.title, data, epsilon], cells["diffprivlib", pair.peer, data, epsilon]
        both = compared[pair.title, data, epsilon] = Compared(ours, theirs, pair.kind in LOWER_IS_BETTER)
        mine, other = _shown(ours), _shown(theirs)
        mine = f"**{mine}**" if both.ahead > 2 else mine
        other = f"**{other}**" if both.ahead < -2 else other
        shown.append(f"{mine}<br>{other}")
    return f"| {' | '.join(shown)} |\n"


def _shown(figures: Figures) -> str:
    if not figures.scores:
        return "late" if "TimeoutError" in figures.failed else "failed"
    large = abs(figures.mean) >= 100
    return f"{figures.mean:.1e}" if large else f"{figures.mean:.3f} ± {figures.error:.3f}"


def _summary(compared: dict[tuple[str, str, float], Compared]) -> str:
    if not compared:
        return ""
    number = len(compared)
    ahead = {key: each.ahead for key, each in compared.items()}
    better, sure = sum(each > 0 for each in ahead.values()), sum(each > 2 for each in ahead.values())
    worse = {key: each for key, each in ahead.items() if each < -2}
    text = f"## All cells\n\nOf {number} cells, Privet's mean is the better one in {better} ({better / number:.0%}), "
    text += f"by more than two standard errors in {sure} ({sure / number:.0%}). "
    text += f"diffprivlib's is by more than that in {len(worse)}.\n"
    if worse:
        text += "\n| where diffprivlib is better | data | ε | by standard errors |\n|---|---|--:|--:|\n"
        text += "".join(
            f"| {model} | {data} | {epsilon:g} | {-by:.1f} |\n" for (model, data, epsilon), by in worse.items()
        )
    return text + "\n"


def _times(pairs: list[Pair], cells: Cells, large: str) -> str:
    rows = []
    for pair in pairs:
        ours = cells.get(("Privet", pair.title, large, 1.0))
        theirs = cells.get(("diffprivlib", pair.peer, large, 1.0))
        if ours is None or theirs is None or not ours.seconds:
            continue
        mine = min(ours.seconds)
        if theirs.seconds:
            other, ratio = f"{min(theirs.seconds):.3f} s", f"{min(theirs.seconds) / mine:.1f}"
        else:
            other, ratio = f"more than {LIMIT} s", f"more than {LIMIT / mine:.0f}"
        score = f"{ours.mean:.3f} and {_shown(theirs).split(' ')[0]}"
        rows.append(f"| {pair.title} | {mine:.3f} s | {pair.peer}: {other} | {ratio} | {score} |\n")
    if not rows:
        return ""
    head = "| model | Privet | diffprivlib | times as fast | scores |\n|---|--:|---|--:|---|\n"
    about = "The fastest of three to five at ε = 1: seconds of the processor, one thread each, one machine."
    return f"## Times of a fit to {large}\n\n{about}\n\n{head}" + "".join(rows)
