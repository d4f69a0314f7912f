"""Address: where a PostgreSQL database is, as libpq reads it, and as people may see it: without a password."""

from dataclasses import dataclass, field
from urllib.parse import unquote

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
        place, _, query = source.partition("?")
        words = [word.partition("=") for word in query.split("&") if word]
        timeout = next((unquote(value) for word, _, value in words if word == OURS), None)
        rest = "&".join("".join(word) for word in words if word[0] != OURS)
        return cls(f"{place}?{rest}" if rest else place, timeout, shown(source).partition("?")[0])


def shown(source: str) -> str:
    """A source as it may be shown or written down: without passwords.

    Example:
        >>> shown("postgresql://ada:secret@db.example/clinic?sslmode=require&password=secret")
        'postgresql://ada@db.example/clinic?sslmode=require'
    """
    scheme, _, rest = source.partition("://")
    place, _, query = rest.partition("?")
    server, slash, database = place.partition("/")
    user, at, host = server.rpartition("@")
    words = "&".join(
        word for word in query.split("&") if word and "pass" not in unquote(word.partition("=")[0]).lower()
    )
    return f"{scheme}://{user.partition(':')[0]}{at}{host}{slash}{database}" + (f"?{words}" if words else "")
