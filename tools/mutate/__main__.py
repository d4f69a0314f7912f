# ruff: noqa: INP001 - a script, not a package
"""Change a copy of the source in one place at a time, and see whether the tests notice.

    python tools/mutate                     every planted fault: those that privacy hangs on, all must be caught
    python tools/mutate laplace ledger      those whose name or file holds one of these words
    python tools/mutate --jobs 2            two at a time
    python tools/mutate --list              names only
    python tools/mutate --mutants 40        forty changes drawn by chance instead, with the survivors for a reader
    python tools/mutate --mutants 9 rules   of files whose path holds a word; --seed repeats a draw

Exit code 1 if a planted fault is missed or does not fit the source any more, or if the tests fail without any.
Survivors among mutants are no failure: many changes that nobody chose mean the same or only say it otherwise.
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from copies import Copies
from edits import DoesNotFit
from fault import SOURCE, Fault, faults
from mutants import Mutant, drawn, tests_of


def main() -> int:
    """Run what was asked for, print a line for each, and return the exit code."""
    options = parsed()
    return mutants(options) if options.mutants else planted(options)


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tools/mutate", description="Plant faults and see whether tests notice.")
    parser.add_argument("words", nargs="*", help="only those whose name or file holds one of these words")
    parser.add_argument("--jobs", type=int, default=1, help="how many to try at once")
    parser.add_argument("--list", action="store_true", help="print the names only")
    parser.add_argument("--mutants", type=int, default=0, help="how many changes to draw by chance")
    parser.add_argument("--seed", type=int, default=None, help="repeat a draw of mutants")
    return parser.parse_args()


def planted(options: argparse.Namespace) -> int:
    """Plant the chosen faults: all must be caught."""
    chosen = [fault for fault in faults() if matches(fault, options.words)]
    if options.list or not chosen:
        say("\n".join(fault.name for fault in chosen) or "no fault has such a name")
        return 0 if chosen else 1
    with Copies() as copies, ThreadPoolExecutor(options.jobs) as pool:
        if not tests_pass(copies, [test for fault in chosen for test in fault.tests]):
            return 1
        caught = sum(pool.map(partial(tried, copies), chosen))
    say(f"{caught} of {len(chosen)} faults caught")
    return 0 if caught == len(chosen) else 1


def matches(fault: Fault, words: Sequence[str]) -> bool:
    """Whether a fault was asked for."""
    text = f"{fault.name} {fault.file}".lower()
    return not words or any(word.lower() in text for word in words)


def tried(copies: Copies, fault: Fault) -> bool:
    """Plant one fault, run its tests, and say what happened."""
    began = time.monotonic()
    try:
        text = fault.planted((SOURCE / fault.file).read_text(encoding="utf-8"))
    except DoesNotFit as problem:
        say(f"BROKEN  {fault.name:50}  {fault.file} {fault.function}: {problem}; update tools/mutate/faults/")
        return False
    outcome = copies.run_with(fault.file, text, fault.tests)
    word = "caught" if outcome.noticed else "BROKEN" if outcome.code else "MISSED"
    say(f"{word}  {time.monotonic() - began:5.1f} s  {fault.name:50}  {outcome.first_failure()}")
    return outcome.noticed


def mutants(options: argparse.Namespace) -> int:
    """Try changes drawn by chance, and print those that no test noticed."""
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    chosen = drawn(options.mutants, seed, options.words)
    say(f"{len(chosen)} mutants, --seed {seed}")
    with Copies() as copies, ThreadPoolExecutor(options.jobs) as pool:
        if not tests_pass(copies, [test for mutant in chosen for test in tests_of(mutant)]):
            return 1
        found = sum(pool.map(partial(noticed, copies), chosen))
    say(f"{found} of {len(chosen)} mutants noticed by the test file of their own")
    return 0


def noticed(copies: Copies, mutant: Mutant) -> bool:
    """Whether the tests of a mutant notice it; says so if they do not."""
    outcome = copies.run_with(mutant.file, mutant.text, tests_of(mutant))
    if not outcome.noticed:
        say(f"survived  {mutant}")
    return outcome.noticed


def tests_pass(copies: Copies, tests: Sequence[str]) -> bool:
    """Whether the tests pass on an untouched copy: else every fault would seem caught."""
    outcome = copies.run_without(tests)
    if outcome.code:
        say(f"the tests fail without any fault:\n{outcome.said}")
    return outcome.code == 0


def say(text: str) -> None:
    """Print at once, whole lines only."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
