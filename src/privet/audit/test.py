"""test: the audit of anything that can be run."""
# ruff: noqa: PT028 - it is not a test of pytest

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from privet.audit.adapters.recognised import adapted
from privet.audit.claim import Claim, claimed
from privet.audit.domain import Domain
from privet.audit.finding import Finding
from privet.audit.progress import Progress
from privet.audit.runs import Subject, draw_of, name_of
from privet.audit.sampled import Plan, SampledAudit
from privet.audit.search import most_promising
from privet.errors import InvalidParameter
from privet.loss.exact import shown, whole
from privet.noise import BitSource

ALPHA = 1e-6
FEWEST = 20


def test(  # noqa: PLR0913 - what an audit is made of, each by name
    subject: Subject,
    *,
    pair: Sequence[Any] | None = None,
    domain: Domain | None = None,
    claim: Claim | None = None,
    trials: int = 100_000,
    alpha: float = ALPHA,
    stop_early: bool = False,
    source: BitSource | None = None,
    name: str | None = None,
    progress: bool | None = None,
) -> Finding:
    """Attack anything that can be run, and say what it reveals at least.

    Args:
        subject: a mechanism, of Privet, OpenDP or diffprivlib, a local protocol, or a function of the input. A function
            with a parameter `count` is run so often at once and returns one outcome for each; one with a parameter
            `source` takes its bits from there. Each run must be independent of the others and leave the input as it is.
            Failures are outcomes too.
        pair: two neighboring inputs.
        domain: where neighbors are looked for if no pair is given: what inputs may be.
        claim: a `Guarantee`, a `ConcentratedGuarantee`, a `PrivacyLoss`, or a text such as "epsilon=1, delta=1e-6"; by
            default what a mechanism says of itself, and ε = 1 of a function.
        trials: runs of each input; about a quarter of them choose the event, the others test it.
        alpha: the chance that a bound or an accusation is wrong, in all.
        stop_early: True to end as soon as the claim is contradicted. The bound is then of the runs that it took.
        source: where a mechanism's bits come from; the operating system's by default.
        name: what the subject is called.
        progress: True to show how far it is from two seconds on, False never to; by default on terminals.

    Privacy: runs the subject on the two inputs only. Give it invented inputs, never data: an audit is not a release.
    Proof: an event is fixed before the runs that test it, both directions and all stages share alpha, and the bounds
        are Clopper and Pearson's. See `Plan`, and docs/audit.md.
    Not covered: events that no view shows, pairs that are not tried, time.

    Example:
        >>> from privet.loss import Guarantee
        >>> def leaky(value, source, count):  # Laplace noise for half the ε that is claimed
        ...     from privet.mechanisms import Laplace
        ...     return Laplace(1, "0.5").sample([value] * count, source)
        >>> found = test(leaky, pair=(0, 1), claim=Guarantee(1), alpha=1e-3)
        >>> found.violated, 1.9 < found.epsilon < 2
        (True, True)
    """
    subject = adapted(subject)
    said = claimed(claim, subject)
    plan = Plan(whole(trials, "trials", low=FEWEST), _chance(alpha))
    if (pair is None) == (domain is None) or (pair is not None and not _are_two(pair)):
        raise InvalidParameter(
            "an audit needs two neighboring inputs, or the domain in which to look for them: "
            "write pair=(data, neighbor) or domain=Domain(bounds=(0, 1))"
        )
    draw = draw_of(subject, source)
    sought = None if domain is None else most_promising(draw, domain.pairs(), said, plan)
    one, other = pair if pair is not None else sought.pair if sought is not None else ()
    watch = Progress(2 * plan.trials, shown=progress)
    audit = SampledAudit(draw, (one, other), said, plan, watch)
    try:
        for broken in audit.stages():
            if broken and stop_early:
                break
    finally:
        watch.end()
    notes = () if sought is None else (sought.note,)
    return audit.finding(name_of(subject) if name is None else name, notes)


def _chance(alpha: object) -> float:
    """The chance of being wrong that was asked for, if it is one."""
    number = float(alpha) if isinstance(alpha, int | float | Fraction | np.floating) and 0 < alpha < 1 else 0.0
    if not 0 < number < 1:  # a fraction may be nearest to one of the ends
        raise InvalidParameter(
            f"alpha must be a number above 0 and below 1, got {shown(alpha)}: it is how often a bound may be wrong"
        )
    return number


def _are_two(pair: object) -> bool:
    """Whether these are two inputs that can be counted: a generator of them cannot."""
    try:
        return len(pair) == 2  # type: ignore[arg-type] # noqa: PLR2004 - two neighbors
    except TypeError:
        return False
