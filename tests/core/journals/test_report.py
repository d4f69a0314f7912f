"""What an owner reads: exact, in words, and safe to open in a spreadsheet."""

import csv
import io
import json
from fractions import Fraction

import pytest

from privet.core import Ledger, Scope, Sensitive, Sensitivity
from privet.core.journals.report import RULES, export_csv, export_json, in_words, promised, report
from privet.loss import ConcentratedGuarantee, EpsilonSum, GaussianSum, Guarantee, RenyiSum, SpendingRule, ZcdpSum
from privet.mechanisms import Gaussian, Laplace
from tests.support.ledger_processes import PERSON, SECRET, ask, new_ledger


@pytest.mark.parametrize("rule", [EpsilonSum("1e-7"), ZcdpSum(), RenyiSum(16), GaussianSum()], ids=str)
def test_what_is_promised_is_never_less_than_what_was_released(rule: SpendingRule) -> None:
    """The promise of three Gaussian answers is an upper bound of their true composed ε, and within the limit."""
    ledger = Ledger(Guarantee(1, "1e-6"), unit=PERSON, rule=rule)
    noisy = Gaussian(l2_sensitivity=1, scale=40)
    for _ in range(3):
        ledger.release(SECRET, noisy, purpose="a mean")
    books = ledger.journal.books()
    told = promised(books, books.dataset.total)
    assert told.delta <= Fraction(1, 10**6)
    assert float(told.epsilon) >= (noisy.loss * 3).epsilon("1e-6")
    assert told.epsilon <= 1
    assert RULES[type(rule)]


def test_a_full_ledger_has_promised_its_limit() -> None:
    for rule in (ZcdpSum(), RenyiSum(16), GaussianSum()):
        books = Ledger(Guarantee(1, "1e-6"), unit=PERSON, rule=rule).journal.books()
        assert float(promised(books, rule.capacity(Guarantee(1, "1e-6"))).epsilon) == pytest.approx(1, rel=1e-6)


def test_a_limit_on_rho_is_read_at_a_usual_delta() -> None:
    books = Ledger(ConcentratedGuarantee("0.1"), unit=PERSON).journal.books()
    assert promised(books, books.dataset.total) == Guarantee(0)
    told = promised(books, ZcdpSum().capacity(ConcentratedGuarantee("0.1")))
    assert told.delta == Fraction(1, 10**6)
    assert 2 < told.epsilon < 3


def test_words() -> None:
    assert in_words(Guarantee(0), "person") == "nothing has been revealed about any person"
    assert "factor of at most 2.719; who was 50 % sure" in in_words(Guarantee(1), "person")
    assert "at most 73.2 % sure" in in_words(Guarantee(1), "person")
    assert "but for a chance of 1e-6" in in_words(Guarantee(1, "1e-6"), "person")
    assert "at most e^100" in in_words(Guarantee(100), "person")
    assert "at most 22,027;" in in_words(Guarantee(10), "person")


def test_the_report_is_exact_and_whole() -> None:
    ledger = new_ledger(None, Guarantee(3), analyst="ada", dataset="visits")
    ledger.journal.cap(Guarantee("1/3"), scope=Scope("bob"), frozen=True, reason="away")
    ask(ledger)
    ledger.journal.renew(reason="a new year")
    ask(ledger)
    found = report(ledger.journal)
    everything, ada, bob = found["scopes"]
    assert everything["period"] == 2
    assert everything["promised_in_this_period"] == {"epsilon": "1", "delta": "0"}
    assert everything["promised_in_all_periods"] == {"epsilon": "2", "delta": "0"}
    assert (ada["spent"]["epsilon"], ada["limit"], ada["remaining"]) == ("2", None, None)
    assert (bob["limit"]["epsilon"], bob["frozen"], bob["remaining"]["epsilon"]) == ("1/3", True, "0")
    assert found["promised_so_far"]["epsilon"] == "2"
    assert found["entries"] == 2
    assert json.loads(json.dumps(found)) == found


def test_the_json_export_can_be_checked_without_privet() -> None:
    ledger = new_ledger(None)
    ask(ledger, "beds \ud800", key="k")
    file = io.StringIO()
    export_json(ledger.journal, file)
    found = json.loads(file.getvalue())
    assert [row["kind"] for row in found["rows"]] == ["opened", "release", "answer"]
    assert found["head"]["hash"] == found["rows"][-1]["hash"]
    assert found["dataset"] == "default"


def test_the_csv_export_is_safe_to_open() -> None:
    ledger = new_ledger(None)
    ask(ledger, "=HYPERLINK(1)")
    ask(ledger, "two\nlines, and \ud800")
    ledger.journal.cap(Guarantee(5), scope=Scope("ada"), reason="+1")
    file = io.StringIO()
    export_csv(ledger.journal, file)
    file.getvalue().encode()
    opened, first, second, cap = csv.DictReader(io.StringIO(file.getvalue()))
    assert first["purpose"] == "'=HYPERLINK(1)"
    assert (first["charged_epsilon"], first["charged_delta"]) == ("1", "0")
    assert second["purpose"] == "two\nlines, and \\ud800"
    assert (opened["kind"], opened["charged_epsilon"]) == ("opened", "")
    assert (cap["reason"], json.loads(cap["limit"])) == ("'+1", {"epsilon": "5", "delta": "0"})


@pytest.mark.parametrize("rule", [EpsilonSum("1e-7"), ZcdpSum()], ids=str)
def test_random_dp_is_told_as_such(rule: SpendingRule) -> None:
    ledger = Ledger(Guarantee(1, "1e-6", "0.1"), unit=PERSON, rule=rule)
    ledger.release(
        Sensitive(1, Sensitivity(1, gamma="0.05"), PERSON), Laplace(l1_sensitivity=1, scale=10), purpose="a mean"
    )
    told = report(ledger.journal)
    assert told["promised_so_far"]["gamma"] == "0.05"
    assert "with probability 0.95 over data drawn like the samples" in told["promised_so_far"]["words"]
    assert told["scopes"][0]["spent"]["gamma"] == "0.05"
    assert told["scopes"][0]["remaining"]["gamma"] == "0.05"
    written = io.StringIO()
    export_csv(ledger.journal, written)
    rows = list(csv.DictReader(io.StringIO(written.getvalue())))
    assert rows[-1]["charged_gamma"] == "0.05"
