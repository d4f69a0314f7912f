"""What the audit of queries finds on planted copies of the source, and of engines that are not ours."""

import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from privet.audit import World, query, worlds
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import Laplace
from privet.noise import Entropy
from tests.audit.planted_queries import CATALOG, STATEMENTS, found

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[2]
UNGUARDED = """
query/second_price/price_check.py
    the second price is not asked: it would refuse a statement without its cap before anything is read
        refuse_another_price: returns('None')
"""
PLANTED: Mapping[str, tuple[str, str]] = {  # which fault, and the kind of difference that shows it
    "a cap that is not applied": (
        """
query/printing/weighed_pairs.py
    a cap that is not applied
        _weighed: instead("f'CASE WHEN {have} <= {cap} THEN {number} ELSE {share} END'", 'number')
""",
        "move",
    ),
    "a key from data": (
        """
query/answering/run.py
    a key from data
        Run._groups: instead('list(itertools.product(*(key.domain or () for key in keys)))', 'in_order(sums().groups)')
""",
        "move",
    ),
    "a failure that depends on a row": (
        """
query/backends/duckdb/dialect.py
    a failure that depends on a row
        DuckDBDialect.convert: assigned('inside', "'TRUE'")
""",
        "failure",
    ),
    "an unstable zero": (
        """
query/printing/dialect.py
    an unstable zero
        Dialect.one_zero: returns('text')
query/backends/group_keys.py
    an unstable zero
        plain_value: instead('value + 0.0', 'value')
""",
        "move",
    ),
}


def in_copy(folder: Path, *faults: str, words: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """What the audit finds in a copy of the source with these faults."""
    tools = ROOT / "tools" / "mutate"
    sys.path.insert(0, str(tools))
    try:
        read = runpy.run_path(str(tools / "fault.py"))["read"]
        copy = folder / "src" / "privet"
        shutil.copytree(ROOT / "src" / "privet", copy)
        for fault in read("".join((UNGUARDED, *(PLANTED[each][0] for each in faults)))):
            file = copy / fault.file
            file.write_text(fault.planted(file.read_text(encoding="utf-8")), encoding="utf-8")
    finally:
        sys.path.remove(str(tools))
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, str(ROOT / "tests" / "audit" / "planted_queries.py"), *words],
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, list[str]] = json.loads(done.stdout)
    return told


def test_what_is_planted_in_a_copy_is_found(tmp_path: Path) -> None:
    """All faults in one copy, each with the statement that it breaks; the control is this very source."""
    for name, audit in found().items():
        assert not audit.violated, f"{name}: {audit}"
        assert audit.draws
    told = in_copy(tmp_path, *PLANTED)
    for name, (_, kind) in PLANTED.items():
        assert kind in told[name], (name, told)


@pytest.mark.soak
@pytest.mark.parametrize("name", PLANTED)
def test_each_fault_alone_is_found_in_all_worlds(name: str, tmp_path: Path) -> None:
    told = in_copy(tmp_path, name, words=("everything",))
    assert PLANTED[name][1] in told[name]
    assert name == "a cap that is not applied" or [other for other in STATEMENTS if told[other]] == [name]


# --- engines that are not ours ---


class Counting:
    """An engine of somebody else's: a noisy count by group; a unit may or may not be held to one row.

    Args:
        tables: what it answers about.
        capped: whether it holds units to one row.
    """

    def __init__(self, tables: Mapping[str, pa.Table], *, capped: bool) -> None:
        ids = tables["visits"]["id"].to_pylist()
        self.rows = len(set(ids)) if capped else len(ids)

    def sql(self, text: str) -> Any:  # noqa: ANN401 - rows
        del text
        return {"n": [Laplace(1, 1).sample(float(self.rows), Entropy())]}


def test_any_engine_is_judged_by_its_answers() -> None:
    some = [world for world in worlds(CATALOG) if world.name in {"ordinary", "very many rows"}]
    for capped in (True, False):
        opened = partial(Counting, capped=capped)
        heard = query(opened, "SELECT COUNT(*) FROM visits", some, claim="epsilon=1", trials=400)
        assert heard.violated is not capped, heard
        assert capped or "very many rows" in " ".join(heard.pair)


def test_what_cannot_be_asked_is_said() -> None:
    empty = pa.table({"id": pa.array([], pa.int64())})
    pair = ({"visits": empty}, {"visits": empty})
    with pytest.raises(InvalidParameter, match="one statement is tested"):
        query(dict, ["SELECT 1"], [pair], claim=Guarantee(1))  # type: ignore[call-overload] # what is tried
    with pytest.raises(InvalidParameter, match="at least one statement"):
        query(dict, [], [pair])

    def closed_door(tables: object) -> object:
        raise OSError(f"no {type(tables).__name__}")

    nothing = query(closed_door, "SELECT 1", [World("shut", *pair)])
    assert not nothing.violated
    assert nothing.notes == ("shut: could not be opened: OSError: no dict",)
    assert "nothing is known" in nothing.verdict
