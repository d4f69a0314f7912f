"""Runs in a peer's own environment: how long OpenDP plans a grouped count, sum and mean. One JSON line each."""

import json
import time

import opendp.prelude as dp  # type: ignore[import-not-found] # only in the peer's environment
import polars as pl

CITIES = [f"city {number}" for number in range(50)]
BOUNDS = (20_000.0, 200_000.0)
REPEATS = 3


def planned(epsilon: float) -> None:
    """Find the mechanisms for a total of epsilon, for people with at most four rows; no row is read."""
    frame = pl.LazyFrame({"user": [1], "city": CITIES[:1], "salary": [50_000.0]})
    context = dp.Context.compositor(
        data=frame,
        privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("user")),
        privacy_loss=dp.loss_of(epsilon=epsilon),
        split_evenly_over=1,
        margins=[dp.polars.Margin(by=[], max_length=1 << 24), dp.polars.Margin(by=["city"], max_length=1 << 24)],
    )
    salary = pl.col("salary").fill_null(BOUNDS[0]).fill_nan(BOUNDS[0])
    totals = salary.dp.sum(BOUNDS).alias("sum"), salary.dp.mean(BOUNDS).alias("mean")  # type: ignore[attr-defined] # the same
    rows = context.query().truncate_per_group(4)
    rows.group_by("city").agg(dp.len(), *totals).with_keys(pl.LazyFrame({"city": CITIES})).resolve()


dp.enable_features("contrib")
times = []
for repeat in range(REPEATS):
    start = time.perf_counter()
    planned(1.0 + repeat / 16)
    times.append(time.perf_counter() - start)
print(json.dumps({"seconds": min(times), "all": times}))
