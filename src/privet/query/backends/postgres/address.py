"""Address: where a PostgreSQL database is, as libpq reads it, and as people may see it: without a password."""

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from privet.errors import InvalidParameter

SCHEMES = ("postgresql://", "postgres://")
OURS = "statement_timeout"  # a word of our own in an address; all others are libpq's


@dataclass(frozen=True)
class Address:
    """An address in two parts.

    Args:
        conninfo: what libpq is given; it may hold a password, so it is never shown.
        statement_timeout: how long one statement may take, as PostgreSQL writes it ("90s", "5min"); None: as long as
            the server allows.
        place: for people.

    Example:
        >>> Address.of("postgresql://ada:secret@db.example/clinic?statement_timeout=90s").place
        'postgresql://ada@db.example/clinic'
    """

    conninfo: str = field(repr=False)
    statement_timeout: str | None
    place: str

    @classmethod
    def of(cls, source: str) -> "Address":
        """The address that a catalog's source is."""
        if not source.startswith(SCHEMES):
            raise InvalidParameter('source must be written as "postgresql://user@host/database"')
        try:
            parts = urlsplit(source)
            words = parse_qsl(parts.query, keep_blank_values=True)
        except ValueError:
            raise InvalidParameter('source must be written as "postgresql://user@host/database"') from None
        timeout = next((value for word, value in words if word == OURS), None)
        rest = urlencode([(word, value) for word, value in words if word != OURS], quote_via=quote)
        return cls(parts._replace(query=rest).geturl(), timeout, without_password(source))


def without_password(source: str) -> str:
    """A source as it may be shown or written down."""
    parts = urlsplit(source)
    if "@" not in parts.netloc and "?" not in source:
        return source
    user, at, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=user.partition(":")[0] + at + host, query="").geturl() if parts.scheme else source
