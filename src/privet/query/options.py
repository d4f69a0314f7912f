"""Options: what may be said about a question, besides the question."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict

from privet.asking.auto_bounds import SHARE
from privet.asking.budget import Budget
from privet.asking.wanted_error import Wanted, wanted_of
from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Promise
from privet.loss.exact import Exact, exact, shortest, whole
from privet.loss.risk import Risk
from privet.query.plan.limits import AUTO, BOUNDING, Limit, Limits, limits_from
from privet.query.scalars.parameters import Given, Parameters
from privet.wording.nearest import nearest

SHAPING = ("weights", "rows_per_unit", "groups_per_unit", "rows_per_group", "bounding", "automatic_bounds")
SPENDING = ("epsilon", "delta", "rho", "risk", "error", "rows")
ALL = (*SPENDING, *SHAPING, "clipping", "confidence", "interval", "quantile_intervals", "params")
INTERVALS = ("data", "population")  # what intervals are for
REPORT = "report"  # what may be said about clipping


class Keywords(TypedDict, total=False):
    """What may be said about questions, all by name.

    epsilon, delta, rho: what to spend; the catalog's budget by default. risk: in the place of ε, what an attacker may
    gain at most. error: in the place of ε, the largest margin that will do, of all columns or by name: 5, "2% of 400";
    the least ε (or ρ) is found that gives it. rows: how many are expected in a group, where a margin depends on it.
    rows_per_unit, or groups_per_unit and
    rows_per_group: how much of one unit is used, in the place of the catalog's limits; "auto" for either of the first
    two finds that number with part of the budget. bounding: whether to
    "weigh" or "sample" the rows beyond them. automatic_bounds: "auto", or the share of the budget with which
    bounds are found that nobody declared. clipping: "report" also releases, for a tenth of the budget, which share of
    values was clipped and which share of units had more rows or groups than count. confidence: of the intervals.
    interval: whether intervals are for the "data" at hand, or for the "population" that its units are a sample of.
    quantile_intervals: True spends four fifths of what a quantile costs on an interval around it.
    params: values for the statement's :names, by name, or a list for its ?.
    """

    epsilon: Exact | None
    delta: Exact | None
    rho: Exact | None
    risk: Risk | str | None
    error: Exact | Mapping[str, Exact] | None
    rows: int | None
    rows_per_unit: Limit
    groups_per_unit: Limit
    rows_per_group: int | None
    bounding: str | None
    automatic_bounds: Exact | None
    clipping: str | None
    confidence: float
    interval: str
    quantile_intervals: bool
    params: Mapping[str, Given] | Sequence[Given] | None


@dataclass(frozen=True)
class Options:
    """What was said about a question, checked.

    Args:
        promise: what may be spent: ε and δ, or ρ.
        delta: with ρ, the δ at which a ledger that counts ε and δ charges it.
        limits: in the place of the catalog's.
        automatic_bounds: the share of the budget that finding bounds takes, where some are missing.
        weights: of columns of the answer, by name: one with twice the weight gets twice the share.
        confidence: of the intervals.
        errors: the margins that will do; then only the kind of the promise, and its δ, were said: its ε or ρ is found.
        rows: how many are expected in a group.
        shaping: all that shapes the answer, as it is compared when it is asked again.
        clipping: whether what is clipped or over a limit is reported.
        population: whether intervals are for the population that the units are a sample of, not for the data at hand.
        params: values for parameters of the statement.
        quantile_intervals: whether intervals are drawn with quantiles.
    """

    promise: Promise
    delta: Fraction | None = None
    limits: Limits | None = None
    automatic_bounds: Fraction | None = None
    weights: Mapping[str, Exact] | None = None
    confidence: float = 0.95
    errors: Wanted | None = None
    rows: int | None = None
    shaping: tuple[str, ...] = ()
    clipping: bool = False
    population: bool = False
    params: Parameters | None = None
    quantile_intervals: bool = False

    @classmethod
    def of(
        cls,
        keywords: Keywords,
        *,
        weights: Mapping[str, Exact] | Sequence[Exact] | None = None,
        budget: Promise | None = None,
    ) -> "Options":
        """Refuse what means nothing, before anything is read.

        Args:
            keywords: as they were said.
            weights: of columns, where one question is asked.
            budget: what to spend if nothing is said about it.
        """
        unknown = keywords.keys() - ALL
        if unknown:
            word = min(unknown)
            raise InvalidParameter(f"a question does not take the keyword {word!r}{nearest(word, ALL)}")
        if weights is not None and not isinstance(weights, Mapping):
            raise InvalidParameter("weights of one statement are a mapping of its columns to numbers")
        confidence = keywords.get("confidence", 0.95)
        refuse_certainty(confidence, "confidence")
        limits = limits_of(
            rows_per_unit=keywords.get("rows_per_unit"),
            groups_per_unit=keywords.get("groups_per_unit"),
            rows_per_group=keywords.get("rows_per_group"),
            bounding=keywords.get("bounding"),
        )
        errors = _errors(keywords, weights)
        rows = keywords.get("rows")
        spent = _spent(keywords, budget)
        share = keywords.get("automatic_bounds")
        given = keywords.get("params")
        params = None if given is None else Parameters.of(given)
        said: Mapping[str, object] = {**keywords, "weights": weights}
        report = reports_clipping(keywords.get("clipping"))
        population = for_population(keywords.get("interval"))
        ends = draws_ends(keywords.get("quantile_intervals"), population=population)
        return cls(
            spent.promise,
            spent.delta,
            limits,
            None if share is None else share_of(share),
            weights,
            confidence,
            errors,
            None if rows is None else whole(rows, "rows"),
            (
                *(_shape(said.get(word)) for word in SHAPING),
                *_errors_shape(errors, rows),
                *_added_shapes(report=report, population=population, ends=ends),
                *_said(params),
            ),
            report,
            population,
            params,
            ends,
        )

    @property
    def quantiles_within(self) -> float | None:
        """The confidence of the intervals that are drawn with quantiles; None if none are."""
        return self.confidence if self.quantile_intervals else None

    def asked(self, text: str) -> str:
        """A statement as it is recorded, with the values of its parameters."""
        return text.strip() if self.params is None else f"{text.strip()} [{self.params.said}]"

    def question(self, *about: object) -> str:
        """What a retry key is bound to: what is asked, and all that shapes its answer.

        The words of the promise are what ledgers hold since the first keys: other words would make every key of a
        ledger that is in use a key of another question.
        """
        promise = f"Asked(promise={self.promise!r}, delta={self.delta!r})"
        return json.dumps([*about, promise, self.confidence, *self.shaping])


def refuse_weights(keywords: Keywords, weights: object) -> None:
    """Shares follow from errors: refuse to be told both."""
    if keywords.get("error") is not None and weights is not None:
        raise InvalidParameter("weights do not go with error, which finds the share of each column: leave one out")


def limits_of(
    *,
    rows_per_unit: Limit = None,
    groups_per_unit: Limit = None,
    rows_per_group: int | None = None,
    bounding: str | None = None,
) -> Limits | None:
    """The limits that an analyst asks for, or None if the catalog's shall hold."""
    named = {"rows_per_unit": rows_per_unit, "groups_per_unit": groups_per_unit, "rows_per_group": rows_per_group}
    given = {name: _limit(value, name) for name, value in named.items() if value is not None}
    way = bounding_of(bounding)
    if not given:
        return None if way is None else Limits(bounding=way)
    by_group = given.get("groups_per_unit") == AUTO or len(given) > 1
    if (len(given) > 1) if "rows_per_unit" in given else ("groups_per_unit" not in given or not by_group):
        raise InvalidParameter(
            f"limits are either rows_per_unit alone, or groups_per_unit and rows_per_group, got {', '.join(given)}"
        )
    rows, groups, each = (given.get(name) for name in named)
    return limits_from(rows, groups, each, way)  # type: ignore[arg-type] # rows_per_group is a number


