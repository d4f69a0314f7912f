"""Report: what a ledger has promised so far, to whom, in words and as JSON."""

import csv
import json
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, TextIO

from privet.core.journals.account import Account
from privet.core.journals.books import Books
from privet.core.journals.entry import SPENDS, amount_of
from privet.core.journals.journal import Journal
from privet.core.journals.scope import Scope
from privet.core.journals.terms import promise_facts
from privet.loss import (
    Amount,
    ConcentratedCurve,
    EpsilonSum,
    GaussianCurve,
    GaussianSum,
    Guarantee,
    LossCurve,
    PrivacyLoss,
    RenyiBoundCurve,
    RenyiSum,
    SpendingRule,
    ZcdpSum,
)
from privet.loss.amount import charge
from privet.loss.exact import readable, shortest

DIGITS = 10**9  # an ε that was computed is told to nine digits after the point, rounded up
USUAL_DELTA = Fraction(1, 10**6)  # at which a limit on ρ is read as ε
RULES: dict[type[SpendingRule], str] = {
    EpsilonSum: "The ε and δ of all answers are added up: ten answers at ε=0.1 fill a limit of ε=1.",
    ZcdpSum: "The ρ of all answers (zero-concentrated privacy) is added up: many small answers cost less than by ε.",
    RenyiSum: "One Rényi divergence of all answers is added up: many small answers cost less than by ε.",
    GaussianSum: "The μ² of all answers is added up: the best count for Gaussian noise.",
}
COLUMNS = ("sequence", "at", "kind", "analyst", "purpose", "mechanism")
MORE_COLUMNS = ("reservation", "key", "scope", "limit", "frozen", "act", "by", "about", "reason", "hash")


def promised(books: Books, amount: Amount) -> Guarantee:
    """The (ε, δ) that spends of this total keep together, rounded up.

    Example:
        >>> from privet import Ledger, Unit
        >>> books = Ledger(Guarantee(1, 1e-6), unit=Unit("person"), rule=ZcdpSum()).journal.books()
        >>> promised(books, Amount(Fraction(1, 100), units=("rho",)))
        (ε=0.621692655, δ=1e-6)-DP
    """
    limit = books.terms.limit
    parts = amount.parts
    delta = limit.delta if isinstance(limit, Guarantee) else USUAL_DELTA
    if not books.terms.counts_gamma:
        return _promised(books.terms.rule, parts, delta)
    kept = _promised(books.terms.rule, parts[:-1], delta)
    return Guarantee(kept.epsilon, kept.delta, Fraction(parts[-1]))


@lru_cache(maxsize=1024)
def _promised(rule: SpendingRule, parts: tuple[Fraction, ...], delta: Fraction) -> Guarantee:
    if isinstance(rule, EpsilonSum):
        return Guarantee(*parts)
    (total,) = parts
    if not total:
        return Guarantee(0)
    curve: LossCurve
    if isinstance(rule, ZcdpSum):
        curve = ConcentratedCurve(total)
    elif isinstance(rule, RenyiSum):
        curve = RenyiBoundCurve(rule.order, total)
    else:
        curve = GaussianCurve(math.nextafter(math.sqrt(total) * (1 + 2.0**-50), math.inf))
    epsilon = charge(PrivacyLoss.of(curve).epsilon(delta))
    return Guarantee(Fraction(math.ceil(epsilon * DIGITS), DIGITS), delta)


def in_words(guarantee: Guarantee, unit: str) -> str:
    """What a guarantee means for one unit."""
    if not guarantee.epsilon and not guarantee.delta:
        return f"nothing has been revealed about any {unit}"
    factor, belief = _powers(guarantee.epsilon)
    but = f", but for a chance of {readable(guarantee.delta)}" if guarantee.delta else ""
    random = (
        f"; all of this with probability {readable(1 - guarantee.gamma)} over data drawn like the samples that "
        "sensitivities were estimated from, and without any bound otherwise"
        if guarantee.gamma
        else ""
    )
    return (
        f"whether one {unit} is in the data or not changes the chance of any outcome by a factor of at most {factor}"
        f"{but}; who was 50 % sure of something about one {unit} can become at most {belief} sure{random}"
    )


def _powers(epsilon: Fraction) -> tuple[str, str]:
    """Return e^ε and e^ε/(1+e^ε), rounded up, for people."""
    if epsilon > 50:  # noqa: PLR2004 - then neither bounds anything
        return f"e^{readable(epsilon)}", "100 %"
    factor = math.exp(float(epsilon))
    shown = math.ceil(factor * 1000) / 1000 if factor < 1000 else math.ceil(factor)  # noqa: PLR2004 - digits enough
    return f"{shown:,}", f"{math.ceil(1000 / (1 + 1 / factor)) / 10:g} %"


