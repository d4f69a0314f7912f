"""Mission rows R011, R040 to R042, R049, R050, R054, R055, R184 and R186, asked as a user would."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet
from privet import Unit
from privet.mechanisms import Laplace
from tests.golden.printed import agrees
from tests.support.recording_ledger import Recording

SALARIES = np.array([20_000 + 1800 * place for place in range(100)])
PAY = (20_000, 200_000)


def reach(neighbors: str, ask: Any, **how: Any) -> Fraction:  # noqa: ANN401 - a statistic and its keywords
    """How far one unit moves the statistic, in its own unit: what Laplace noise of ε = 1 would have as its scale."""
    ledger = Recording(Unit("person", neighbors))
    ask(epsilon=1, ledger=ledger, **how)
    mechanism: Any = ledger.mechanisms[0]
    found: Fraction = ledger.sensitivities[0].l1 * getattr(mechanism, "factor", 1)
    return found


def test_r011_event_w_event_and_user_level() -> None:
    """24 events, 0.1 each: an event costs 0.1, any five consecutive ones 0.5, a user 2.4."""
    events = np.ones(24)
    hours = np.arange(24)
    users = ["ada"] * 24
    per_row = Laplace(l1_sensitivity=1, scale=10)
    for how, epsilon in (
        ({"unit": "event"}, 0.1),
        ({"unit_ids": users, "times": hours, "window": 5, "rows_per_time": 1}, 0.5),
        ({"unit_ids": users, "rows_per_unit": 24}, 2.4),
    ):
        rows = round(epsilon * 10)
        same_noise = Laplace(l1_sensitivity=rows, scale=per_row.scale)
        answer = privet.total(events, bounds=(0, 1), mechanism=same_noise, **how)
        assert answer.loss.epsilon(0) == epsilon
        if rows > 1:
            with pytest.raises(privet.PrivetError, match="does not cover"):
                privet.total(events, bounds=(0, 1), mechanism=per_row, **how)


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_r040_virus_count(neighbors: str) -> None:
    assert reach(neighbors, privet.count, values=np.array([True, False, True])) == 1


@pytest.mark.parametrize(("neighbors", "scale"), [("replace", 180_000), ("add_remove", 200_000)])
def test_r041_salary_total(neighbors: str, scale: int) -> None:
    assert reach(neighbors, privet.total, values=SALARIES, bounds=PAY) == scale
    laplace = Laplace(l1_sensitivity=scale, scale=scale)
    answer = privet.total(SALARIES, bounds=PAY, mechanism=laplace, neighbors=neighbors)
    assert answer.loss.epsilon(0) == 1
    assert answer.margin(0.9) == pytest.approx(scale * math.log(10), rel=1e-6)


def test_r042_average_salary_of_a_public_number_of_people() -> None:
    assert reach("replace", privet.mean, values=SALARIES, bounds=PAY) == 1800
    answer = privet.mean(SALARIES, bounds=PAY, mechanism=Laplace(1800, 1800), neighbors="replace")
    assert answer.margin(0.9) == pytest.approx(1800 * math.log(10), rel=1e-4)
    with pytest.raises(privet.PrivetError, match="does not cover"):
        privet.mean(SALARIES, bounds=PAY, mechanism=Laplace(1799, 1800), neighbors="replace")


def test_r042_without_a_public_number_nothing_is_split() -> None:
    """Two numbers for the price of one count: less noise than halves of ε for a sum and a count would give."""
    answer = privet.mean(SALARIES, bounds=PAY, epsilon=1)
    assert answer.mechanism == "Laplace(l1_sensitivity=1, scale=1)"


def test_r049_private_proportion() -> None:
    assert agrees(float(reach("replace", privet.proportion, values=np.arange(150) % 2 == 0)), "0.00666667")


def test_r050_r054_counting_query() -> None:
    """A whole-numbered count within ln 10 = 2.302585 with 90 %; on whole numbers that is 2, held by 91 %."""
    margin = privet.count(np.array([True, False]), epsilon=1).margin(0.9)
    assert margin == 2
    assert privet.target_error("count", epsilon=1, confidence=0.9).error == 2


def test_r055_mean_of_bounded_data() -> None:
    """Data in [-1, 1], n = 1000, ε = 1/2: Lap(2c/(nε)) has variance 8c²/(n²ε²) = 3.2e-5."""
    scale = reach("replace", privet.mean, values=np.zeros(1000, dtype=int), bounds=(-1, 1)) / Fraction(1, 2)
    assert 2 * scale**2 == Fraction(8) / (1000**2 * Fraction(1, 2) ** 2)
    assert agrees(float(Fraction(1, 3) / 1000 + 2 * scale**2), "3.653333e-4")


def test_r184_an_outlier_moves_the_mean_no_farther_than_anyone() -> None:
    """The largest salary grows a millionfold: after clipping, the exact mean is the same number."""
    outlier = SALARIES.copy()
    outlier[-1] *= 10**6
    secrets = []
    for values in (SALARIES, outlier):
        ledger = Recording(Unit("person", "replace"))
        privet.mean(values, bounds=PAY, epsilon=1, ledger=ledger)
        secrets.append(ledger.secrets[0][0])
    assert abs(secrets[0] - secrets[1]) <= 1


@pytest.mark.parametrize("statistic", ["count", "total", "mean", "proportion", "variance", "stddev"])
def test_r186_every_release_reports_accuracy_and_privacy(statistic: str) -> None:
    how: dict[str, Any] = {} if statistic in {"count", "proportion"} else {"bounds": PAY}
    answer = getattr(privet, statistic)(SALARIES, epsilon="0.5", **how)
    assert answer.margin(0.95) > 0
    assert answer.loss.epsilon(0) == 0.5
    assert "±" in repr(answer)
    assert "ε=0.5" in repr(answer)
