import datetime as dt
import json
from typing import Any

import duckdb
import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import HadamardResponse, KaryResponse, LocalHashing, SubsetSelection, Tally, UnaryEncoding
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
