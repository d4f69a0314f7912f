"""Exports, for owners and auditors: the ledger, the record of processing, the statement for those concerned."""

import tempfile

from starlette.responses import Response

from privet.core.journals.report import promised
from privet.loss import Guarantee
from privet.server.console.charts.beliefs import belief_words
from privet.server.console.routes.route import Page, away
from privet.server.console.views.amounts import delta_words, number_words, promise_words
from privet.server.console.views.owner_view import promise_epsilon, utc_now
from privet.server.console.views.times import time_words
from privet.server.console.visit import Visit
from privet.server.people import TokenScope
from privet.wording.printable import printable

SPOOLED = 1 << 24  # bytes that are kept in memory


async def ledger_json(visit: Visit) -> Response:
    """The report and every row, with hashes."""
    return await _ledger(visit, csv=False)


async def ledger_csv(visit: Visit) -> Response:
    """Every row for a spreadsheet."""
    return await _ledger(visit, csv=True)


async def _ledger(visit: Visit, *, csv: bool) -> Response:
    def made() -> bytes:
        with tempfile.SpooledTemporaryFile(
            SPOOLED, "w+", encoding="utf-8", errors="backslashreplace", newline=""
        ) as text:
            visit.doors.desk.owner(visit.asker).export(text, csv=csv)  # type: ignore[arg-type] # it is a text file
            text.seek(0)
            return text.read().encode("utf-8", "backslashreplace")

    kind = "csv" if csv else "json"
    media = "text/csv; charset=utf-8" if csv else "application/json"
    return _file(await away(made), f"ledger.{kind}", media)


async def record(visit: Visit) -> Response:
    """The record of processing activities (GDPR, Article 30), in words."""
    return _text(await away(_record, visit), "record-of-processing.txt")


def _record(visit: Visit) -> str:
    t = visit.doors.pages.texts
    owners = visit.doors.desk.owner(visit.asker)
    rows = owners.verify()
    found, ledger = owners.report(), owners.ledger
    unit = ledger.unit.name
    lines = [
        t.plain("record.title"),
        "",
        t.plain("record.dataset", dataset=found["dataset"]),
        t.plain("record.unit", unit=unit),
        t.plain("record.limit", unit=unit, limit=promise_words(ledger.limit)),
        t.plain("record.spent", spent=promise_words(_so_far(visit))),
        t.plain("record.words", words=found["promised_so_far"]["words"]),
        *(t.plain("record.declared", name=name, text=text) for name, text in found["declared"].items()),
        "",
        t.plain("record.recipients"),
    ]
    spent = {each.get("analyst"): each["spent"] for each in found["scopes"] if "purpose" not in each}
    for person in owners.people():
        said = spent.get(person.name) or {}
        words = ", ".join(f"{name} {amount}" for name, amount in said.items()) or "0"
        lines.append(
            t.plain("record.recipient", name=person.name, role=t.plain(f"role.{person.role.value}"), spent=words)
        )
    lines += [
        "",
        t.plain("record.safeguards", unit=unit, rows=f"{rows:,}"),
        "",
        t.plain("record.made", at=time_words(utc_now().isoformat())),
    ]
    return "\n".join(printable(line.replace("\N{NO-BREAK SPACE}", " ")) for line in lines)


def _so_far(visit: Visit) -> Guarantee:
    books = visit.doors.desk.owner(visit.asker).ledger.journal.books()
    return promised(books, books.dataset.total)


async def statement(visit: Visit) -> Response:
    """What may be published for those whose data it is."""
    return _text(await away(_statement, visit), "privacy-statement.txt")


def _statement(visit: Visit) -> str:
    t = visit.doors.pages.texts
    ledger = visit.doors.desk.owner(visit.asker).ledger
    books = ledger.journal.books()
    so_far, limit = _so_far(visit), ledger.limit
    dataset, unit = visit.doors.desk.catalog.name, ledger.unit.name
    _, most = belief_words(promise_epsilon(books, limit))
    _, now = belief_words(float(so_far.epsilon))
    lines = [
        t.plain("promise.title", dataset=dataset),
        "",
        t.plain("promise.first", dataset=dataset, unit=unit, most=most),
        t.plain("promise.now", spent=f"ε {number_words(so_far.epsilon, up=True)}", limit=promise_words(limit), now=now),
        "",
        t.plain("promise.second"),
    ]
    if isinstance(limit, Guarantee) and limit.delta:
        lines.append(t.plain("promise.delta", delta=delta_words(limit.delta)))
    return "\n".join(printable(line.replace("\N{NO-BREAK SPACE}", " ")) for line in lines)


def _text(text: str, name: str) -> Response:
    return _file(f"{text}\n".encode(), name, "text/plain; charset=utf-8")


def _file(content: bytes, name: str, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers={"content-disposition": f'attachment; filename="{name}"'})


EXPORTS = (
    Page("/owner/ledger.json", ledger_json, TokenScope.AUDIT),
    Page("/owner/ledger.csv", ledger_csv, TokenScope.AUDIT),
    Page("/owner/record.txt", record, TokenScope.AUDIT),
    Page("/owner/promise.txt", statement, TokenScope.AUDIT),
)
