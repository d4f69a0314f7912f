"""Address: where a server is, checked before anything is sent to it."""

import re
from dataclasses import dataclass

from privet.errors import InvalidParameter

LOOPBACK = {"localhost", "127.0.0.1", "::1"}
SHAPE = re.compile(
    r"(?P<scheme>https?)://(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?/*", re.IGNORECASE
)


@dataclass(frozen=True)
class Address:
    """The scheme, the host and the port of a server.

    Example:
        >>> Address.of("https://stats.example.org")
        Address(scheme='https', host='stats.example.org', port=443)
        >>> Address.of("http://stats.example.org")
        Traceback (most recent call last):
        ...
        privet.errors.InvalidParameter: http://stats.example.org would send the token unencrypted: write https://
    """

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> "Address":
        """Read an address; plain HTTP goes to this machine only.

        Raises:
            InvalidParameter: if it is none, or has a user, a path or a query, in which a secret could stand.
        """
        found = SHAPE.fullmatch(text)
        if found is None:
            raise InvalidParameter(
                "the address of a server has a name and a port alone, such as https://stats.example.org:8443; "
                "the token is said with token="
            )
        scheme, host = found["scheme"].casefold(), found["host"].strip("[]").casefold()
        port = int(found["port"] or (443 if scheme == "https" else 80))
        if not 0 < port < 2**16:
            raise InvalidParameter(f"a port is between 1 and 65535, got {port}")
        if scheme == "http" and host not in LOOPBACK:
            raise InvalidParameter(f"http://{host} would send the token unencrypted: write https://")
        return cls(scheme, host, port)

    def __str__(self) -> str:
        usual = self.port == (443 if self.scheme == "https" else 80)
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{'' if usual else f':{self.port}'}"
