"""The audit by samples: what it flags, what it does not, and what it says."""

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from privet import audit
from privet.audit.bounds import Seen
from privet.audit.progress import Progress
from privet.audit.sampled import Plan
from privet.audit.zoo.draws import Draws
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, DiscreteLaplaceCurve, Guarantee, PrivacyLoss
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace
from privet.noise import BitSource, Entropy

TWICE = DiscreteLaplace(1, "0.5")  # ε = 2


def test_a_violation_is_told_in_words_and_figures(source: BitSource) -> None:
    found = audit.test(TWICE, pair=(0, 1), claim=Guarantee(1), source=source, trials=40_000)
    assert found.violated
    assert 1.8 < found.epsilon <= 2
    assert found.verdict.startswith("violates the claim: ε is at least 1.")
    assert found.verdict.endswith("with confidence 99.9999 %")
    assert "DiscreteLaplace" in str(found)
    assert found.verdict in repr(found)
    assert "<table" in found._repr_html_()
    assert 0 < found.delta < (1 - math.exp(-1)) * 0.5 * (1 + math.e)


def test_no_violation_is_never_called_a_proof(source: BitSource) -> None:
    found = audit.test(DiscreteLaplace(1, 1), pair=(0, 1), source=source, trials=20_000)
    assert not found.violated
    assert found.epsilon > 0.8
    assert found.verdict.startswith("no violation found")
    assert "20,000 runs" in found.verdict
    assert 1 < found.visible < 1.3
    few = audit.test(DiscreteLaplace(1, "0.05"), pair=(0, 1), source=source, trials=40)
    assert "too few" in few.verdict


def test_what_would_have_been_seen_is_seen(source: BitSource) -> None:
    """Six audits of a loss 15 % above `visible`: each flags it with probability one half at least, nearly always."""
    found = audit.test(DiscreteLaplace(1, 1), pair=(0, 1), source=source, trials=10_000)
    louder = DiscreteLaplace(1, f"{1 / (1.15 * found.visible):.6f}")
    flags = [audit.test(louder, pair=(0, 1), claim=Guarantee(1), source=source, trials=10_000) for _ in range(6)]
    assert any(each.violated for each in flags)


@pytest.mark.whole
def test_a_true_claim_is_contradicted_as_seldom_as_stated(source: BitSource) -> None:
    """300 audits at alpha = 0.01 of a mechanism that keeps its claim exactly, n = 2,000: more than 12 have a chance
    below 1.4e-5 even if every single one were wrong with all of alpha.
    """
    flags = sum(
        audit.test(DiscreteLaplace(1, 1), pair=(0, 1), source=source, trials=2_000, alpha=0.01).violated
        for _ in range(300)
    )
    assert flags <= 12
    assert binom.sf(12, 300, 0.01) < 2e-5


def test_choosing_and_testing_on_the_same_runs_would_be_caught(source: BitSource) -> None:
    """The control of the one above: the event that looks best in 2,000 runs looks better in them than it is."""
    draws = Draws(source)
    wrong = 0
    for _ in range(200):
        rows = draws.geometric(1.0, 2, 200)
        rows[1] += 1
        rates = [
            Seen(int((rows[0] <= cut).sum()), 200, int((rows[1] <= cut).sum()), 200).likely(0.2).epsilon(0)
            for cut in range(-4, 5)
        ]
        wrong += max(rates) > 1
    assert wrong > binom.isf(1e-6, 200, 0.02)


@pytest.mark.parametrize(
    ("claim", "violated"),
    [
        (Guarantee(1), True),
        (Guarantee(2), False),
        (Guarantee(1, "0.6"), False),
        (Guarantee(1, "0.5"), True),
        (ConcentratedGuarantee("0.3"), True),
        (ConcentratedGuarantee(2), False),
        (PrivacyLoss.of(DiscreteLaplaceCurve(1)), True),
        (PrivacyLoss.of(DiscreteLaplaceCurve("0.5")), False),
        ("epsilon=1, delta=0.5", True),
        ("mu=4", False),
        ("epsilon=1e400", False),
        ("rho=1e400", False),
        (None, False),
    ],
    ids=str,
)
def test_every_kind_of_claim(claim: Any, violated: bool, source: BitSource) -> None:  # noqa: ANN401, FBT001 - a table
    assert audit.test(TWICE, pair=(0, 1), claim=claim, source=source, trials=20_000).violated == violated


