from typing import Any, ClassVar

import numpy as np
import pytest

from privet import Guarantee, Ledger, Unit
from privet.errors import InvalidParameter
from privet.learn import GaussianNB
from privet.learn.bayes_classifier import class_shares, kept_share
from privet.noise import BitSource
from tests.contracts.estimator import EstimatorContract, Example
from tests.support.recording_ledger import RecordingPlans


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(
            GaussianNB,
            {"classes": ["no", "yes"], "bounds": (0, 1)},
            required=("classes", "bounds"),
            classes=("no", "yes"),
            methods=("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"),
            checks={"epsilon": 10**8},
        ),
        Example(
            GaussianNB,
            {"classes": [-1, 3, 7], "bounds": (0, 1), "pooled": False},
            required=("classes", "bounds"),
            classes=(-1, 3, 7),
            delta="1e-6",
            checks={"epsilon": 10**8},
        ),
    ]


def blobs(rows: int, *, spread: float = 1.0) -> tuple[Any, Any]:
    """Two classes around (3, 5) and (7, 5), the second column twice as wide in the first class."""
    draw = np.random.default_rng(5)
    labels = np.arange(rows) % 2
    points = draw.normal(size=(rows, 2)) * spread
    points[labels == 0, 1] *= 2
    return points + np.where(labels[:, None] == 0, (3.0, 5.0), (7.0, 5.0)), labels


def made(source: BitSource | None = None, **more: Any) -> GaussianNB:  # noqa: ANN401 - parameters
    ledger = RecordingPlans(Unit("person"), source)
    return GaussianNB(**{"classes": [0, 1], "bounds": (0, 10), "epsilon": 1, "ledger": ledger, **more})


def test_without_noise_it_is_what_scikit_learn_learns() -> None:
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    points, labels = blobs(2000)
    points = points.clip(0, 10)
    known = naive_bayes.GaussianNB().fit(points, labels)
    model = made(epsilon=10**8).fit(points, labels)
    assert np.allclose(model.theta_, known.theta_, atol=1e-3)
    assert np.allclose(model.var_, known.var_, rtol=2e-3)
    assert np.allclose(model.predict_proba(points), known.predict_proba(points), atol=5e-3)
    assert model.class_count_.tolist() == [1000, 1000]


def test_few_rows_share_variances_and_many_do_not(source: BitSource) -> None:
    few, many = (made(source).fit(*blobs(rows)) for rows in (100, 20_000))
    assert (few.var_[0] == few.var_[1]).all()
    assert 3 < many.var_[0, 1] / many.var_[1, 1] < 5  # 4 but for clipping; the noise is far below
    assert (made(source, pooled=True).fit(*blobs(20_000)).var_[0] == many.var_[1]).sum() == 0


def test_it_learns(source: BitSource) -> None:
    """At ε = 1 the means of 1,000 rows err by about 0.05 half widths; they lie 0.8 apart."""
    points, labels = blobs(2000)
    model = made(source).fit(points, labels)
    assert model.score(points, labels) > 0.9
    assert (np.abs(model.theta_ - [[3, 5], [7, 5]]) < 6 * model.theta_noise_ + 0.2).all()
    mixed = np.random.default_rng(1).permutation(labels)
    shuffled = made(source).fit(points, mixed)  # the control: labels say nothing
    assert shuffled.score(points, labels) < 0.9


def test_batches_are_paid_one_by_one_and_add_up(source: BitSource) -> None:
    points, labels = blobs(3000)
    ledger = Ledger(Guarantee(2), unit=Unit("person"))
    model = made(ledger=ledger, pooled=False)
    for batch in range(2):
        model.partial_fit(points[batch::2], labels[batch::2], classes=[0, 1])
    assert ledger.spent.epsilon == 2
    assert model.privacy_.loss.epsilon(0) == 2
    assert abs(model.class_count_.sum() - 3000) < 400  # two draws of noise of ± 14 each
    one = made(source, pooled=False).fit(points, labels)
    assert (model.theta_noise_ > one.theta_noise_).all()
    for rows, target, more in (
        (points[:, :1], labels, {}),
        (points, labels, {"classes": [0, 2]}),
    ):
        with pytest.raises((InvalidParameter, ValueError), match=r"features|classes"):
            model.partial_fit(rows, target, **more)
    with pytest.raises(InvalidParameter, match="declared for the first batch"):
        model.set_params(bounds=(0, 20)).partial_fit(points, labels)
    assert ledger.spent.epsilon == 2


def test_a_fit_forgets_what_was_learned_before() -> None:
    points, labels = blobs(1000)
    model = made(epsilon=10**8).partial_fit(points, labels).fit(points[:10], labels[:10])
    assert model.class_count_.tolist() == [5, 5]
    assert model.privacy_.loss.epsilon(0) == pytest.approx(10**8)


def test_missing_values_say_nothing() -> None:
    model = made(epsilon=10**8).fit(*blobs(1000))
    assert model.predict_proba([[np.nan, np.nan]])[0] == pytest.approx(model.class_prior_)
    assert model.predict([[3.0, np.nan], [7.0, np.nan]]).tolist() == [0, 1]


def test_where_a_peer_fails_this_differs(source: BitSource) -> None:
    """diffprivlib's naive Bayes forces counts to add up to the exact n, knows no class that the data does not show, and
    gives noise for a move of upper - lower to sums that one row moves by upper."""
    points, labels = blobs(200)
    absent = made(source, classes=[0, 1, 2]).fit(points, labels)
    assert absent.class_count_[2] != 0 or absent.theta_noise_[2, 0] > 0
    assert len(absent.predict_proba(points)[0]) == 3
    totals = [made(source).fit(points, labels).class_count_.sum() for _ in range(10)]
    assert any(total != 200 for total in totals)  # noise that adds up to 0 ten times: a chance below 1e-12
    far = made(source, bounds=(4.3, 7.9))
    ledger = far.ledger
    assert isinstance(ledger, RecordingPlans)
    far.fit(np.full((1, 2), 7.9), [0])
    assert max(ledger.secrets[1]) <= ledger.sensitivities[1].linf  # a sum of one row is no farther than it is declared


@pytest.mark.parametrize(("more", "said"), [({"pooled": 1.5}, "pooled"), ({"bounds": (1, 0)}, "bounds")])
def test_what_is_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        made(**more).fit(*blobs(10))


def test_shares_of_noise() -> None:
    assert class_shares(np.array([-5.0, 5.0]), 1.0).sum() == pytest.approx(1)
    assert (class_shares(np.array([-500.0, 5.0]), 1.0) > 0).all()
    assert kept_share(1.0, 2.0, least=0.2) == 0.2
