"""A notebook shows of a ledger what is spent, what is left, and to an analyst their own questions alone."""

import pytest

from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.core.ledger_card import SHOWN
from privet.errors import InvalidParameter
from privet.mechanisms import DiscreteLaplace

PERSON = Unit("person")
COUNT = DiscreteLaplace.calibrated(epsilon="0.05", sensitivity=Sensitivity(1))


def ask(ledger: Ledger, purpose: str) -> None:
    ledger.release(Sensitive(42, Sensitivity(1), PERSON), COUNT, purpose=purpose)


def test_the_card_of_an_owner_has_the_last_questions_with_their_numbers() -> None:
    ledger = Ledger(Guarantee(1), unit=PERSON)
    for number in range(SHOWN + 2):
        ask(ledger, f"<i>{number}")
    text = ledger._repr_html_()
    assert "&lt;i&gt;11" in text
    assert ">12<" in text
    assert "&lt;i&gt;1<" not in text
    assert "the last 10 of 12 questions" in text
    assert "ε=0.6, δ=0 of ε=1, δ=0 is spent; ε=0.4, δ=0 is left" in text
    assert ">by<" not in text


def test_the_card_of_an_analyst_tells_nothing_of_others() -> None:
    owner = Ledger(Guarantee(1), unit=PERSON)
    ask(owner, "question of another")
    ada = Ledger(Guarantee(1), unit=PERSON, journal=owner.journal, analyst="ada")
    assert "another" not in ada._repr_html_()
    ask(ada, "question of ada")
    shown = ada._repr_html_()
    assert "question of ada" in shown
    assert "another" not in shown
    assert "ε=0.05, δ=0 of" in shown


def test_a_chart_climbs_to_what_is_spent_below_the_limit() -> None:
    ledger = Ledger(Guarantee(1), unit=PERSON)
    with pytest.raises(InvalidParameter, match="ask something first"):
        ledger.plot()
    ask(ledger, "one")
    ask(ledger, "two")
    heights = {layer.name: [row["y"] for row in layer.rows] for layer in ledger.plot().layers}
    assert heights == {"spent": [0.0, 0.05, 0.1, 0.1], "limit": [1.0, 1.0]}
