"""owner_view: what is left, what was promised, who may ask, and what waits, as the owner's page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from privet.core.journals import Scope
from privet.core.journals.report import promised
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.server.console.charts.beliefs import belief_words, posterior
from privet.server.console.charts.burn_down import Spends, burn_down
from privet.server.console.charts.marks import gauge
from privet.server.console.views.amounts import (
    GAP,
    delta_of,
    delta_words,
    first_of,
    letter_of,
    limit_of,
    number_words,
    promise_words,
)
from privet.server.console.views.answer_view import title_of
from privet.server.console.views.ledger_view import LedgerPage
from privet.server.console.views.side_view import shortened, spent_words
from privet.server.console.views.table_view import Declared
from privet.server.console.views.times import day_words, read_time
from privet.server.people import Invited, Person, Role

if TYPE_CHECKING:
    from privet.core import Ledger
    from privet.core.journals.books import Books
    from privet.server.console.texts import Texts
    from privet.server.desk.requests import Request

LOW = 5  # less than a fifth of a cap is little
USUAL = Guarantee(1)


@dataclass(frozen=True)
class PersonLine:
    """Somebody, with their cap."""

    name: str
    role: str
    agent: bool
    gauge: Markup | None
    spent: str
    cap: str
    left: str
    state: str


@dataclass(frozen=True)
class QueueLine:
    """A question that waits."""

    number: str
    who: str
    agent: bool
    asks: Markup
    purpose: str
    sql: str
    short: str


@dataclass(frozen=True)
class OwnerView:
    """All that the owner's page shows."""

    head: Markup
    verified: Markup
    letter: str
    letters: list[str]
    left: str
    limit: str
    counts: list[Markup]
    burn: Markup | None
    gauge: Markup
    promised: Markup
    posterior: Markup
    promise_legend: Markup
    queue: list[QueueLine]
    people: list[PersonLine]
    caps: Markup
    entries: list[Any]
    shown: Markup
    older: str
    catalog: list[Declared]
    all_frozen: bool


@dataclass(frozen=True)
class Known:
    """What the page is made from.

    Args:
        ledger: to look at.
        questions: that were paid for.
        people: everybody with an account.
        invited: everybody who has not come yet.
        requests: that wait.
        page: of the ledger's rows.
        catalog: what was declared.
        rows: how many rows verified.
        opened: when the ledger was made.
    """

    ledger: "Ledger"
    questions: Sequence[Mapping[str, Any]]
    people: Sequence[Person]
    invited: Sequence[Invited]
    requests: Sequence["Request"]
    page: LedgerPage
    catalog: list[Declared]
    rows: int
    opened: str | None


def owner_view(t: "Texts", known: Known, *, now: datetime) -> OwnerView:
    """What the page shows."""
    books = known.ledger.journal.books()
    spent = known.ledger.spent
    limit = known.ledger.limit
    account = books.dataset
    remaining = account.remaining if account.remaining is not None else spent
    whole, left = limit_of(limit, spent, remaining), first_of(remaining)
    letter = letter_of(spent)
    asked = known.questions
    words = t.plain(
        "owner.gauge", letter=letter, spent=number_words(first_of(spent), up=True), limit=number_words(whole, up=False)
    )
    counts = [
        t("owner.answers", count=f"{len(asked):,}"),
        t("owner.askers", count=len({each["analyst"] for each in asked})),
    ]
    if isinstance(limit, Guarantee) and limit.delta and "delta" in spent.units:
        counts.append(t("owner.delta", spent=delta_words(delta_of(spent)), limit=delta_words(limit.delta)))
    said, picture, legend = _promise(t, books, known)
    return OwnerView(
        head=t("owner.head", limit=promise_words(limit), unit=known.ledger.unit.name),
        verified=t("owner.verified", rows=f"{known.rows:,}", at=f"{now:%H:%M}"),
        letter=letter,
        letters=known.page.letters,
        left=number_words(left, up=False),
        limit=number_words(whole, up=False),
        counts=counts,
        burn=_burn(t, known, whole=whole, left=left, letter=letter, now=now) if asked else None,
        gauge=gauge("g-all", cap=float(whole), spent=float(whole - left), words=words),
        promised=said,
        posterior=picture,
        promise_legend=legend,
        queue=[_queued(t, each, known.people) for each in known.requests],
        people=_people(t, books, known),
        caps=_caps(t, books, known, whole=whole, letter=letter),
        entries=known.page.lines,
        shown=t("owner.shown", shown=len(known.page.lines), all=f"{known.page.count:,}"),
        older=known.page.older,
        catalog=known.catalog,
        all_frozen=account.frozen,
    )


def promise_epsilon(books: "Books", limit: Guarantee | ConcentratedGuarantee) -> float:
    """The ε of a limit, for pictures: its own, or what a limit on ρ keeps."""
    if isinstance(limit, Guarantee):
        return float(limit.epsilon)
    return float(promised(books, books.terms.capacity(limit)).epsilon)


