"""Measured: what came of a process that measured something, whether or not it got to the end."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from peers import duration
from query_memory import Watched
from query_sheet import NOTHING
from query_truth import Error


@dataclass(frozen=True)
class Measured:
    """Seconds and errors by kind of question.

    Args:
        found: by kind, what was printed about it; times and errors of one kind are in one.
        peak: bytes.
        problem: why there is no more; None if all is there.
    """

    found: Mapping[str, Mapping[str, Any]]
    peak: int | None
    problem: str | None

    @classmethod
    def of(cls, watched: Watched) -> "Measured":
        """Every line that is JSON counts."""
        found: dict[str, dict[str, Any]] = {}
        for line in watched.lines:
            try:
                told = json.loads(line)
                found.setdefault(str(told["kind"]), {}).update(told)
            except (ValueError, KeyError, TypeError):
                continue
        return cls(found, watched.peak or None, watched.problem)

    @classmethod
    def failed(cls, problem: str) -> "Measured":
        """Nothing is known but why."""
        return cls({}, None, problem)

    def seconds(self, kind: str = "joint") -> float | None:
        """Of the fastest run."""
        return self.found.get(kind, {}).get("seconds")

    def error(self, kind: str) -> Error | None:
        """Of answers of that kind."""
        told = self.found.get(kind, {}).get("error")
        return None if told is None else Error(**told)

    def joined(self, other: "Measured") -> "Measured":
        """Both, of one peer: other kinds are added, the higher peak counts."""
        kinds = {**other.found, **{kind: {**other.found.get(kind, {}), **told} for kind, told in self.found.items()}}
        peak = max(self.peak or 0, other.peak or 0) or None
        return Measured(kinds, peak, self.problem or other.problem)


def time_text(seconds: float | None) -> str:
    """A time, if it is known."""
    return NOTHING if seconds is None else duration(seconds)


def size_text(size: int | None) -> str:
    """A size in memory, if it is known."""
    if size is None:
        return NOTHING
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def ratio_text(number: float | None, other: float | None) -> str:
    """How many times the other it is, if both are known."""
    return NOTHING if number is None or not other else f"{number / other:,.1f}x"
