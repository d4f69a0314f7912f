# ruff: noqa: INP001 - a script, not a package
"""Subject: one thing of Privet that is audited, and what came of it."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from privet import audit
from privet.audit import Finding
from privet.audit.runs import draw_of

ALPHA = 1e-6  # of one subject: of a thousand of them one is accused wrongly once in a thousand audits
PILOT = 10  # runs of either input, by which the rest are timed
FEWEST, MOST = 200, 200_000


@dataclass(frozen=True)
class Row:
    """A line of the page.

    Args:
        part: which part of Privet.
        subject: what was audited.
        claim: in words.
        claimed: ε at the δ of the audit; infinite where only other things were looked at.
        bound: ε is at least this.
        trials: runs of either input.
        broken: whether a claim is violated.
        verdict: one sentence.
        seconds: of a processor.
    """

    part: str
    subject: str
    claim: str
    claimed: float
    bound: float
    trials: int
    broken: bool
    verdict: str
    seconds: float

    def plain(self) -> dict[str, Any]:
        """For a file."""
        return asdict(self)


@dataclass(frozen=True)
class Subject:
    """One thing that is audited.

    Args:
        part: which part of Privet.
        name: what it is called.
        run: audits it in about so many seconds of a processor, and returns the row.
    """

    part: str
    name: str
    run: Callable[["Subject", float], Row] = field(repr=False)

    def row(self, finding: Finding, seconds: float) -> Row:
        """What a finding says."""
        return Row(
            self.part,
            self.name,
            finding.claim,
            finding.claimed_epsilon,
            finding.epsilon,
            finding.trials,
            finding.violated,
            finding.verdict,
            seconds,
        )


def sampled(run: Any, pair: tuple[Any, Any], claim: Any) -> Callable[[Subject, float], Row]:  # noqa: ANN401 - anything
    """An audit by as many runs as the time allows."""

    def audited(subject: Subject, budget: float) -> Row:
        began = time.process_time()
        draw = draw_of(run)
        for value in pair:
            draw(value, PILOT)
        each = (time.process_time() - began) / (2 * PILOT)
        trials = int(min(max(budget / (2 * each), FEWEST), MOST))
        found = audit.test(run, pair=pair, claim=claim, trials=trials, alpha=ALPHA, progress=False, name=subject.name)
        return subject.row(found, time.process_time() - began)

    return audited