def _limit(value: object, name: str) -> Limit:
    """A number, or that it is to be found."""
    if value == AUTO and name != "rows_per_group":
        return "auto"
    if isinstance(value, str) and name != "rows_per_group":
        raise InvalidParameter(f'{name} must be a whole number >= 1, or "{AUTO}", got {value!r:.80}')
    return whole(value, name)


def bounding_of(way: object) -> str | None:
    """What was said about bounding.

    Raises:
        InvalidParameter: if it is neither "weigh" nor "sample".
    """
    if way is None or way in BOUNDING:
        return None if way is None else str(way)
    raise InvalidParameter(f'bounding must be "{BOUNDING[0]}" or "{BOUNDING[1]}", got {way!r}')


def reports_clipping(said: object) -> bool:
    """Whether clipping is to be reported.

    Raises:
        InvalidParameter: if something else was said about it.
    """
    if said is None or said == REPORT:
        return said is not None
    raise InvalidParameter(f'clipping must be "{REPORT}" or be left out, got {said!r:.80}')


def share_of(share: Exact) -> Fraction:
    """The share of the budget that finding bounds may take; "auto" is the one that arrays take."""
    number = SHARE if share == AUTO else exact(share, "automatic_bounds")
    if not 0 < number < 1:
        raise InvalidParameter(
            f"automatic_bounds is the share of the budget that finding bounds takes, between 0 and 1, got "
            f'{shortest(number)}: pass "auto", or "0.2" or so'
        )
    return number


