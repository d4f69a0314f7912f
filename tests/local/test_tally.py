import datetime as dt
import json
import math
from typing import Any

import duckdb
import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import (
    DeviceBudget,
    HadamardResponse,
    KaryResponse,
    LocalHashing,
    MemoizedDevice,
    SubsetSelection,
    Tally,
    UnaryEncoding,
)
from privet.local.read_config import read_config
from privet.noise import BitSource


def test_tallies_of_two_protocols_are_not_added_nor_estimated() -> None:
    one, other = KaryResponse(categories=3, epsilon=1), KaryResponse(categories=3, epsilon=2)
    with pytest.raises(InvalidParameter, match="different configurations"):
        one.tally([0]) + other.tally([0])
    with pytest.raises(InvalidParameter, match="another protocol"):
        one.estimate(other.tally([0]))
    with pytest.raises(TypeError):
        one.tally([0]) + 1  # type: ignore[operator]


@pytest.mark.parametrize(
    "change", [{"reports": -1}, {"reports": 1.5}, {"counts": [1.5, 0, 0]}, {"shape": [4]}, {"counts": "x"}]
)
def test_what_is_not_a_tally_is_refused(change: dict[str, object]) -> None:
    facts = json.loads(KaryResponse(categories=3, epsilon=1).tally([0, 1]).to_json())
    with pytest.raises(InvalidParameter, match="not the JSON of a tally"):
        Tally.from_json(json.dumps({**facts, **change}))


def test_times_are_counts() -> None:
    protocol = KaryResponse(categories=3, epsilon=1)
    assert protocol.tally([0, 2], times=[5, 7]).counts.tolist() == [5, 0, 7]
    for times in ([1], [1, -1], [0.5, 1], None):
        with pytest.raises(InvalidParameter):
            protocol.tally([0, 2], times=np.array(times, dtype=None if times else object))


@pytest.mark.parametrize("counts", [[1, 2], [1, 2, -1], [[1, 2, 3]]])
def test_counts_that_no_tally_has_are_refused(counts: list[int]) -> None:
    protocol = KaryResponse(categories=3, epsilon=1)
    with pytest.raises(InvalidParameter, match="not those of this protocol"):
        protocol.estimate(Tally(protocol.config, 3, np.array(counts)))


def test_counts_that_would_leave_63_bits_are_refused() -> None:
    protocol = KaryResponse(categories=3, epsilon=1)
    for times in (np.array([2**63, 1], dtype=np.uint64), [2**62, 2**62]):
        with pytest.raises(InvalidParameter, match="at most 137,438,953,472 reports"):
            protocol.tally([0, 1], times=times)
    half = protocol.tally([0], times=[2**36])
    assert (half + half).counts.tolist() == [2**37, 0, 0]
    with pytest.raises(InvalidParameter, match="estimate the parts"):
        half + half + half
    text = json.dumps({**json.loads(half.to_json()), "counts": [2**62 + 1, 0, 0]})
    with pytest.raises(InvalidParameter, match="estimate the parts"):
        Tally.from_json(text)


def test_more_supports_than_reports_are_refused() -> None:
    protocol = KaryResponse(categories=3, epsilon=1)
    with pytest.raises(InvalidParameter, match="not those of this protocol"):
        protocol.estimate(Tally(protocol.config, 3, np.array([4, 0, 0])))


@pytest.mark.parametrize("kind", [KaryResponse, SubsetSelection, LocalHashing])
def test_no_reports_are_an_empty_tally_and_ragged_ones_are_refused(kind: type[Any]) -> None:
    protocol = kind(categories=5, epsilon=1)
    assert protocol.tally([]).reports == 0
    with pytest.raises(InvalidParameter, match="must be a column"):
        protocol.tally([[1, 2], [3]])


@pytest.mark.parametrize("text", ["[" * 100_000, '{"protocol": [1]}', "{}"])
def test_what_is_no_json_of_ours_is_refused_in_a_sentence(text: str) -> None:
    for read in (Tally.from_json, read_config, MemoizedDevice.from_json, DeviceBudget.from_json):
        with pytest.raises(InvalidParameter):
            read(text)


def test_labels_that_not_every_language_holds_are_refused() -> None:
    for label in (math.inf, 2**53, 10**400, "\ud800"):
        with pytest.raises(InvalidParameter, match="which JSON can hold"):
            KaryResponse(categories=[label, 1], epsilon=1)


def test_labels_of_any_kind_that_json_holds_are_shown() -> None:
    protocol = KaryResponse(categories=[1, "a", 0.5], epsilon=1)
    assert protocol.estimate([0, 1, 2]).table["value"].to_pylist() == ["1", "a", "0.5"]
    with pytest.raises(InvalidParameter, match="write dates as texts"):
        KaryResponse(categories=[dt.date(2026, 1, 1), dt.date(2026, 1, 2)], epsilon=1)


@pytest.mark.parametrize("kind", [KaryResponse, UnaryEncoding, SubsetSelection, HadamardResponse, LocalHashing])
def test_an_engine_counts_payloads_of_every_protocol(kind: type[Any], source: BitSource) -> None:
    protocol = kind(categories=5, epsilon=1)
    reports = protocol.privatize(np.arange(500) % 5, entropy=source)
    engine = duckdb.connect()
    engine.execute("CREATE TABLE sent (report BLOB)")
    engine.executemany("INSERT INTO sent VALUES (?)", [[bytes(row)] for row in protocol.encode(reports)])
    rows = engine.execute(protocol.tally_sql("sent")).fetchnumpy()
    assert protocol.tally(rows["report"], times=rows["times"]) == protocol.tally(reports)
    if protocol.payload_bytes == 1:
        assert len(rows["report"]) < 500
