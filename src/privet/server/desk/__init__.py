"""The desk: what every door shares. Questions of signed-in people, what was asked before, what waits for the owner.

May import: core, errors, loss, query, wording; people and settings of the server.
Never touches: sockets, rows, noise.
"""

from privet.server.desk.asker import Asker
from privet.server.desk.desk import Desk
from privet.server.desk.facts import Asked, AskedBatch, AskedSummary, BudgetFacts, TableFacts

__all__ = ["Asked", "AskedBatch", "AskedSummary", "Asker", "BudgetFacts", "Desk", "TableFacts"]
