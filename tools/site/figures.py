# ruff: noqa: INP001 - part of a script, not of a package
"""The page of figures: what lectures draw on the board, by the functions that the tests hold to numbers."""

from pathlib import Path

from tests.explain.charts.test_charts import PICTURES

WORDS = {  # each picture with what it shows, and the call that draws it
    "r046-neighbors": (
        "Laplace noise on two neighbors",
        "neighbor_chart",
        "If one unit moves an answer from 10 to 20, noise of scale 10/ε makes none over e^ε times likelier.",
    ),
    "r046-gaussian": (
        "Gaussian noise on two neighbors",
        "neighbor_chart",
        "The ratio of two Gaussian densities has no bound, so there is no ε without a δ.",
    ),
    "r185-delta": (
        "δ is an area",
        "delta_chart",
        "What the density of one neighbor has above e^ε times that of the other adds up to δ.",
    ),
    "r058-family": ("Density and distribution", "family_chart", "Laplace noise of several centers and scales."),
    "r032-tradeoff": (
        "What a test can do",
        "tradeoff_chart",
        "Every test for one unit has its two errors in the shaded region; guessing lies on the diagonal.",
    ),
    "r033-conditional": (
        "Conditional tests",
        "conditional_chart",
        "The printed bound e^(-2ε) is valid and loose: 2/(1 + e^ε) holds as well, and is attained.",
    ),
    "r034-beliefs": (
        "How far a belief can move",
        "belief_chart",
        "For people who are independent, or whose common cause is known; see `exchangeable_beliefs`.",
    ),
    "r104-composition": (
        "Theorems of composition",
        "composition_chart",
        "The same hundred releases, priced by every theorem of the texts. The lowest line is exact.",
    ),
    "r126-renyi": (
        "Rényi divergence by order",
        "renyi_chart",
        "A pure loss stays below its ε; a Gaussian's line has no end.",
    ),
    "r124-notions": ("Pure and Rényi promises", "notion_chart", "What each says of events, and of groups."),
    "r132-basis": ("The Bernstein basis", "basis_chart", "Polynomials that add up to 1 everywhere."),
    "r147-bernstein": (
        "A function and its private release",
        "bernstein_chart",
        "Target, polynomial and a noisy one: a finer grid bends less and needs more noise.",
    ),
    "accuracy": (
        "What an ε buys",
        "accuracy_chart",
        "The margin of each of ten counts at once, by Laplace and by Gaussian noise.",
    ),
    "people": (
        "Noise and sampling",
        "people_chart",
        "From about 9/ε² people on, privacy costs less than the sample did.",
    ),
    "r188-trust": (
        "Who is trusted",
        "trust_chart",
        "The same promise in the central, the local and the shuffle model.",
    ),
    "budget": ("A ledger over time", "budget_chart", "What was spent until when, below the limit."),
}


def figures_page(folder: Path) -> str:
    """The page; the pictures are drawn into the folder."""
    lines = [
        "# Figures",
        "",
        "What is drawn on boards, each by a function of `privet.explain`: give it your own losses and laws.",
        "",
    ]
    for name, (title, call, words) in WORDS.items():
        PICTURES[name]().save(folder / "figures" / f"{name}.svg")
        lines += [
            f"## {title}",
            "",
            words,
            "",
            f"![{title}](figures/{name}.svg)",
            "",
            f"Drawn by [`{call}`](reference/explain.md#{call}).",
            "",
        ]
    return "\n".join(lines)
