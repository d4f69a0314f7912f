"""The collector: receives privatized reports, cannot tell who sent them, and shows estimates with intervals.

`Collector` is what every door of it shares: collections, the clock, periods, releases. `report_route.py` takes reports,
`group_commit.py` makes them durable in batches that carry no order, `store.py` says what is stored, in SQLite or
PostgreSQL, and `routes.py` is for analysts and devices.
"""

from privet.server.collector.collector import Collector
from privet.server.collector.group_commit import GroupCommit
from privet.server.collector.routes import collector_routes
from privet.server.collector.store import Store, StoreUnavailable

__all__ = ["Collector", "GroupCommit", "Store", "StoreUnavailable", "collector_routes"]
