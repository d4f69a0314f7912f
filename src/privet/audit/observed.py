"""Observed: everything that an observer sees of one run, and what of it tells two runs apart."""

import io
import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from typing import Any

from privet.audit.difference import Difference, Kind
from privet.audit.looks import failure, looks
from privet.audit.moved import Moved, moved
from privet.audit.tape import Drawn, Tape

FEW = 5  # differences of what is seen that one pair tells of


@dataclass
class Observed:
    """One run: what it was seen to do.

    Args:
        tape: what went through its ledgers.
        seen: what it was seen to give, by name.
        failed: how it failed; "" if it did not.
        messages: warnings, what was printed and what was logged.
    """

    tape: Tape
    seen: dict[str, str] = field(default_factory=dict)
    failed: str = ""
    messages: dict[str, str] = field(default_factory=dict)

    def see(self, value: Any, name: str = "the answer") -> None:  # noqa: ANN401 - anything
        """Look at what a run gives: all of it must be the same for neighbors that are said the same."""
        for place, words in looks(value, name).items():
            self.seen[place] = words

    @contextmanager
    def watching(self) -> Iterator["Observed"]:
        """While it is open, failures end here, and messages are kept."""
        told, said, lines = io.StringIO(), io.StringIO(), _Lines()
        root = logging.getLogger()
        level = root.level
        root.addHandler(lines)
        root.setLevel(min(level, logging.INFO))
        try:
            with warnings.catch_warnings(record=True) as warned, redirect_stderr(told), redirect_stdout(said):
                warnings.simplefilter("always")
                try:
                    yield self
                except (Exception, SystemExit) as problem:  # noqa: BLE001 - whatever it is, an observer sees it
                    self.failed = failure(problem)
        finally:
            root.removeHandler(lines)
            root.setLevel(level)
        words = [f"{each.category.__name__}: {each.message}" for each in warned]
        self.messages = {
            "warnings": "\n".join(words),
            "standard error": told.getvalue(),
            "standard output": said.getvalue(),
            "log": "\n".join(lines.told),
        }


class _Lines(logging.Handler):
    """What is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(f"{record.levelname} {record.name}: {record.getMessage()}")


# --- two runs -------------------------------------------------------------------------------------------------


def apart(here: Observed, there: Observed, *, strict: bool = False) -> Iterator[Difference]:
    """What tells two runs apart, the second of which was said what the first was.

    Args:
        here: the first.
        there: the second.
        strict: whether a move counts that is beyond what was declared, though the mechanism's loss holds for it.
    """
    ended_alike = here.failed == there.failed  # else one of them has drawn less
    yield from _draws(here.tape, there.tape, ended_alike=ended_alike, strict=strict)
    if not ended_alike:
        yield Difference("failure", "whether it fails", here.failed or "no failure", there.failed or "no failure")
    elif not here.failed or here.seen or there.seen:
        yield from _unequal("answer", here.seen, there.seen)
    yield from _unequal("message", here.messages, there.messages)
    for place, (mine, theirs) in enumerate(_both(here.tape.charges, there.tape.charges)):
        if mine != theirs:
            yield Difference("charge", f"charge {place + 1}", mine or "nothing", theirs or "nothing")
            break


def _draws(here: Tape, there: Tape, *, ended_alike: bool, strict: bool) -> Iterator[Difference]:
    """The same draws, in the same order, with the same parameters, of what moved no farther than declared."""
    for place, (mine, theirs) in enumerate(_both(here.drawn, there.drawn)):
        one, other = ("nothing" if each is None else drawn(each) for each in (mine, theirs))
        name = f"draw {place + 1}"
        if not ended_alike and (mine is None or theirs is None):
            return
        if mine is None or theirs is None or one != other:
            yield Difference("draw", name, one, other)
            return
        step = moved(mine.mechanism, mine.sensitivity, mine.secret, theirs.secret)
        if step.beyond and (strict or not step.covered):
            name = f"{name}, {mine.mechanism!r}"
            yield Difference("move", name, moved=step.moved, declared=step.declared)


def drawn(draw: Drawn) -> str:
    """A draw with its public parameters, and what was declared of its secret."""
    return f"{draw.mechanism!r} with {draw.mechanism.loss!r} of {draw.sensitivity!r}"


def steps(here: Tape, there: Tape) -> list[tuple[str, Moved]]:
    """How far each secret moved, as long as the draws are the same."""
    found = []
    for mine, theirs in zip(here.drawn, there.drawn, strict=False):
        if repr(mine.mechanism) != repr(theirs.mechanism):
            break
        found.append((repr(mine.mechanism), moved(mine.mechanism, mine.sensitivity, mine.secret, theirs.secret)))
    return found


def _unequal(kind: Kind, here: Mapping[str, str], there: Mapping[str, str]) -> Iterator[Difference]:
    if list(here) != list(there) and set(here) == set(there):
        yield Difference(kind, "the order of its parts", ", ".join(here), ", ".join(there))
    names = [name for name in {**here, **there} if here.get(name) != there.get(name)]
    for name in names[:FEW]:
        yield Difference(kind, name, here.get(name) or "nothing", there.get(name) or "nothing")


def _both(here: list[Any], there: list[Any]) -> Iterator[tuple[Any, Any]]:
    for place in range(max(len(here), len(there))):
        yield here[place] if place < len(here) else None, there[place] if place < len(there) else None
