"""Release: a value with its uncertainty and its price."""

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from privet.core import Ledger, Release, Sensitive, Sensitivity, Uncertainty, Unit
from privet.core.encoding import decoded, encoded
from privet.errors import InvalidParameter
from privet.loss import Guarantee, PrivacyLoss
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from privet.mechanisms.discrete_gaussian import DiscreteGaussianError
from privet.mechanisms.discrete_laplace import DiscreteLaplaceError
from privet.mechanisms.gaussian import GaussianError
from privet.mechanisms.laplace import LaplaceError

PERSON = Unit("person")
NOISY = Laplace(l1_sensitivity=1, scale=2)
ERRORS: list[Uncertainty] = [
    LaplaceError(2.0, 0.25),
    LaplaceError(1e6),
    GaussianError(3.0, 0.5),
    GaussianError(1e-3),
    DiscreteLaplaceError(2.0),
    DiscreteLaplaceError(0.1),
    DiscreteLaplaceError(5000.0),
    DiscreteGaussianError(0.3),
    DiscreteGaussianError(4.0),
    DiscreteGaussianError(2000.0),
]


def released(value: Any, mechanism: Any = NOISY) -> Release[Any]:  # noqa: ANN401 - anything
    ledger = Ledger(Guarantee(10, "1e-3"), unit=PERSON)
    secret = Sensitive(value, Sensitivity(1), PERSON)
    return ledger.release(secret, mechanism, purpose="a test", delta="1e-4")


def test_the_interval_is_the_value_plus_and_minus_the_margin() -> None:
    release = released(42)
    low, high = release.interval(0.9)
    assert math.isclose(high - low, 2 * release.margin(0.9))
    assert math.isclose(release.margin(0.9), 2 * math.log(10), rel_tol=1e-6)
    cells = released(np.zeros(11))
    assert cells.margin(0.95) < cells.margin(0.95, simultaneous=True)
    assert np.all(cells.interval()[0] < cells.interval()[1])


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("confidence", [1e-6, 0.5, 0.9, 0.95, 0.999999])
@pytest.mark.parametrize("cells", [1, 2, 1000])
def test_margins_hold_at_their_confidence_and_are_not_wider(error: Uncertainty, confidence: float, cells: int) -> None:
    margin = error.margin(confidence, cells=cells)
    assert (1 - error.tail(margin)) ** cells >= confidence - 1e-11
    shorter = margin * (1 - 1e-6) - 1e-9 if not float(margin).is_integer() else margin - 1
    if shorter > 1:
        assert (1 - error.tail(shorter)) ** cells < confidence


@pytest.mark.parametrize("mechanism", [NOISY, Gaussian(1, 2), DiscreteLaplace(1, 2), DiscreteGaussian(1, 2)], ids=repr)
def test_intervals_cover_as_often_as_they_say(mechanism: Any) -> None:  # noqa: ANN401 - any of the four
    """n = 100,000 cells; six standard deviations, a false alarm rate of 2e-9."""
    n, truth = 100_000, 7
    release = released(np.full(n, truth), mechanism)
    low, high = release.interval(0.8)
    covered = float(np.mean((low <= truth) & (truth <= high)))
    spread = 6 * math.sqrt(0.8 * 0.2 / n)
    assert covered >= 0.8 - spread
    if isinstance(mechanism, Laplace | Gaussian):
        assert covered <= 0.8 + spread  # exact, so not wider either
    narrow = release.margin(0.8) * 0.6
    assert float(np.mean(np.abs(release.value - truth) <= narrow)) < 0.8 - spread  # the control


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, math.nan])
def test_a_confidence_is_between_zero_and_one(confidence: float) -> None:
    with pytest.raises(InvalidParameter, match="confidence"):
        released(42).interval(confidence)


def test_map_is_free_and_forgets_the_uncertainty() -> None:
    release = released(42)
    rounded = release.map(round)
    assert isinstance(rounded.value, int)
    assert rounded.loss == release.loss
    with pytest.raises(InvalidParameter, match="before `map`"):
        rounded.interval()


