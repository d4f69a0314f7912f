import gzip
from pathlib import Path

import numpy as np
from learn_data import bundled, from_folder
from learn_models import PAIRS, SCORES, Pair, suits
from learn_page import Cells, Compared, page
from learn_task import EPSILONS, ROWS, Figures, measure
from sklearn.naive_bayes import GaussianNB


def test_rows_are_within_what_is_public() -> None:
    for data in bundled():
        assert ((data.rows >= data.lower) & (data.rows <= data.upper)).all()
        assert (np.linalg.norm(ROWS["short"](data), axis=1) <= 1 + 1e-12).all()
        assert ((ROWS["unit"](data) >= 0) & (ROWS["unit"](data) <= 1)).all()
        assert sum(suits(pair, data) for pair in PAIRS) > 0


def test_files_are_read_packed_or_not_and_left_out_where_they_are_not_there(tmp_path: Path) -> None:
    assert from_folder(tmp_path) == []
    (tmp_path / "stock.txt").write_text("1 5 2009 0.03 0.2 0 0 0 0 0 0 0\n", encoding="utf-8")
    with gzip.open(tmp_path / "adult.data.gz", "wt") as file:
        file.write(
            "39, State-gov, 7, Bachelors, 13, Never-married, Sales, Wife, White, Male, 99999, 0, 40, Peru, >50K\n\n"
        )
    with gzip.open(tmp_path / "adult.test.gz", "wt") as file:
        file.write(
            "|1x3 Cross validator\n25, ?, 7, 11th, 7, Divorced, ?, Wife, Black, Female, 0, 0, 40, Peru, <=50K.\n"
        )
    adult, few, stocks = from_folder(tmp_path)
    assert few.rows.tolist() == adult.rows[:, :5].tolist()
    assert adult.target.tolist() == [1, 0]
    assert adult.rows[0, 2] == 20_000  # clipped
    assert adult.norm is not None
    assert (np.linalg.norm(ROWS["unit"](adult), axis=1) <= adult.norm).all()
    assert stocks.rows.tolist() == [[0.1, 0, 0, 0, 0, 0, 0, 0]]


def test_a_cell_is_measured_and_what_fails_is_told() -> None:
    iris = bundled()[0]
    found = measure(iris, "classes", "raw", lambda _: GaussianNB(), 3)
    assert len(found.scores) == 3
    assert found.mean > 0.8
    wrong = measure(iris, "classes", "raw", lambda _: GaussianNB(priors=[2, 3]), 9)
    assert wrong.scores == []
    assert "ValueError" in wrong.failed


def test_the_page_says_who_is_better_and_by_how_much() -> None:
    good, bad = Figures([0.9, 0.92], [0.1, 0.1]), Figures([0.5, 0.52], [1.0, 1.2])
    assert Compared(good, bad, lower=False).ahead > 2
    assert Compared(good, bad, lower=True).ahead < -2
    assert Compared(good, good, lower=True).ahead == 0
    assert Compared(good, Figures(failed="TimeoutError: late"), lower=False).ahead > 2
    pair = Pair("GaussianNB", "classes", "GaussianNB", GaussianNB)
    cells = Cells({("Privet", "GaussianNB", "large", 1.0): good, ("diffprivlib", "GaussianNB", "large", 1.0): bad})
    for epsilon in EPSILONS:
        cells["Privet", "GaussianNB", "iris", epsilon] = bad if epsilon == 1 else good
        cells["diffprivlib", "GaussianNB", "iris", epsilon] = good if epsilon == 1 else bad
    text = page([pair], ["iris", "large"], cells, seeds=2, large="large")
    assert SCORES["classes"] in text
    assert "in 4 (80%)" in text
    assert "by more than that in 1" in text
    assert "| GaussianNB | iris | 1 |" in text
    assert "| 10.0 |" in text  # times as fast
