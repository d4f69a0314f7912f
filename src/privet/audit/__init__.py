"""Audit: attacks and testers: what a mechanism, a function or a model reveals at least, however it was made.

`test` runs anything on two neighboring inputs and looks for an event that one of them makes likelier; `exact`,
`compare_laws` and `audit_densities` need no samples; `training` and `one_run` judge one by canaries; `support`
and `reuse` look at the answers themselves, and `play` is the composition game. `replay` runs a computation on neighbors
whose noise comes out the same. What they find is a `Finding` or says its `verdict`.

May import: errors, wording, loss, noise, display, core, mechanisms.
Never touches: real data, ledgers that are kept.
"""

from privet.audit import adapters, zoo
from privet.audit.bounds import lower_epsilon
from privet.audit.densities import Densities, Density, audit_densities
from privet.audit.domain import Domain
from privet.audit.exact import compare_laws, every_string, exact
from privet.audit.finding import Finding
from privet.audit.game import play
from privet.audit.membership import membership
from privet.audit.one_run import one_run
from privet.audit.query import query
from privet.audit.replay import Replaying, replay
from privet.audit.replayed import Replayed
from privet.audit.reuse import reuse
from privet.audit.service import Response, Served, service
from privet.audit.support import support
from privet.audit.test import test
from privet.audit.timing import Timing, timing
from privet.audit.training import training
from privet.audit.worlds import World, worlds

__all__ = [
    "Densities",
    "Density",
    "Domain",
    "Finding",
    "Replayed",
    "Replaying",
    "Response",
    "Served",
    "Timing",
    "World",
    "adapters",
    "audit_densities",
    "compare_laws",
    "every_string",
    "exact",
    "lower_epsilon",
    "membership",
    "one_run",
    "play",
    "query",
    "replay",
    "reuse",
    "service",
    "support",
    "test",
    "timing",
    "training",
    "worlds",
    "zoo",
]
