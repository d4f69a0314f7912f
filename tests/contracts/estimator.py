"""What every model must do. A test file lists EXAMPLES and subclasses `EstimatorContract`.

An `Example` is a class of models with what must be declared, and small data that is good to learn from. Statistical
claims and sensitivities are each model's own tests; here is what must be so whatever is learned.
"""

import inspect
import pickle
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from privet import Guarantee, Ledger, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.learn import ModelReceipt, PrivateClassifier, PrivateEstimator
from privet.loss import ConcentratedGuarantee
from privet.noise.for_tests import seeded_entropy_for_tests
from tests.contracts.neighbor_fits import added, base, given, of_units
from tests.contracts.scikit_learn import BY_CHANCE, checked, expected_failures
from tests.support.replayed_fits import fitted, refuse_different

ROWS = 60
NEVER = np.array([np.nan, np.inf, -np.inf, -0.0, 1e308, 5e-324])


@dataclass(frozen=True)
class Example:
    """One kind of model.

    Args:
        model: its class.
        declared: what must be said besides the price, for rows of `features` and `target`.
        required: the names among these without which `fit` must refuse.
        columns: how many features the rows have.
        classes: the labels of the target; None where it is a number, or there is none.
        supervised: whether there is a target.
        delta: beside epsilon, where a model needs one; "0" if it does not.
        rho: whether it can be asked with a ρ.
        replace: whether it is proven for replaced units.
        methods: what a fitted model does with rows.
        checks: what is declared otherwise for scikit-learn's own checks, whose rows lie within ±10; bounds, norm and
            target_bounds are set for them already.
        poor: whether the model need not learn well, because it is too simple for that.
    """

    model: type[PrivateEstimator]
    declared: Mapping[str, Any]
    required: tuple[str, ...] = ()
    columns: int = 2
    classes: tuple[Any, ...] | None = None
    supervised: bool = True
    delta: str = "0"
    rho: bool = True
    replace: bool = True
    methods: tuple[str, ...] = field(default=("predict",))
    checks: Mapping[str, Any] = field(default_factory=dict)
    poor: bool = False

    def made(self, **more: Any) -> PrivateEstimator:  # noqa: ANN401 - parameters
        """The model with all that must be declared, and a price."""
        price = {} if {"rho", "risk"} & more.keys() else {"epsilon": 1, "delta": self.delta}
        return self.model(**{**self.declared, **price, **more})

    def wide(self) -> PrivateEstimator:
        """The model as scikit-learn's checks ask it: for rows within ±10, and with next to no noise."""
        around = {"bounds": (-10, 10), "norm": 10, "target_bounds": (-10, 10)}
        said = {name: around[name] for name in around if self.declared.get(name) is not None}
        return checked(self.made(**{"epsilon": 1000, **said, **self.checks}), poor_score=self.poor)

    def data(self, rows: int = ROWS) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
        """Rows in [0, 1], and targets that follow the first column."""
        source = np.random.default_rng(7)
        features = source.uniform(size=(rows, self.columns))
        if not self.supervised:
            return features, None
        if self.classes is None:
            return features, features[:, 0]
        place = np.minimum((features[:, 0] * len(self.classes)).astype(int), len(self.classes) - 1)
        return features, np.asarray(self.classes)[place]