def _errors(keywords: Keywords, weights: object) -> Wanted | None:
    """The errors that were said; then nothing else may say what is spent."""
    said = keywords.get("error")
    if said is None:
        return None
    if also := [name for name in ("epsilon", "rho", "risk") if keywords.get(name) is not None]:
        raise InvalidParameter(f"error finds the least that has to be spent: leave out {' and '.join(also)}, or error")
    refuse_weights(keywords, weights)
    if keywords.get("automatic_bounds") is not None:
        raise InvalidParameter(
            "error does not go with automatic_bounds: how sure an answer is depends on the bounds that are found; "
            "declare them, or say what to spend"
        )
    return wanted_of(said)


def for_population(interval: object) -> bool:
    """Whether intervals are for the population.

    Raises:
        InvalidParameter: if it is neither "data" nor "population".
    """
    if interval is not None and interval not in INTERVALS:
        raise InvalidParameter(f'interval must be "{INTERVALS[0]}" or "{INTERVALS[1]}", got {interval!r:.80}')
    return interval == INTERVALS[1]


def draws_ends(said: object, *, population: bool) -> bool:
    """Whether intervals are drawn with quantiles.

    Raises:
        InvalidParameter: if it is neither true nor false, or intervals are for the population.
    """
    if said is not None and not isinstance(said, bool):
        raise InvalidParameter(f"quantile_intervals must be True or False, got {said!r:.80}")
    if said and population:
        raise InvalidParameter(
            'quantile_intervals are for the data at hand: leave out interval="population", or quantile_intervals'
        )
    return bool(said)


def _errors_shape(errors: Wanted | None, rows: int | None) -> tuple[str, ...]:
    """Nothing where nothing is said: keys of earlier versions stay keys of the same questions."""
    return () if errors is None else (repr(errors), repr(rows))


def _spent(keywords: Keywords, budget: Promise | None) -> Budget:
    """What was said, or else the budget; a δ of its own is taken with it."""
    epsilon = keywords.get("epsilon")
    delta = keywords.get("delta")
    rho = keywords.get("rho")
    risk = keywords.get("risk")
    if budget is None or any(said is not None for said in (epsilon, rho, risk)):
        return Budget.of(epsilon=epsilon, delta=delta, rho=rho, risk=risk)
    if isinstance(budget, ConcentratedGuarantee):
        return Budget.of(rho=budget.rho, delta=delta)
    return Budget.of(epsilon=budget.epsilon, delta=budget.delta if delta is None else delta)


def _added_shapes(*, report: bool, population: bool, ends: bool) -> tuple[str, ...]:
    """What shapes an answer only where it is said, so that keys of questions that do not say it stay what they are."""
    added = {"clipping": report, "population": population, "quantile_intervals": ends}
    return tuple(word for word, said in added.items() if said)


def _said(params: Parameters | None) -> list[str]:
    """What a key is bound to besides, where there are parameters: their values, each as its type is written."""
    return [] if params is None else [f"params: {params.said}"]


def _shape(value: object) -> str:
    return repr(sorted(value.items()) if isinstance(value, Mapping) else value)