def report(journal: Journal) -> dict[str, Any]:
    """Everything an owner or auditor asks first, as JSON; amounts are exact."""
    books, head = journal.books(), journal.head()
    terms = books.terms
    total = promised(books, books.dataset.total)
    return {
        "ledger": journal.place,
        "dataset": terms.dataset,
        "version": terms.version,
        "shared_by": sorted(books.names - {terms.dataset}),
        "unit": {"name": terms.unit.name, "neighbors": terms.unit.neighbors.value},
        "rule": json.loads(terms.rule.to_json()) | {"name": terms.rule.name, "words": RULES.get(type(terms.rule), "")},
        "declared": dict(sorted(books.declared.items())),
        "entries": books.spends,
        "head": {"sequence": head.sequence, "hash": head.hash.hex()},
        "promised_so_far": promise_facts(total) | {"words": in_words(total, terms.unit.name)},
        "failures": {
            "allowed": terms.failures,
            "everybody_frozen": books.failures.all_frozen(allowed=terms.failures),
            "analysts": [
                {"analyst": name, "failures": count, "frozen": books.frozen(name)}
                for name, count in books.failures.facts
            ],
        },
        **({"lost": _parts(books.lost)} if books.losses else {}),
        "scopes": [_scope_report(books, scope, account) for scope, account in _in_order(books)],
    }


def _in_order(books: Books) -> list[tuple[Scope, Account]]:
    return sorted(books.accounts.items(), key=lambda pair: (pair[0].purpose or "", pair[0].analyst or ""))


def _scope_report(books: Books, scope: Scope, account: Account) -> dict[str, Any]:
    left = account.remaining
    return {
        "scope": repr(scope),
        **scope.facts,
        "limit": None if account.limit is None else promise_facts(account.limit),
        "frozen": account.frozen,
        "period": account.period,
        "spent": _parts(account.spent),
        "remaining": None if left is None else _parts(left),
        "spent_in_all_periods": _parts(account.total),
        "promised_in_this_period": promise_facts(promised(books, account.spent)),
        "promised_in_all_periods": promise_facts(promised(books, account.total)),
    }


def _parts(amount: Amount) -> dict[str, str]:
    return {unit: shortest(Fraction(part)) for unit, part in zip(amount.units, amount.parts, strict=True)}


def questions(journal: Journal) -> list[dict[str, Any]]:
    """The questions that were paid for, numbered 1, 2, 3: rows of answers, draws and acts of the owner are none."""
    units = journal.books().nothing.units
    paid: list[dict[str, Any]] = []
    for row in journal.rows():
        facts = row.facts
        if facts["kind"] in SPENDS and any((cost := amount_of(facts["cost"], units)).parts):
            about = {"at": facts["at"], "analyst": facts["analyst"], "purpose": facts["purpose"]}
            paid.append({"number": len(paid) + 1, **about, "charged": _parts(cost)})
    return paid


def export_json(journal: Journal, file: TextIO) -> None:
    """Write the report and every row, with its hash, as one JSON document."""
    head = json.dumps(report(journal), indent=1)
    file.write(head.removesuffix("\n}") + ',\n "rows": [')
    for number, row in enumerate(journal.rows()):
        text = json.dumps({"sequence": row.sequence, "hash": row.hash.hex(), **row.facts})
        file.write(f"{',' if number else ''}\n  {text}")
    file.write("\n ]\n}\n")


def export_csv(journal: Journal, file: TextIO) -> None:
    """Write every row for a spreadsheet: what was charged in a column for each unit of the rule."""
    units = journal.books().nothing.units
    writer = csv.writer(file)
    writer.writerow([*COLUMNS, *(f"charged_{unit}" for unit in units), *MORE_COLUMNS])
    for row in journal.rows():
        facts = {"sequence": row.sequence, "hash": row.hash.hex(), **row.facts}
        charged: Iterator[Any] = iter([""] * len(units))
        if facts["kind"] in SPENDS:
            charged = (shortest(Fraction(part)) for part in amount_of(facts["cost"], units).parts)
        cells = [*(facts.get(name) for name in COLUMNS), *charged, *(facts.get(name) for name in MORE_COLUMNS)]
        writer.writerow([_cell(cell) for cell in cells])


def _cell(value: object) -> str:
    """A cell that a spreadsheet does not take for a formula."""
    if value is None:
        return ""
    text = json.dumps(value) if isinstance(value, dict) else str(value)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
