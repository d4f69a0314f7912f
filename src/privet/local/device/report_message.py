"""ReportMessage: one report on its way, as bytes of one length for all devices of a collection."""

import struct
from dataclasses import dataclass

from privet.errors import InvalidParameter
from privet.noise import Entropy

VERSION = 1
LAYOUT = struct.Struct("!B16s16sI16s")  # version, collection, hash, period, nonce; the payload follows
MOST_PAYLOAD = 4096 - LAYOUT.size
NONCE_BYTES = 16
_ENTROPY = Entropy()


@dataclass(frozen=True, slots=True)
class ReportMessage:
    """What a request carries, and nothing else.

    Args:
        collection: the id of the collection, 16 bytes.
        config_hash: the first 16 bytes of the hash of its configuration, which ties the report to it.
        period: the number of the period, the only time that is told.
        nonce: 16 random bytes, drawn once: the same report sent again has the same, and counts once.
        payload: the privatized value, of the length that the collection says.

    Not covered: who sees the connection sees when it was made and from where.

    Example:
        >>> sent = ReportMessage(bytes(16), bytes(16), 3, ReportMessage.fresh_nonce(), b"a")
        >>> ReportMessage.unpack(sent.pack()) == sent, len(sent.pack())
        (True, 54)
    """

    collection: bytes
    config_hash: bytes
    period: int
    nonce: bytes
    payload: bytes

    def pack(self) -> bytes:
        """The bytes of the request's body."""
        return LAYOUT.pack(VERSION, self.collection, self.config_hash, self.period, self.nonce) + self.payload

    @classmethod
    def unpack(cls, body: bytes) -> "ReportMessage":
        """The report of a body; refused if it is none."""
        if not LAYOUT.size < len(body) <= LAYOUT.size + MOST_PAYLOAD or body[0] != VERSION:
            raise InvalidParameter("not a report: its length or its version is wrong")
        _, collection, config_hash, period, nonce = LAYOUT.unpack_from(body)
        return cls(collection, config_hash, period, nonce, body[LAYOUT.size :])

    @staticmethod
    def fresh_nonce() -> bytes:
        """16 random bytes."""
        return _ENTROPY.words(NONCE_BYTES // 8).tobytes()
