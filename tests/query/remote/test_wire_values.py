import datetime as dt
import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.risk import Risk
from privet.query.options import Options
from privet.query.remote.wire_values import said_from_wire, said_to_wire

SAID: list[dict[str, Any]] = [
    {"epsilon": "0.1", "delta": 1e-7},
    {"rho": Fraction(1, 3), "delta": Decimal("1e-9")},
    {"epsilon": np.float64(0.25), "rows_per_unit": np.int64(3)},
    {"risk": Risk.power(true_positive="0.2", false_positive="0.01"), "delta": "1e-9"},
    {"risk": "advantage 10%"},
    {"error": {"n": 5, "s": "2% of 400"}, "rows": 100},
    {"epsilon": 1, "weights": {"n": Fraction(1, 3)}},
    {"epsilon": 1, "params": {"a": 1, "b": 1.0, "c": "x", "d": None, "e": True, "date": dt.date(2024, 2, 29)}},
    {"epsilon": 1, "params": [dt.datetime(2024, 2, 29, 12, 30, 1), "", -7]},  # noqa: DTZ001 - statements have no zones
    {"epsilon": 1, "automatic_bounds": "auto", "clipping": "report", "quantile_intervals": True, "confidence": 0.9},
]


@pytest.mark.parametrize("said", SAID)
def test_a_question_means_the_same_after_the_way(said: dict[str, Any]) -> None:
    there = said_from_wire(json.loads(json.dumps(said_to_wire(said), allow_nan=False)))
    mine, theirs = ({**each} for each in (said, there))
    weights = [each.pop("weights", None) for each in (mine, theirs)]
    first, second = (
        Options.of(each, weights=weight, budget=Guarantee(1))  # type: ignore[arg-type] # words of a test
        for each, weight in zip((mine, theirs), weights, strict=True)
    )
    assert (first.promise, first.limits, first.params, first.errors, first.delta, first.rows) == (
        (second.promise, second.limits, second.params, second.errors, second.delta, second.rows)
    )


@pytest.mark.parametrize(
    "facts",
    [
        {"asker": "eve"},
        {"epsilom": 1},
        {"risk": {"kind": "posterior", "most": "1e999999999", "base": "0.5"}},
        {"risk": {"kind": "power", "most": "0.1"}},
        {"risk": {"kind": "other"}},
        {"params": {"a": {"date": "2024-02-30"}}},
        {"params": {"a": {"date": "2024-02-20", "more": 1}}},
        {"params": {"a": {}}},
        {"params": [{"timestamp": 3}]},
    ],
)
def test_what_means_nothing_is_refused(facts: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        said_from_wire(facts)


def test_what_cannot_travel_is_refused_before_it_does() -> None:
    with pytest.raises(InvalidParameter, match="epsilon must be a number or a text, got a object"):
        said_to_wire({"epsilon": object()})
    assert said_to_wire({"epsilon": float("nan")}) == {"epsilon": "nan"}, "it is refused there, in the same words"
