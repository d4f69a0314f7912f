"""result_page: the numbers of a survey's result as its page shows them, rounded against us."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from privet.local import BinaryResponse
from privet.local.device import Collection
from privet.loss.exact import readable
from privet.server.survey.words import words_of

CLEARLY = 0.95  # of the local ε: a shuffle guarantee that is hardly smaller is not shown
WIDEST = 0.2  # an estimate that may be off by more is not shown
STRIPE, STRIPE_LEFT = 980, 10
WIDTH, TALL, TOP, LEFT, ROOM = 680, 268, 20, 44, 560
Point = tuple[float, float]


def result_page(
    facts: Collection, results: Sequence[Mapping[str, Any]], language: str, *, live: bool
) -> dict[str, Any]:
    """What the template of a result needs.

    Args:
        facts: the survey.
        results: results so far, the last one is shown; none yet if empty.
        language: "en" or "de".
        live: whether answers still come.
    """
    words = words_of(language)
    last = results[-1] if results else None
    count = 0 if last is None else last["reports"]
    said = {"n": f"{count:,}", "needed": f"{_needed(facts):,}"}
    page = _design_words(facts, words, last) | {
        "status": words["live" if live else "closed_n"].format(**said),
        "shown": False,
        "waiting": (words["too_few"] if facts.live_step is not None or not live else words["no_live"]).format(**said),
        "progress": min(400, 400 * count // max(_needed(facts), 1)),
        "history": history(results, words) if len(results) > 1 else "",
    }
    if last is None:
        return page
    yes = last["rows"][1]
    low, high = max(yes["share_low"], 0.0), min(yes["share_high"], 1.0)
    value = min(max(yes["share"], low), high)
    if max(high - value, value - low) > WIDEST:
        return page | {"history": ""}
    numbers = {"low": _down(low), "high": _up(high), "value": round(100 * value)}
    return page | {
        "shown": True,
        "value": numbers["value"],
        "margin": max(numbers["high"] - numbers["value"], numbers["value"] - numbers["low"]),
        "label": words["estimate_label"].format(**numbers),
        "between": words["between"].format(**numbers, lies=_lies(facts)),
        "stripe": {
            "low": round(STRIPE_LEFT + STRIPE * low, 1),
            "high": round(STRIPE_LEFT + STRIPE * high, 1),
            "value": round(STRIPE_LEFT + STRIPE * value, 1),
            "ticks": [
                (10, "0 %", ""),
                (255, "25 %", "mid"),
                (500, "50 %", "mid"),
                (745, "75 %", "mid"),
                (990, "100 %", "endt"),
            ],
        },
        "rows": [
            (words["yes"], numbers["value"], numbers["low"], numbers["high"]),
            (words["no"], 100 - numbers["value"], 100 - numbers["high"], 100 - numbers["low"]),
        ],
    }


def answer_words(facts: Collection, language: str) -> dict[str, Any]:
    """What the page of the question says of its design."""
    words = words_of(language)
    odds = float(_randomizer(facts).ratio)
    told = {
        "sure": _up(odds / (1 + odds)),
        "sure90": _up(9 * odds / (9 * odds + 1)),
        "factor": readable(math.ceil(100 * odds) / 100),
        "epsilon": readable(math.ceil(10000 * float(facts.epsilon)) / 10000),
        "lies": _lies(facts),
    }
    return {
        "conclude": words["conclude_text"].format(**told),
        "knows_me": words["who_knows_me_text"].format(**told),
        "most_sure": words["most_sure"].format(**told),
        "reach": 5 + round(340 * odds / (1 + odds)),
        "how": _how(facts, words),
        "coins": (facts.survey or {})["design"] in {"two-coins", "classroom"},
    }


def history(results: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> str:
    """The estimates as answers came in, with their intervals, as SVG of numbers alone."""
    most = results[-1]["reports"]

    def at(reports: int, share: float) -> str:
        inside = min(max(share, 0.0), 1.0)
        return f"{LEFT + ROOM * reports / most:.1f} {TOP + (TALL - TOP - 42) * (1 - inside):.1f}"

    seen = [(each["reports"], each["rows"][1]) for each in results]
    band = [at(n, row["share_high"]) for n, row in seen] + [at(n, row["share_low"]) for n, row in reversed(seen)]
    line = [at(n, row["share"]) for n, row in seen]
    parts = []
    for quarter in range(5):
        y = TOP + (TALL - TOP - 42) * (1 - quarter / 4)
        parts.append(f'<path d="M{LEFT} {y:.1f}h{ROOM}" class="l-grid"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" class="endt">{25 * quarter} %</text>')
    for part in (0, most // 2, most):
        x = LEFT + ROOM * part / most
        parts.append(f'<text x="{x:.1f}" y="244" class="mid">{part:,}</text>')
    right, height = line[-1].split()
    parts.append(f'<path d="M{"L".join(band)}Z" class="f-data-soft"/><path d="M{"L".join(line)}" class="l-data"/>')
    parts.append(f'<circle cx="{right}" cy="{height}" r="5.5" class="f-data"/>')
    parts.append(f'<text x="{LEFT + ROOM // 2}" y="264" class="mid">{words["answers_so_far"]}</text>')
    head = f'<svg class="fig loud" viewBox="0 0 {WIDTH} {TALL}" role="img" aria-label="{words["history_label"]}">'
    return head + "".join(parts) + "</svg>"


def _design_words(facts: Collection, words: Mapping[str, str], last: Mapping[str, Any] | None) -> dict[str, str]:
    truth = float(1 - _randomizer(facts).flip_one)
    epsilon = readable(math.ceil(10000 * float(facts.epsilon)) / 10000)
    shuffled = None if last is None else last["shuffle_guarantee"]
    moved = None if last is None else last["poisoning"]
    return {
        "every_phone": words["every_phone"].format(truth=round(100 * truth), epsilon=epsilon),
        "shuffled": ""
        if shuffled is None or shuffled["epsilon_of_one_report"] > CLEARLY * float(facts.epsilon)
        else words["shuffled"].format(
            n=shuffled["reports_shuffled"], epsilon=f"{shuffled['epsilon_of_one_report']:.3f}", delta=shuffled["delta"]
        ),
        "poison": ""
        if moved is None
        else words["poison"].format(moved=f"{100 * moved['moves_a_share_by'] / moved['forged']:.2g}"),
    }


def _how(facts: Collection, words: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """What chance may decide: a letter for a coin, how often, and what happens then."""
    survey = facts.survey or {}
    if survey["design"] == "two-coins":
        names = ("coin_heads", "coin_tails")
        return [(words[name.replace("coin_", "")][0], words[name], words[f"{name}_then"]) for name in names]
    if survey["design"] == "classroom":
        return [
            ("2", words["both_heads"], words["both_heads_then"]),
            ("…", words["other_coins"], words["other_coins_then"]),
        ]
    kinds = {
        (False, True): "does_truth",
        (True, False): "does_lie",
        (True, True): "does_yes",
        (False, False): "does_no",
    }
    total = sum(each["weight"] for each in survey["instructions"])
    told = []
    for each in survey["instructions"]:
        share = f"{100 * each['weight'] / total:.3g}"
        told.append((str(round(float(share))), words["in_of"].format(share=share), words[kinds[tuple(each["says"])]]))
    return told


def _randomizer(facts: Collection) -> BinaryResponse:
    found = facts.randomizer
    if not isinstance(found, BinaryResponse):
        raise TypeError("surveys are of yes or no")
    return found


def _needed(facts: Collection) -> int:
    """About how many answers make an interval of ± 20 points."""
    asked = _randomizer(facts)
    slope = float(1 - asked.flip_zero - asked.flip_one)
    return max(facts.minimum_batch, math.ceil((1.96 * 0.5 / slope / WIDEST) ** 2))


def _lies(facts: Collection) -> int:
    asked = _randomizer(facts)
    return round(100 * float(min(asked.flip_zero, asked.flip_one, key=Fraction)))


def _down(share: float) -> int:
    return math.floor(100 * share)


def _up(share: float) -> int:
    return math.ceil(100 * share - 1e-9)