class EstimatorContract:
    """Tests that every model inherits."""

    EXAMPLES: ClassVar[list[Example]]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "example" in metafunc.fixturenames:
            metafunc.parametrize("example", self.EXAMPLES, ids=lambda each: each.model.__name__)

    def test_a_fit_is_charged_once_and_has_a_receipt(self, example: Example) -> None:
        features, target = example.data()
        ledger = Ledger(Guarantee(1, "1e-5"), unit=Unit("person"))
        model = example.made(ledger=ledger).fit(features, target)
        assert len([entry for entry in ledger.entries if entry.kind != "draw"]) == 1  # draws are within their plan
        assert isinstance(model.privacy_, ModelReceipt)
        assert model.privacy_.loss.meets(Guarantee(1, example.delta))
        assert model.privacy_.public
        for name in example.required:
            assert name in model.privacy_.public
        for method in example.methods:
            assert len(getattr(model, method)(features)) == len(features)

    def test_a_second_fit_pays_again_or_is_refused_before_the_rows_are_read(self, example: Example) -> None:
        features, target = example.data()
        ledger = Ledger(Guarantee(1, "1e-5"), unit=Unit("person"))
        model = example.made(ledger=ledger).fit(features, target)
        again = clone(model)
        assert again.ledger is ledger
        with pytest.raises(BudgetExceeded):
            again.fit(features, target)
        assert not hasattr(again, "privacy_")

    def test_prices_and_neighbors(self, example: Example) -> None:
        features, target = example.data()
        if example.rho:
            assert example.made(rho="0.5").fit(features, target).privacy_.loss.zcdp() <= 0.5 * (1 + 1e-9)
            limited = Ledger(ConcentratedGuarantee("0.5"), unit=Unit("person"))
            example.made(rho="0.5", ledger=limited).fit(features, target)
        example.made(delta="1e-6").fit(features, target)
        if example.replace:
            model = example.made(neighbors="replace").fit(features, target)
            assert model.privacy_.unit == Unit("person", neighbors="replace")
        for wrong in (
            {"epsilon": 0},
            {"epsilon": -1},
            {"epsilon": None},
            {"epsilon": float("nan")},
            {"epsilon": 1, "rho": 1},
        ):
            with pytest.raises(InvalidParameter):
                example.made(**wrong).fit(features, target)

    def test_what_must_be_declared_is_asked_for(self, example: Example) -> None:
        features, target = example.data()
        ledger = Ledger(Guarantee(1, "1e-5"), unit=Unit("person"))
        for name in example.required:
            with pytest.raises(InvalidParameter, match=name):
                example.made(**{name: None}, ledger=ledger).fit(features, target)
        if example.supervised:
            with pytest.raises(InvalidParameter, match="requires y"):
                example.made(ledger=ledger).fit(features)
        assert ledger.entries == ()

    def test_explain_says_the_price_and_spends_nothing(self, example: Example) -> None:
        ledger = Ledger(Guarantee(1, "1e-5"), unit=Unit("person"))
        told = repr(example.made(ledger=ledger).explain(columns=example.columns, rows=1000))
        assert "would cost (ε=1" in told
        assert len(told.splitlines()) > 1
        assert ledger.entries == ()

    def test_no_row_raises_or_warns(self, example: Example) -> None:
        features, target = example.data()
        spoiled = features.copy()
        spoiled[: len(NEVER)] = NEVER[:, None]
        example.made().fit(spoiled, target)
        example.made().fit(np.full_like(features, np.nan), target)
        example.made().fit(features[:0], None if target is None else target[:0])
        example.made().fit(features[:1], None if target is None else target[:1])
        if target is not None:
            strange = target.astype(object)
            strange[:3] = [None, "never heard of", np.nan]
            example.made().fit(features, strange)
        holed = features.astype(object)
        holed[0, 0], holed[1, 0] = None, {"no": "number"}
        example.made().fit(holed, target)

    def test_the_rows_are_not_changed(self, example: Example) -> None:
        features, target = example.data()
        features[0] = 1e9
        before = features.copy(), None if target is None else target.copy()
        example.made().fit(features, target)
        assert (features == before[0]).all()
        assert target is None or (target == before[1]).all()

    def test_a_stored_model_predicts_and_refuses_to_be_fitted(self, example: Example) -> None:
        features, target = example.data()
        ledger = Ledger(Guarantee(2, "1e-4"), unit=Unit("person"))
        model = example.made(ledger=ledger).fit(features, target)
        stored = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
        for method in example.methods:
            assert (np.asarray(getattr(stored, method)(features)) == np.asarray(getattr(model, method)(features))).all()
        with pytest.raises(InvalidParameter, match="set_params"):
            stored.fit(features, target)
        assert model.ledger is ledger

    def test_every_cross_validated_fit_is_charged(self, example: Example) -> None:
        if "predict" not in example.methods or not example.supervised:
            return
        features, target = example.data()
        ledger = Ledger(Guarantee(10, "1e-4"), unit=Unit("person"))
        cross_val_score(example.made(ledger=ledger), features, target, cv=3, error_score="raise")
        assert len([entry for entry in ledger.entries if entry.kind != "draw"]) == 3

    def test_weights_of_rows_are_not_taken_without_a_public_limit(self, example: Example) -> None:
        takes = "sample_weight" in inspect.signature(example.model.fit).parameters
        assert not takes or "max_weight" in example.made().get_params()

    def test_labels_of_any_kind(self, example: Example) -> None:
        if example.classes is None or len(example.classes) < 2 or not issubclass(example.model, PrivateClassifier):
            return
        few = len(example.classes)
        for labels in (
            ("a", "b", "c", "d")[:few],
            tuple(range(-1, few - 1)),
            tuple(range(1, few + 1)),
            (9, 4, 7, 2)[:few],
        ):
            features, target = replace(example, classes=labels).data(400)
            model = example.made(epsilon=1000, classes=list(labels)).fit(features, target)
            assert model.classes_.tolist() == sorted(labels)
            found = model.predict(features)
            assert found.dtype.kind == np.asarray(labels).dtype.kind
            assert set(found.tolist()) <= set(labels)
            assert example.poor or np.mean(found == target) > 0.75  # without noise; chance is below 0.6

    def test_what_scikit_learn_checks(self, example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("privet.core.ledger.Entropy", lambda: seeded_entropy_for_tests(1))  # some compare two fits
        model = example.wide()
        expected = expected_failures(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its checks hand over what makes numpy warn
            found = check_estimator(model, expected_failed_checks=expected, on_fail=None, on_skip=None)
        failed = {each["check_name"]: each["exception"] for each in found if each["status"] == "failed"}
        assert not failed, failed
        assert {each["check_name"] for each in found if each["status"] == "xfail"} | BY_CHANCE == {
            *expected,
            *BY_CHANCE,
        }

    def test_units_with_several_rows(self, example: Example) -> None:
        features, target = example.data()
        groups = np.repeat(np.arange(ROWS // 3), 3)
        with pytest.raises(InvalidParameter, match="rows_per_unit"):
            example.made().fit(features, target, groups=groups)
        model = example.made(rows_per_unit=2).fit(features, target, groups=groups)
        assert model.privacy_.rows_per_unit == 2
        assert model.privacy_.loss.meets(Guarantee(1, example.delta))

    @pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
    def test_neighbors_differ_in_noisy_numbers_alone(self, example: Example, neighbors: str) -> None:
        """Draws, shapes, types, errors and warnings, and all that is kept, are those of the neighbor."""
        if neighbors == "replace" and not example.replace:
            return
        unit, source = Unit("person", neighbors=neighbors), np.random.default_rng(11)
        here = base(*example.data())
        strange = (*(example.classes or (0.0, 1.0, 1e308)), "never heard of" if example.classes else np.nan)
        first = fitted(example.made, unit, here)
        for there in added(here, strange, source, replaced=neighbors == "replace"):
            second = fitted(example.made, unit, there, first)
            refuse_different(first, second)

    def test_units_of_several_rows_differ_in_noisy_numbers_alone(self, example: Example) -> None:
        strange = (*(example.classes or (0.0, 1.0)), "never heard of" if example.classes else np.nan)
        mine, theirs = of_units(base(*example.data()), strange, np.random.default_rng(12))

        def make(**more: Any) -> PrivateEstimator:  # noqa: ANN401 - parameters
            return example.made(rows_per_unit=2, **more)

        first = fitted(make, Unit("person"), mine)
        refuse_different(first, fitted(make, Unit("person"), theirs, first))

    def test_no_rows_and_one_row_differ_in_noisy_numbers_alone(self, example: Example) -> None:
        features, target = example.data()
        none, one, two = (given(features[:many], None if target is None else target[:many]) for many in range(3))
        for here, there in ((none, one), (one, two)):
            first = fitted(example.made, Unit("person"), here)
            refuse_different(first, fitted(example.made, Unit("person"), there, first))

    def test_what_is_predicted_for_a_row_follows_from_that_row_alone(self, example: Example) -> None:
        """To the last bit: a score of private rows adds up what was rounded."""
        if not {"predict"} <= {*example.methods} or not example.supervised or not example.model.predicts_alone:
            return
        features, target = example.data()
        model = example.made(epsilon=100).fit(features, target)
        for method in {"predict", "decision_function"} & {*example.methods}:
            together = np.asarray(getattr(model, method)(features))
            alone = [getattr(model, method)(features[at : at + 1]) for at in range(len(features))]
            assert (together == np.concatenate(alone)).all()