def test_a_gaussian_is_judged_at_its_delta_and_in_mu(source: BitSource) -> None:
    found = audit.test(Gaussian(1, 1), pair=(0, 1), source=source, trials=60_000)
    assert not found.violated
    assert found.at_delta > 0
    assert 0.9 < found.mu <= 1
    halved = audit.test(Gaussian(1, "0.5"), pair=(0, 1), claim=Gaussian(1, 1).loss, source=source, trials=20_000)
    assert halved.violated
    assert 1.7 < halved.mu <= 2


def test_the_trade_off_curve_holds_with_its_band(source: BitSource) -> None:
    """True for Laplace noise: misses are at least those that ε = 2 allows; the band reaches near them."""
    found = audit.test(TWICE, pair=(0, 1), claim=Guarantee(1), source=source, trials=40_000)
    for alarms, low, high, misses, least, most in found.tradeoff:
        assert low <= alarms <= high
        assert least <= misses <= most
        allowed = max(0.0, 1 - math.exp(2) * high, math.exp(-2) * (1 - high))
        assert most >= allowed
    assert min(point[2] + point[5] for point in found.tradeoff) < 0.35
    assert repr(found.chart()) == "Chart(3 lines: claimed, seen, at worst (99.9999 %), seen)"


def test_an_audit_stops_when_it_is_sure(source: BitSource) -> None:
    found = audit.test(TWICE, pair=(0, 1), claim=Guarantee("0.5"), source=source, trials=10**6, stop_early=True)
    assert found.violated
    assert found.trials < 10_000


def test_stages_spend_alpha_once() -> None:
    for trials in (20, 500, 3001, 10**6):
        stages = Plan(trials, 1e-3).stages
        assert sum(number for number, _ in stages) == trials
        assert math.fsum(share for _, share in stages) == pytest.approx(1e-3)
        assert stages[0][1] == 0
        assert all(number > 0 for number, _ in stages)
    assert Plan(10**6, 1e-3).stages[-1][0] > 0.8 * 10**6


def test_what_is_read_together_accuses_nobody() -> None:
    """A rare outcome must not change what the others beside it are called: 12 audits of 4,000 runs at alpha = 1e-6."""
    for often, seldom in ((1, None), (1, 1.5), ((1,), (1, 2, 3)), (1, 10**400), (1.0, math.nan)):
        bits = iter(Entropy().words(400_000).tolist())

        def rare(data: int, often: Any = often, seldom: Any = seldom, bits: Any = bits) -> Any:  # noqa: ANN401, ARG001
            return seldom if next(bits) % 1500 == 0 else often

        for _ in range(3):
            assert not audit.test(rare, pair=(0, 1), claim=Guarantee("0.5"), trials=4_000).violated


def test_what_changes_as_it_is_run_accuses_nobody() -> None:
    """A budget that runs out in the middle of an audit runs out for both inputs."""
    left = iter(range(5_000))
    found = audit.test(lambda _: next(left), pair=(0, 1), claim=Guarantee("0.5"), trials=8_000)
    assert not found.violated, str(found)


def test_where_everything_fails_nothing_is_audited() -> None:
    with pytest.raises(InvalidParameter, match=r"every run failed with TypeError\("):
        audit.test(lambda data: data + "a", pair=(0, 1), trials=100)
    assert audit.test(lambda data: [0][data + 0], pair=(0, 1), trials=200).violated  # one input alone fails


def test_what_is_told_in_tables_and_series_is_an_event() -> None:
    """Else a function that prints the data in a frame would look right."""
    for told in (pd.Series, lambda data: pd.DataFrame({"a": data}), lambda data: [complex(0, data[0])]):
        found = audit.test(told, pair=([0], [1]), trials=200)
        assert found.violated, str(found)
    assert audit.test(lambda data: 2**60 + data, pair=(0, 1), trials=200).violated


