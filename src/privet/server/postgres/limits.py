"""WireLimits: how much of this process one client, or all together, may use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WireLimits:
    """What a door allows.

    Args:
        connections: at the same time.
        opening: how many of them may not have signed in yet.
        largest_message: bytes of one message.
        seconds_to_sign_in: from the first byte until somebody has signed in.
        seconds_idle: without a word; a client that comes back connects again.
        seconds_to_send: how long a client may take to accept what it was sent.
        statements: that one connection has prepared.
        letters: of all statements that one connection has prepared.
        portals: that one connection holds open.
        values: bytes of all values that one connection has bound.
        rows: that portals of one connection hold, and that were not fetched yet.
        rows_of_catalog: how many rows a question about tables may give.
        seconds_of_catalog: how long one may take.
    """

    connections: int = 100
    opening: int = 32
    largest_message: int = 1_000_000
    seconds_to_sign_in: float = 15
    seconds_idle: float = 3600
    seconds_to_send: float = 60
    statements: int = 500
    letters: int = 1_000_000
    portals: int = 100
    values: int = 2_000_000
    rows: int = 300_000
    rows_of_catalog: int = 20_000
    seconds_of_catalog: float = 3
