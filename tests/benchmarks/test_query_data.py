"""The table that queries are measured on: the same for everybody, however it is written, and shaped as it says."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from query_data import BLOCK, People, city_shares, table_file, truth_file
from query_truth import CITIES, HIGH, LOW, read_truth

ROWS = 3 * BLOCK + 1234


def whole(people: People, *, blocks_at_once: int = 100) -> pa.Table:
    return pa.concat_tables(people.tables(blocks_at_once=blocks_at_once)).combine_chunks()


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return whole(People(ROWS))


@pytest.mark.parametrize("flat", [False, True])
def test_how_much_is_written_at_once_changes_nothing(flat: bool) -> None:  # noqa: FBT001 - a parameter
    people = People(ROWS, flat)
    once = whole(people)
    assert once.num_rows == ROWS
    assert once.equals(whole(people, blocks_at_once=1))
    assert once.equals(whole(People(ROWS, flat), blocks_at_once=3))


def test_another_size_is_another_table() -> None:
    assert not whole(People(1000)).equals(whole(People(1010)).slice(0, 1000))
    assert not whole(People(1000)).equals(whole(People(1000, flat=True)))


def test_every_user_is_there(table: pa.Table) -> None:
    counts = Counter(table["user_id"].to_pylist())
    assert sorted(counts) == list(range(ROWS // 10))


def test_a_few_users_have_most_rows(table: pa.Table) -> None:
    """A user of weight w has 1 + 3w rows on average; w exceeds 10 with probability 10^-1.5, and now and then 100."""
    counts = np.array(list(Counter(table["user_id"].to_pylist()).values()))
    assert np.median(counts) == 6
    assert abs(np.mean(counts > 31) - 10**-1.5) < 0.005
    assert counts.max() > 300


def test_flat_users_have_four_rows_each() -> None:
    counts = Counter(whole(People(40_000, flat=True))["user_id"].to_pylist())
    assert len(counts) == 10_000
    assert set(counts.values()) == {4}


def test_rows_are_in_no_order(table: pa.Table) -> None:
    users = table["user_id"].to_numpy()
    for start in range(0, 3 * BLOCK, BLOCK):
        block = users[start : start + BLOCK]
        assert abs(np.corrcoef(np.arange(BLOCK), block)[0, 1]) < 0.03
        assert block.max() > 0.99 * ROWS / 10
        assert block.min() < 0.01 * ROWS / 10


def test_most_rows_are_at_home(table: pa.Table) -> None:
    people = People(ROWS)
    cities = np.array([CITIES.index(city) for city in table["city"].to_pylist()])
    shares = city_shares()
    homes = people.homes[table["user_id"].to_numpy()]
    away = cities[cities != homes]
    expected = 0.6 + 0.4 * shares[homes].mean()
    assert abs(np.mean(cities == homes) - expected) < 0.005
    assert abs(np.mean(people.homes == 0) - shares[0]) < 0.02
    assert list(np.bincount(away, minlength=50).argsort()[::-1][:3]) == [0, 1, 2]
    assert set(table["city"].to_pylist()) == set(CITIES)


def test_ages_and_salaries(table: pa.Table) -> None:
    ages, salaries = table["age"].to_numpy(), table["salary"].to_numpy()
    assert (ages.min(), ages.max()) == (18, 90)
    assert salaries.min() >= LOW
    assert salaries.max() <= HIGH
    cities = np.array(table["city"].to_pylist())
    typical = [np.median(salaries[cities == city]) for city in ("city00", "city49")]
    assert abs(typical[0] / np.exp(10.9) - 1) < 0.02
    assert abs(typical[1] / np.exp(11.39) - 1) < 0.05


def test_a_file_is_written_once(tmp_path: Path) -> None:
    file = table_file(20_000, folder=tmp_path / "new")
    assert pq.read_table(file).equals(whole(People(20_000)))
    before = file.stat().st_mtime_ns
    assert table_file(20_000, folder=tmp_path / "new") == file
    assert file.stat().st_mtime_ns == before
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_writer_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr(People, "_block", broken)
    with pytest.raises(OSError):  # noqa: PT011 - that one
        table_file(1000, folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_truth_weighs_rows_down_to_four_of_each_user(tmp_path: Path) -> None:
    file = table_file(20_000, folder=tmp_path)
    truth = read_truth(truth_file(file))
    table = pq.read_table(file).to_pylist()
    counts = Counter(row["user_id"] for row in table)
    assert sum(row[0] for row in truth.values()) == pytest.approx(sum(min(4, number) for number in counts.values()))
    here = [row for row in table if row["city"] == "city07"]
    weights = [min(1, 4 / counts[row["user_id"]]) for row in here]
    total = sum(weight * row["salary"] for weight, row in zip(weights, here, strict=True))
    assert truth["city07"] == pytest.approx([sum(weights), total, total / sum(weights)])


def test_the_truth_of_a_flat_table_is_plain(tmp_path: Path) -> None:
    file = table_file(20_000, flat=True, folder=tmp_path)
    table = pq.read_table(file)
    counts = Counter(table["city"].to_pylist())
    assert {city: row[0] for city, row in read_truth(truth_file(file)).items()} == counts
