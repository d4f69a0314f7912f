"""What goes over the wire is the same on neighbors, byte by byte, but for the noisy numbers."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from privet.loss import Guarantee
from tests.support.hospital import HOSPITAL
from tests.support.hospital_sessions import Rows, crowd, hospital
from tests.support.wire_server import LIMIT, Served, message, served, signed_in

pytestmark = pytest.mark.whole
EXTREME = [(f"v{place}", 999, "A", 5000.0, "2024-12-31", 30, None, 50.0) for place in range(40)]
BY_CLINIC = b"SELECT clinic, COUNT(*) AS n, AVG(cost) AS mean, MAX(cost) AS most FROM visit GROUP BY clinic"
SIMPLE = [
    b"SET privet.epsilon = 0.5",
    b"SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex",
    BY_CLINIC,
    BY_CLINIC,
    b"EXPLAIN " + BY_CLINIC,
    b"SELECT 'all' AS k, COUNT(*) AS n FROM patient WHERE age / (age - 110) > 0",
    b"SELECT 'all' AS k, COUNT(*) AS n FROM patient WHERE CAST(zip AS INTEGER) > 3",
    b"SELECT 'all' AS k, SUM(cost * 1e308 * 1e308) AS s FROM visit",
    b"SELECT 'all' AS k, COUNT(*) AS n FROM patient JOIN visit USING (pid)",
    b"SELECT * FROM patient",
    b"SELECT age FROM patient LIMIT 1",
    b"SELECT COUNT(*) FROM nothing",
    b"COPY (SELECT blood, COUNT(*) AS n FROM patient GROUP BY blood) TO STDOUT",
    b"SELECT relname, reltuples, relpages FROM pg_class",
    b"SELECT * FROM pg_stat_user_tables",
    b"SELECT * FROM patient LIMIT 0",
    b"SET privet.epsilon = 1000000",
    b"SELECT 'all' AS k, COUNT(*) AS n FROM visit WHERE day > '2024-06-01'",
]
STEPS = (
    message(b"P", b"s\0SELECT blood, COUNT(*) AS n FROM patient WHERE age > $1 GROUP BY blood\0\0\0"),
    message(b"D", b"Ss\0"),
    message(b"B", b"\0s\0\0\0\0\1\0\0\0\x0240\0\1\0\1"),
    message(b"E", b"\0\0\0\0\2"),
    message(b"E", b"\0\0\0\0\0"),
    message(b"S"),
)
PUBLIC = 1  # the columns that come first here are keys


def cells(row: bytes) -> list[bytes]:
    """The values of one row, or of one line that is copied."""
    if row[:1] == b"d":
        return row[1:].split(b"\t")
    found, place = [], 3
    while place < len(row):
        length = int.from_bytes(row[place : place + 4])
        size = 0 if length == 0xFFFFFFFF else length
        found.append(row[place : place + 4 + size])
        place += 4 + size
    return found


def without_noise(told: Sequence[bytes]) -> list[object]:
    """Messages as they are; of rows the key, and how many cells there are."""
    kept: list[object] = []
    for each in told:
        if each[:1] not in (b"D", b"d"):
            kept.append(each)
        else:
            row = cells(each)
            keyed = len(row) > PUBLIC
            kept.append((each[:1], row[:PUBLIC] if keyed else [], len(row)))
    return kept


def heard(server: Served) -> list[object]:
    """All that one client is told."""
    with signed_in(server, timeout=30) as line:
        line.ask(message(b"Q", b"SET privet.epsilon = 0.5\0"))
        found = [each for text in SIMPLE for each in without_noise(line.ask(message(b"Q", text + b"\0")))]
        line.ask(message(b"Q", b"RESET ALL\0"))
        return [*found, *without_noise(line.ask(*STEPS))]


def test_neighbors_look_alike(tmp_path: Path) -> None:
    people, visits = crowd(60, 120)
    extreme: Rows = [*people, (999, 110, "M", "not a number", None, None)]
    many: Rows = [*visits, *((1_000 + place, *row[1:]) for place, row in enumerate(EXTREME))]
    told = []
    for name, patients, came in (("with", extreme, many), ("without", people, visits)):
        catalog = replace(HOSPITAL, limit=LIMIT, budget=Guarantee(1, "1e-6"))
        with served(hospital(tmp_path, catalog=catalog, name=name, patients=patients, visits=came)) as server:
            told.append(heard(server))
    assert len(told[0]) > 75
    assert told[0] == told[1]


def test_the_comparison_sees_a_row_more_and_another_notice() -> None:
    row, other = b"D\0\2\0\0\0\1F\0\0\0\0029", b"D\0\2\0\0\0\1M\0\0\0\0029"
    same = b"D\0\2\0\0\0\1F\0\0\0\00210"
    assert without_noise([row]) == without_noise([same]) != without_noise([other])
    assert without_noise([row]) != without_noise([row, row])
    assert without_noise([b"Nspent 1"]) != without_noise([b"Nspent 2"])
