"""The PostgreSQL wire: clients of that database connect, and ask the desk.

door            listens, and keeps the number of connections
messages        what clients say, taken apart; replies: what they are told, put together
conversation    one client, from its first byte to its last
sign_in         who it is: SCRAM-SHA-256 or a token
introspection/  what clients ask about tables, answered from an engine that holds empty ones

May import: every room below.
Never touches: formulas, private data.
"""

from privet.server.postgres.door import PostgresDoor
from privet.server.postgres.limits import WireLimits

__all__ = ["PostgresDoor", "WireLimits"]
