"""Errors measured: `python benchmarks/accuracy.py` asks each task often and compares with the best known algorithms.

`--write` makes docs/accuracy.md of it; `--runs` says how often each task is asked, `--only` which. The data are drawn
anew for every run by a generator with a fixed seed; the noise is Privet's own. Peers are measured on the same data in
an environment of their own, made in .peers/ if need be (`--without-peers` leaves them out).
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import accuracy_arrays
import accuracy_queries
from accuracy_task import NEAR, RUNS, Task, figure_of, in_words, runs_of
from peers import run_peer
from rich.console import Console

PAGE = Path(__file__).parents[1] / "docs" / "accuracy.md"
SCRIPT = str(Path(__file__).with_name("accuracy_peers.py"))
REQUIREMENTS = [
    "diffprivlib==0.6.6",
    "scikit-learn==1.6.1",
    "opendp==0.16.0",
    "python-dp==1.1.5",
    "pipeline-dp==0.3.1",
]
PEERS = ("OpenDP", "diffprivlib", "Google")
TASKS = (*accuracy_arrays.TASKS, *accuracy_queries.TASKS)
ABOUT = """# Accuracy

Made by `python benchmarks/accuracy.py --write`: each task was asked {runs} times where nothing else is said, with new
data and new noise each time. Figures are errors unless a row says otherwise, each with its standard error. *Best
known* is the best algorithm that was found or derived, at the same privacy: where it has a standard error it was run
as plain floating-point code on data of the same kind in the same run, without what exact noise costs; else it is
computed. *Times* compares with it: below 1.1 or explained below. *Before* is what Privet had when the comparison was
begun. Peers (up to 200 runs: OpenDP 0.16.0, diffprivlib 0.6.6, and Google's library as python-dp 1.1.5) answered the
same data in the same run, each as its own documentation would have it; a dash: it has no function for it.

| task | privacy | figure | Privet | best known | times | before | OpenDP | diffprivlib | Google |
|---|---|---|---|---|---|---|---|---|---|
"""


def row(task: Task, runs: int, peers: dict[str, Any]) -> tuple[str, float]:
    """The row of the table, and how many times worse than the best known it is."""
    number = min(runs, task.runs)
    own = figure_of(task.figure, runs_of(task.measure, number))
    best = task.best if not callable(task.best) else figure_of(task.figure, runs_of(task.best, number))
    goal = best[0] if isinstance(best, tuple) else best
    times = _times(own[0], goal, larger=task.larger)
    best_shown = "–" if best is None else in_words(*best) if isinstance(best, tuple) else in_words(best)
    theirs = [peers.get(task.key, {}).get(peer, "–") for peer in PEERS]
    figure = task.figure if number == runs else f"{task.figure} of {number}"
    cells = (
        task.name,
        task.price,
        figure,
        f"**{in_words(*own)}**",
        f"{best_shown} ({task.how})" if task.how else best_shown,
        f"{times:.2f}",
        task.before or "–",
        *(each if isinstance(each, str) else in_words(*each) for each in theirs),
    )
    return f"| {' | '.join(cells)} |", times


def _times(own: float, goal: float | None, *, larger: bool) -> float:
    if goal is None or own == goal:
        return 1.0
    top, bottom = (goal, own) if larger else (own, goal)
    return top / bottom if bottom else float("inf")


def page(tasks: Sequence[Task], runs: int, peers: dict[str, Any]) -> str:
    """The page: what was measured, and what is to be said where it is short of the best known."""
    lines, short = [], []
    for task in tasks:
        start = time.perf_counter()
        line, times = row(task, runs, peers)
        print(f"{line}  {time.perf_counter() - start:.0f} s", flush=True)
        lines.append(line)
        if times > NEAR:
            short.append(f"- {task.name}: {task.why or 'not explained yet'}.")
    told = ["", "What is more than a tenth short of the best known, and why:", "", *short] if short else []
    return ABOUT.format(runs=runs) + "\n".join([*lines, *told, "", *NOTES, ""])


NOTES = (
    "Medians have no law that says how far they are off without the data: their standard errors are those of 500 runs.",
    "The root of the mean square is taken over all questions and runs of a task.",
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="of each task")
    parser.add_argument("--only", default="", help="tasks whose keys hold this text")
    parser.add_argument("--without-peers", action="store_true", help="leave peers out")
    parser.add_argument("--write", action="store_true", help="write docs/accuracy.md")
    said = parser.parse_args(arguments)
    peers: dict[str, Any] = {}
    if not said.without_peers:
        peers = json.loads(run_peer("accuracy", REQUIREMENTS, [SCRIPT, str(said.runs)], Console(stderr=True))[-1])
    text = page([task for task in TASKS if said.only in task.key], said.runs, peers)
    if said.write:
        PAGE.write_text(text, encoding="utf-8")
        print(f"{PAGE} is written")


if __name__ == "__main__":
    main()
