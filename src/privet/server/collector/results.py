"""result_of: what a tally says, with everything a reader must know beside it; and its files."""

import io
import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.csv

from privet.errors import PrivetError
from privet.local import FrequencyEstimate
from privet.local.device import Collection
from privet.local.read_config import read_config
from privet.local.tally import Tally
from privet.loss.exact import readable

MOST_SHUFFLED = 1 << 24  # reports; of more, the bound of so many holds all the more
FORGED = 100
YES_OR_NO = {"False": "no", "True": "yes"}
FORMATS = {"csv": "text/csv; charset=utf-8", "arrow": "application/vnd.apache.arrow.stream"}
WORST = "{forged} forged reports, all alike, move one share by at most {moved:.3g}"


def result_of(facts: Collection, tally: Tally) -> dict[str, Any]:
    """Estimates with intervals, n, protocol, both guarantees and the poisoning bound, as JSON holds them."""
    protocol = facts.randomizer
    estimate = protocol.estimate(tally)
    shuffled = tally.reports if facts.live_step is None else facts.live_step
    result: dict[str, Any] = {
        "collection": facts.id,
        "title": facts.title,
        "config_hash": facts.config_hash.hex(),
        "protocol": protocol.name,
        "reports": tally.reports,
        "confidence": 0.95,
        "rows": [{name: _plain(cell) for name, cell in row.items()} for row in estimate.table.to_pylist()],
        "local_guarantee": {
            "epsilon_of_one_report": readable(facts.epsilon),
            "epsilon_of_a_period": readable(facts.cost_of_period),
            "epsilon_of_all_periods": readable(Fraction(facts.lifetime)),
            "holds": "whoever sees the reports, as long as the device runs the published program",
        },
        "shuffle_guarantee": shuffle_guarantee(facts, shuffled),
        "poisoning": None,
    }
    if isinstance(estimate, FrequencyEstimate):
        low, high = estimate.interval(0.95, simultaneous=True)
        for row, least, most in zip(result["rows"], low.tolist(), high.tolist(), strict=True):
            row |= {"all_low": least, "all_high": most}
        moved = estimate.poisoned_by(FORGED)
        result["poisoning"] = {
            "forged": FORGED,
            "moves_a_share_by": moved,
            "means": WORST.format(forged=FORGED, moved=moved),
        }
    return result


def shuffle_guarantee(facts: Collection, reports: int) -> dict[str, Any] | None:
    """What one report costs against those who see only what was counted together; None where no theorem covers it."""
    known = min(reports, MOST_SHUFFLED)
    epsilon = _shuffled(json.dumps(dict(facts.protocol)), known, facts.delta)
    if epsilon is None or not math.isfinite(epsilon):
        return None
    return {
        "epsilon_of_one_report": epsilon,
        "delta": facts.delta,
        "reports_shuffled": reports,
        "assumes": (
            f"the collector keeps nothing but counts, and at least {reports:,} honest devices report, one report each"
        ),
    }


@lru_cache(maxsize=256)
def _shuffled(config: str, reports: int, delta: str) -> float | None:
    try:
        return read_config(config).loss.shuffled(reports).epsilon(delta=float(Fraction(delta)))
    except PrivetError:
        return None


def _plain(cell: object) -> object:
    if cell in YES_OR_NO and isinstance(cell, str):
        return YES_OR_NO[cell]
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def table_of(results: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows of one or several results, each with its periods and n."""
    rows = [
        {
            **{name: result[name] for name in ("first", "last") if name in result},
            "reports": result["reports"],
            "epsilon_of_one_report": result["local_guarantee"]["epsilon_of_one_report"],
            **row,
            "value": str(row.get("value", "")),
        }
        for result in results
        for row in result["rows"]
    ]
    return pa.Table.from_pylist(rows)


def file_of(results: Sequence[Mapping[str, Any]], kind: str) -> bytes:
    """Results as a file: csv, or an Arrow stream."""
    table = table_of(results)
    sink = io.BytesIO()
    if kind == "csv":
        pyarrow.csv.write_csv(table, sink)
    else:
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
    return sink.getvalue()
