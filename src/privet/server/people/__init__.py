"""People: who may come in, as what, and with which secrets; all in one small database.

May import: core, noise, errors, wording.
Never touches: data, ledgers, sockets.
"""

from privet.server.people.people import Invited, People, TokenFacts
from privet.server.people.person import Person, Role, TokenScope
from privet.server.people.scram import ScramVerifier

__all__ = ["Invited", "People", "Person", "Role", "ScramVerifier", "TokenFacts", "TokenScope"]
