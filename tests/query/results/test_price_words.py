"""Prices in words: what an attacker may come to believe is never told too low, whatever the ledger counts."""

import math
from fractions import Fraction

import pytest

from privet.core import Unit
from privet.loss import (
    Amount,
    ApproximateCurve,
    ConcentratedGuarantee,
    GaussianCurve,
    Guarantee,
    LaplaceCurve,
    PrivacyLoss,
)
from privet.query.results.price_words import amount_words, meaning_of, percent, price_words

PERSON = Unit("person")


@pytest.mark.parametrize("units", [("epsilon", "delta"), ("rho",), ("mu_squared",), ("divergence",)])
def test_every_ledger_has_words(units: tuple[str, ...]) -> None:
    price = Amount(*(Fraction(4) for _ in units), units=units)
    left = Amount(*(Fraction(5) for _ in units), units=units)
    said = price_words(price, left, unit=PERSON)
    assert said.startswith("this costs ")
    assert " 4 " in said
    assert " 1 " in said.split("afterwards")[1]
    assert "not enough" in price_words(left, price, unit=PERSON)


def test_prices_are_short_unless_that_changes_the_verdict() -> None:
    left = Amount(Fraction(2), units=("rho",))
    said = price_words(Amount(Fraction("0.0999999998"), units=("rho",)), left, unit=PERSON)
    assert said == "this costs ρ 0.1 per person of the ρ 2 left; afterwards ρ 1.9 is left"
    hair = Amount(Fraction("0.10000000001"), units=("rho",))
    tenth = Amount(Fraction("0.1"), units=("rho",))
    assert "costs ρ 0.100001 per person, and only ρ 0.1 is left" in price_words(hair, tenth, unit=PERSON)
    wider = Amount(Fraction("0.10000000002"), units=("rho",))
    assert "costs ρ 0.1 per person of the ρ 0.10000000002 left" in price_words(hair, wider, unit=PERSON)


def test_what_is_not_spent_is_not_mentioned() -> None:
    price = Amount(Fraction(4), Fraction(0), units=("epsilon", "delta"))
    left = Amount(Fraction(5), Fraction("1e-6"), units=("epsilon", "delta"))
    said = price_words(price, left, unit=PERSON)
    assert said == "this costs ε 4 per person of the ε 5 left; afterwards ε 1 is left"
    assert amount_words(Amount(Fraction(0), units=("rho",))) == "nothing"


@pytest.mark.parametrize(
    ("loss", "promise", "sure", "seldom"),
    [
        (PrivacyLoss.of(LaplaceCurve(1)), Guarantee(1), 1 / (1 + math.exp(-1)), ""),
        (PrivacyLoss.of(ApproximateCurve(1, "1e-6")), Guarantee(1, "1e-6"), 1 / (1 + math.exp(-1)), "1,000,000"),
        (PrivacyLoss.of(GaussianCurve("0.3")), ConcentratedGuarantee("0.045"), None, "1,000,000"),
        (
            PrivacyLoss.of(GaussianCurve("0.3")) + PrivacyLoss.of(ApproximateCurve("0.1", "1e-6")),
            Guarantee(2, "2e-6"),
            None,
            "100,000",
        ),
    ],
)
def test_a_belief_is_told_from_above(loss: PrivacyLoss, promise: Guarantee, sure: float | None, seldom: str) -> None:
    said = meaning_of(loss, promise=promise, unit=PERSON)
    told = float(said.split("at most ")[1].split(" ")[0]) / 100
    if sure is None:
        sure = loss.posterior(0.5, failure=1e-5)[1]
    assert sure <= told < sure + 0.1
    assert ("one chance in" in said) == bool(seldom)
    assert seldom in said


def test_what_protects_nobody_is_called_so() -> None:
    said = meaning_of(PrivacyLoss.of(LaplaceCurve(100)), promise=Guarantee(100), unit=PERSON)
    assert "protects nobody" in said
    replaced = Unit("person", "replace")
    assert "two versions of one person's rows" in meaning_of(
        PrivacyLoss.of(LaplaceCurve(1)), promise=Guarantee(1), unit=replaced
    )


def test_a_row_has_no_rows() -> None:
    for neighbors, words in (
        ("add_remove", "that one row is in the data"),
        ("replace", "two versions of one row to be"),
    ):
        row = Unit("row", neighbors)
        assert words in meaning_of(PrivacyLoss.of(LaplaceCurve(1)), promise=Guarantee(1), unit=row)


def test_percentages_are_rounded_up() -> None:
    for share in (0.5, 0.731058, 0.99, 0.9999546, 0.999999):
        assert share * 100 <= float(percent(share)) + 1e-9 <= share * 100 + 0.11
        assert float(percent(share)) < 100