def test_an_uncertainty_computed_from_released_numbers_may_be_given() -> None:
    release = released(10.0, Laplace(l1_sensitivity=1, scale=1))
    doubled = release.map(lambda value: 2 * value, uncertainty=LaplaceError(2.0))
    assert math.isclose(doubled.margin(0.9), 2 * math.log(10), rel_tol=1e-6)
    assert doubled.loss == release.loss


def test_it_reads_well() -> None:
    text = repr(released(1234.5, Laplace(l1_sensitivity=1, scale=1)))
    assert " ± 3 (95%)" in text
    assert "spent ε=1 per person" in text
    assert "'a test'" in text
    many = repr(released(np.zeros(1000)))
    assert "990 more" in many
    assert len(many) < 400
    assert "± 6 (95%)" in repr(released(5, DiscreteLaplace(1, 2)))


def test_the_label_of_random_dp_survives_json_and_post_processing() -> None:
    ledger = Ledger(Guarantee(1, gamma="1/3"), unit=PERSON)
    secret = Sensitive(42, Sensitivity(1, gamma="1/3"), PERSON)
    release = ledger.release(secret, Laplace(l1_sensitivity=1, scale=1), purpose="a test")
    assert Release.from_json(release.to_json()) == release
    assert Release.from_json(release.to_json()).gamma == release.map(float).gamma == Fraction(1, 3)
    assert "random DP" in repr(Release.from_json(release.to_json()))
    proven = released(42)
    assert "gamma" not in json.loads(proven.to_json())
    assert "random" not in repr(proven)
    text = proven.to_json()
    with pytest.raises(InvalidParameter, match="gamma"):
        Release.from_json(json.dumps(json.loads(text) | {"gamma": "1.5"}))


def test_to_json_says_everything_and_from_json_reads_it() -> None:
    release = released(np.arange(4).reshape(2, 2), DiscreteLaplace(1, 2))
    facts = json.loads(release.to_json())
    assert facts["unit"] == {"name": "person", "neighbors": "add_remove"}
    again = Release.from_json(release.to_json())
    assert np.array_equal(again.value, release.value)
    assert again.uncertainty == release.uncertainty
    assert again.loss == release.loss
    assert again.to_json() == release.to_json()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"value": 1}', '{"value": {"kind": "os.system"}}', "null"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidParameter, match="not the JSON of a release"):
        Release.from_json(text)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.fractions()
    | arrays.arrays(np.float64, (2, 3), elements=st.floats(-1e9, 1e9))
    | arrays.arrays(np.int64, (4,)),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(VALUES)
def test_values_survive_json(value: Any) -> None:  # noqa: ANN401 - anything
    text = json.dumps(encoded(value))
    again = decoded(json.loads(text))
    assert json.dumps(encoded(again)) == text
    assert type(again) is type(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.array([1.0, np.nan]), [1.0, math.inf]])
def test_only_finite_numbers_are_written(value: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="finite"):
        encoded(value)


@pytest.mark.parametrize("value", [object(), {1: 2}, {1, 2}, b"bytes", print])
def test_what_has_no_text_is_refused(value: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="map the release"):
        encoded(value)


def test_minus_zero_is_zero_and_numpy_numbers_are_plain() -> None:
    assert json.dumps(encoded(-0.0)) == "0.0"
    assert json.dumps(encoded(np.array([-0.0]))) == '{"array": [0.0], "dtype": "float64"}'
    assert json.dumps(encoded(np.int64(3))) == "3"
    assert decoded(encoded(Fraction(1, 3))) == Fraction(1, 3)


def test_unknown_classes_are_not_made_up() -> None:
    with pytest.raises(InvalidParameter, match="pass it in kinds"):
        decoded({"kind": "Popen", "args": "rm"})


def test_a_release_of_nothing_known() -> None:
    release = Release("yes", None, PrivacyLoss(), "p", "m", PERSON)
    assert repr(release).startswith("'yes'")


def test_releases_of_arrays_are_not_compared_by_a_sign() -> None:
    one = released(np.zeros(3))
    assert released(1.5).to_json() != one.to_json()
    for other in (one, released(2.5)):
        with pytest.raises(InvalidParameter, match=r"numpy\.array_equal"):
            assert other == one
    number = released(4)
    assert number == Release.from_json(number.to_json())
    assert number != released(10**9)
    assert number != "4"
    assert len({number, Release.from_json(number.to_json())}) == 1
