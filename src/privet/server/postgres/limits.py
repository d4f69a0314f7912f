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
        portals: that one connection holds open.
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
    portals: int = 100
    rows_of_catalog: int = 20_000
    seconds_of_catalog: float = 3