def _promise(t: "Texts", books: "Books", known: Known) -> tuple[Markup, Markup, Markup]:
    unit = known.ledger.unit.name
    so_far = promised(books, books.dataset.total)
    most = promise_epsilon(books, known.ledger.limit)
    _, at_limit = belief_words(most)
    limit_words = number_words(Fraction(most), up=True)
    if not so_far.epsilon:
        said = t("owner.promised_none", limit=limit_words, unit=unit, most=at_limit)
    else:
        said = t("owner.promised", unit=unit, most=belief_words(float(so_far.epsilon))[1])
    legend = t("owner.legend", now=number_words(so_far.epsilon, up=True), limit=limit_words, most=at_limit)
    rest = t("owner.legend_delta", delta=delta_words(so_far.delta)) if so_far.delta else t("owner.legend_pure")
    picture = posterior(t, float(so_far.epsilon), "promise-now", size=260, also=most)
    return said, picture, legend + " " + rest


def _burn(t: "Texts", known: Known, *, whole: Fraction, left: Fraction, letter: str, now: datetime) -> Markup:  # noqa: PLR0913 - what the picture shows
    steps = []
    running = whole
    for each in known.questions:
        at = read_time(each["at"])
        charged = next(iter(each["charged"].values()), "0")
        running = max(running - Fraction(charged), Fraction(0))
        if at is not None:
            steps.append((at, float(running)))
    if steps and abs(steps[-1][1] - float(left)) > 1e-9:  # noqa: PLR2004 - the limit was changed or renewed: only what is left now is known
        steps[-1] = (steps[-1][0], float(left))
    first = read_time(known.opened) or (steps[0][0] if steps else now)
    start = min([first, *(at for at, _ in steps)])
    spends = Spends(float(whole), start, max([now, *(at for at, _ in steps)]), steps, letter)
    until = spends.empty_at
    until_words = "" if until is None else day_words(until.timestamp())
    left_words = number_words(left, up=False)
    words = t.plain(
        "owner.burn_words",
        letter=letter,
        limit=number_words(whole, up=False),
        start=day_words(start.timestamp()),
        left=left_words,
    )
    if until is not None:
        words += " " + t.plain("owner.burn_pace_words", until=until_words)
    return burn_down(
        spends,
        title=t.plain("owner.burn_title"),
        words=words,
        left=t.plain("owner.burn_left", letter=letter, left=left_words),
        pace=t.plain("owner.pace", until=until_words) if until is not None else "",
    )


def _queued(t: "Texts", request: "Request", people: Sequence[Person]) -> QueueLine:
    person = next((each for each in people if each.name == request.analyst), None)
    purpose = title_of(request.purpose, "") if request.purpose else ""
    asks = t("owner.asks", amount=spent_words(request.price))
    return QueueLine(
        request.number,
        request.analyst,
        person is not None and person.agent,
        asks,
        purpose,
        request.text,
        shortened(request.text),
    )


def _people(t: "Texts", books: "Books", known: Known) -> list[PersonLine]:
    found = [_person(t, books, each) for each in known.people]
    return found + [_line(t, books, Person(each.name, each.role), state="invited") for each in known.invited]


def _person(t: "Texts", books: "Books", person: Person) -> PersonLine:
    account = books.account(Scope(person.name))
    state = "ok"
    if not person.active:
        state = "gone"
    elif account.frozen:
        state = "frozen"
    elif books.frozen(person.name):
        state = "failing"
    elif account.limit is not None and account.remaining is not None:
        cap = first_of(account.spent) + first_of(account.remaining)
        state = "low" if LOW * first_of(account.remaining) < cap else "ok"
    return _line(t, books, person, state=state)


def _line(t: "Texts", books: "Books", person: Person, *, state: str) -> PersonLine:
    if person.role is Role.AUDITOR:
        return PersonLine(
            person.name, person.role.value, agent=False, gauge=None, spent="", cap="", left="", state=state
        )
    account = books.account(Scope(person.name))
    letter = letter_of(account.spent)
    spent = number_words(first_of(account.spent), up=True)
    if account.limit is None or account.remaining is None:
        return PersonLine(person.name, person.role.value, person.agent, None, spent, t.plain("owner.no_cap"), "", state)
    cap = limit_of(account.limit, account.spent, account.remaining)
    words = t.plain("owner.gauge", letter=letter, spent=spent, limit=number_words(cap, up=False))
    picture = gauge(f"g-{len(person.name)}", cap=float(cap), spent=float(first_of(account.spent)), words=words)
    left = number_words(first_of(account.remaining), up=False)
    return PersonLine(
        person.name, person.role.value, person.agent, picture, spent, number_words(cap, up=False), left, state
    )


def _caps(t: "Texts", books: "Books", known: Known, *, whole: Fraction, letter: str) -> Markup:
    named = [(each.name, each.role) for each in known.people] + [(each.name, each.role) for each in known.invited]
    accounts = [books.account(Scope(name)) for name, role in named if role is not Role.AUDITOR]
    if not accounts or any(each.limit is None or each.remaining is None for each in accounts):
        return t("owner.caps_open")
    total = sum(
        (
            limit_of(each.limit, each.spent, each.remaining)
            for each in accounts
            if each.limit is not None and each.remaining is not None
        ),
        Fraction(0),
    )
    return t(
        "owner.caps",
        letter=letter,
        sum=number_words(total, up=True),
        limit=f"{letter}{GAP}{number_words(whole, up=False)}",
    )


def utc_now() -> datetime:
    """The time, for people."""
    return datetime.now(UTC)