def test_what_cannot_be_looked_into_is_not_called_right() -> None:
    with pytest.raises(InvalidParameter, match="every run gave a generator, into which the audit cannot look"):
        audit.test(lambda data: (each for each in [data]), pair=(0, 1), trials=100)
    found = audit.test(lambda data: (1, (each for each in [data])), pair=(0, 1), trials=100)
    assert "what is in a generator was not looked at" in str(found)


def test_failures_types_and_shapes_are_events() -> None:
    def failing(data: int) -> Any:  # noqa: ANN401 - several
        if data:
            raise ValueError("no rows")
        return 1.0

    for function in (failing, lambda data: [0] * data, lambda data: None if data else 0.5, lambda data: data or "none"):
        found = audit.test(function, pair=(0, 1), trials=200)
        assert found.violated
        assert found.epsilon > 1


def test_a_function_that_never_looks_reveals_nothing() -> None:
    found = audit.test(lambda _: 1, pair=(0, 1), trials=200)
    assert (found.violated, found.epsilon, found.delta, found.mu) == (False, 0.0, 0.0, 0.0)


def test_findings_survive_json(source: BitSource) -> None:
    found = audit.test(Laplace(1, 1), pair=(0, 1), source=source, trials=1_000)
    assert audit.Finding.from_json(found.to_json()) == found
    assert json.loads(found.to_json())["verdict"] == found.verdict
    blind = audit.test(lambda data: data, pair=(0, 1), trials=30, claim=Guarantee(50))
    assert audit.Finding.from_json(blind.to_json()) == blind
    with pytest.raises(InvalidParameter, match="to_json"):
        audit.Finding.from_json("{}")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"alpha": 0}, "alpha"),
        ({"alpha": 1.0}, "alpha"),
        ({"alpha": math.nan}, "alpha"),
        ({"alpha": "0.1"}, "alpha must be a number above 0 and below 1, got '0.1'"),
        ({"alpha": None}, "alpha"),
        ({"alpha": np.array([0.1, 0.2])}, "alpha"),
        ({"alpha": Fraction(1, 10**400)}, "alpha"),
        ({"trials": 3}, "trials"),
        ({"pair": (1, 2, 3)}, "two neighboring inputs"),
        ({"pair": (each for each in (0, 1))}, "two neighboring inputs"),
        ({"pair": 1}, "two neighboring inputs"),
        ({"pair": np.array(1)}, "two neighboring inputs"),
        ({"claim": 1}, "Guarantee"),
        ({"claim": Guarantee(1, 0, "0.1")}, "random DP"),
    ],
)
def test_wrong_words_are_refused(words: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidParameter, match=problem):
        audit.test(abs, **{"pair": (0, 1), "trials": 100, **words})


def test_progress_is_shown_after_two_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 1.0, 3.0, 3.1])
    monkeypatch.setattr("privet.audit.progress.time.monotonic", lambda: next(clock))
    watch = Progress(10, shown=True)
    watch.step(1)
    assert capsys.readouterr().err == ""
    watch.step(4)
    assert "50%" in capsys.readouterr().err
    watch.step(1)
    assert capsys.readouterr().err == ""
    watch.end()
    assert capsys.readouterr().err.strip() == ""


def test_many_numbers_of_one_answer(source: BitSource) -> None:
    """Ten counts, each with the noise of the whole ε: what is seen is far above the claim."""

    def counts(data: int, source: BitSource, count: int) -> Any:  # noqa: ANN401 - an array
        return data + np.asarray(Draws(source).geometric(1.0, count, 10))

    assert audit.test(counts, pair=(0, 1), source=source, trials=5_000).epsilon > 3


@pytest.mark.parametrize("words", ["epsilon", "epsilon=", "epsilon=1, epsilon=2", "delta=1", "rho=1, delta=0", "eps=1"])
def test_claims_are_written_in_one_way(words: str) -> None:
    with pytest.raises(InvalidParameter, match="a claim is written"):
        audit.test(abs, pair=(0, 1), claim=words)
