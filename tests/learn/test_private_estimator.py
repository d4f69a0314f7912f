from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from privet import Guarantee, Ledger, Unit
from privet.errors import InvalidParameter
from tests.contracts.estimator import EstimatorContract, Example
from tests.learn.most_frequent import MostFrequent


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(MostFrequent, {"classes": ["no", "yes"]}, required=("classes",), classes=("no", "yes"), poor=True),
        Example(MostFrequent, {"classes": [-1, 1]}, required=("classes",), classes=(-1, 1), poor=True),
    ]


def test_the_page_prints_the_model() -> None:
    here = Path(__file__).parent
    page = here.parents[1] / "docs" / "how-to" / "add-an-estimator.md"
    assert (here / "most_frequent.py").read_text(encoding="utf-8") in page.read_text(encoding="utf-8")


def test_an_address_opens_the_ledger(tmp_path: Path) -> None:
    place = f"sqlite:///{tmp_path}/ledger.db"
    ledger = Ledger(Guarantee(1), unit=Unit("person"), journal=place)
    features, target = TestContract.EXAMPLES[0].data()
    MostFrequent(classes=["no", "yes"], epsilon="0.4", ledger=place).fit(features, target)
    assert ledger.spent.epsilon == pytest.approx(0.4)


def test_labels_outside_the_classes_count_for_nothing() -> None:
    features = np.zeros((400, 1))
    model = MostFrequent(classes=["a", "b"], epsilon=10**6)
    assert model.fit(features, ["a"] * 100 + ["b"] * 50 + ["z"] * 250).class_count_.tolist() == [100, 50]


def test_rows_beyond_the_limit_of_their_owner_do_not_count() -> None:
    model = MostFrequent(classes=["a", "b"], epsilon=10**6, rows_per_unit=3)
    owners = [1] * 100 + [2, 2, None]
    assert model.fit(np.zeros((103, 1)), ["a"] * 103, groups=owners).class_count_.tolist() == [5, 0]


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ([0.5, 1.5], "continuous"),
        (["a"], "at least two classes"),
        (["a", 1], "one type"),
        ("ab", "list of labels"),
        ([1, 1], "each once"),
    ],
)
def test_classes_are_labels(classes: object, said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        MostFrequent(classes=classes, epsilon=1).fit(np.zeros((4, 1)), [0, 1, 0, 1])
