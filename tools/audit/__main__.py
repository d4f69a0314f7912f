# ruff: noqa: INP001 - a script, not a package
"""Audit everything of Privet, and write down what was found.

    python tools/audit                      every part, in about twenty minutes of one core
    python tools/audit mechanisms models    these parts only; the page keeps what it says of others
    python tools/audit --minutes 120        longer, and so with tighter bounds
    python tools/audit --again              not only what is missing since an audit was interrupted
    python tools/audit --list               names only

Parts: mechanisms, protocols, statistics, aggregates, models, lattices, reuse. What was found is kept in `.audit/`, a
line for each subject as soon as it is known, and at the end on docs/audit-of-privet.md. An audit that was interrupted
goes on where it was. Exit code 1 if a claim is violated.
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

from page import written  # noqa: E402 - the path is set above
from parts import PARTS  # noqa: E402 - the path is set above
from subject import Row, Subject  # noqa: E402 - the path is set above

KEPT = ROOT / ".audit" / "rows.jsonl"
PAGE = ROOT / "docs" / "audit-of-privet.md"
CHEAP = {"lattices": 0.25, "reuse": 0.25}  # beside the time of a subject of the other parts


def main() -> int:
    """Audit what was asked for, write the page, and return the exit code."""
    options = parsed()
    subjects = [subject for part in options.parts or PARTS for subject in PARTS[part]()]
    if options.list:
        say("\n".join(f"{each.part}: {each.name}" for each in subjects))
        return 0
    known = read(options.kept)
    asked = {(each.part, each.name) for each in subjects}
    if options.again or all(key in known for key in asked):  # a finished audit begins anew
        known = {key: row for key, row in known.items() if key not in asked}
    left = [each for each in subjects if (each.part, each.name) not in known]
    shares = [CHEAP.get(each.part, 1.0) for each in subjects]
    second = options.minutes * 60 / sum(shares)
    began = time.monotonic()
    for number, subject in enumerate(left):
        row = audited(subject, second * CHEAP.get(subject.part, 1.0))
        known[(subject.part, subject.name)] = row
        keep(options.kept, known)
        passed = time.monotonic() - began
        later = passed / (number + 1) * (len(left) - number - 1)
        place, sign, minutes = f"[{number + 1}/{len(left)}]", "✗" if row.broken else "✓", later / 60
        say(f"{place} {sign} {subject.part}: {subject.name}: {row.verdict}  ({minutes:.0f} min left)")
    every = everything(options, subjects)
    rows = [known[each.part, each.name] for each in every if (each.part, each.name) in known]
    options.page.write_text(written(rows, len(every) - len(rows)), encoding="utf-8")
    broken = [row for row in rows if row.broken]
    say(f"{len(rows)} audited, {len(broken)} violate their claim: {options.page}")
    return int(bool(broken))


def audited(subject: Subject, budget: float) -> Row:
    """Audit one, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return subject.run(subject, budget)


def everything(options: argparse.Namespace, subjects: list[Subject]) -> list[Subject]:
    """The subjects of all parts, in the page's order."""
    asked = options.parts or list(PARTS)
    return [
        each
        for part in PARTS
        for each in (PARTS[part]() if part not in asked else (s for s in subjects if s.part == part))
    ]


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tools/audit", description="Audit everything of Privet.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="only these parts")
    parser.add_argument("--minutes", type=float, default=20.0, help="of one core, about, for all that was asked for")
    parser.add_argument("--again", action="store_true", help="also what is known from an audit that was interrupted")
    parser.add_argument("--list", action="store_true", help="print the names only")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the page is written")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where what was found is kept meanwhile")
    return parser.parse_args()


def read(path: Path) -> dict[tuple[str, str], Row]:
    """What was found before."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [Row(**json.loads(line)) for line in lines]
    return {(row.part, row.subject): row for row in rows}


def keep(path: Path, known: dict[tuple[str, str], Row]) -> None:
    """Write down what is known, at once."""
    path.parent.mkdir(exist_ok=True)
    beside = path.with_suffix(".new")
    beside.write_text("".join(json.dumps(row.plain()) + "\n" for row in known.values()), encoding="utf-8")
    beside.replace(path)


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)  # noqa: T201 - a script


if __name__ == "__main__":
    sys.exit(main())
