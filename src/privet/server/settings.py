"""Settings: what whoever runs a server says about it, in a TOML file or by flags."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Self, get_args, get_type_hints

from privet.errors import InvalidParameter
from privet.wording.nearest import nearest

LOOPBACK = ("127.0.0.1", "::1", "localhost")
COUNTS = (
    "workers",
    "engine_threads",
    "statements_at_once",
    "statements_per_person",
    "requests_at_once",
    "requests_per_minute",
    "connections",
    "largest_body",
    "largest_statement",
    "seconds_to_read",
    "seconds_to_stop",
)
DAY = 86_400
HOST = re.compile(r"[A-Za-z0-9_.-]+|[0-9a-fA-F:]+")
ADDRESS = re.compile(r"https?://(?P<host>[A-Za-z0-9_.-]+|\[[0-9a-fA-F:]+\])(:[0-9]{1,5})?/?")


@dataclass(frozen=True)
class Settings:
    """How a server runs. Each name is a line of the file and, with dashes, a flag.

    Args:
        catalog: the catalog file; None until the first-run wizard has written one.
        people: where accounts and tokens are kept: "sqlite:///people.db", or "postgresql://…"; beside the catalog by
            default.
        host: the address to listen on; this machine alone by default.
        port: of HTTP and the console; 0 takes a free one.
        postgres: whether the PostgreSQL door is open.
        postgres_port: of that door; 0 takes a free one.
        console: whether pages for people are served.
        agents: whether `/mcp` is served.
        collector: where privatized reports are kept, if they are collected here too: a file, or "postgresql://…".
        public_address: how the outside calls it, such as "https://privet.example.org": for invitations and permalinks.
        allowed_hosts: other names that requests may come under; those of this machine and of the public address are.
        behind_proxy: a reverse proxy ends TLS before this server; then plain HTTP may be listened to anywhere.
        dev: make a certificate for localhost.
        certificate: a PEM file, for HTTPS and for TLS on the PostgreSQL wire.
        certificate_key: its private key.
        workers: how many processes share the ledger.
        repeats: whether an identical question brings back the stored answer, for free.
        engine_memory: the most that an engine in this process may use, such as "4GB".
        engine_threads: how many of them it may use.
        statements_at_once: how many statements run in a process; others wait.
        statements_per_person: how many of them may be one person's.
        requests_at_once: how many HTTP requests are in work; others are told to come again.
        requests_per_minute: of one token or session; a burst may have as many.
        connections: how many the PostgreSQL door keeps.
        largest_body: bytes of a request.
        largest_statement: letters of a statement.
        seconds_to_read: how long a request may take to arrive.
        seconds_to_stop: how long running statements may take when the server is stopped.
        answer_after: public steps in seconds: an answer leaves at the first step after it is ready. None: at once.
        log_requests: whether each request is logged: time, method, route, status; never who, what or from where.
        metrics: whether public counts are served at `/metrics`.
        metrics_token: a file with the token that reads them; without it only this machine may, and no proxy.

    Privacy: nothing here changes what is charged or released; `answer_after` hides times. Nothing writes a statement, a
        value or a token into a log.

    Example:
        >>> Settings(port=9000).address, Settings(dev=True).tls
        ('http://localhost:9000', True)
    """

    catalog: Path | None = None
    people: str | None = None
    host: str = "127.0.0.1"
    port: int = 8443
    postgres: bool = True
    postgres_port: int = 5433
    console: bool = True
    agents: bool = True
    collector: str | None = None
    public_address: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    behind_proxy: bool = False
    dev: bool = False
    certificate: Path | None = None
    certificate_key: Path | None = None
    workers: int = 1
    repeats: bool = True
    engine_memory: str | None = None
    engine_threads: int | None = None
    statements_at_once: int = 4
    statements_per_person: int = 2
    requests_at_once: int = 256
    requests_per_minute: int = 1200
    connections: int = 100
    largest_body: int = 1_000_000
    largest_statement: int = 100_000
    seconds_to_read: float = 30
    seconds_to_stop: float = 60
    answer_after: tuple[float, ...] | None = None
    log_requests: bool = False
    metrics: bool = False
    metrics_token: Path | None = None

    def __post_init__(self) -> None:
        for name in ("port", "postgres_port"):
            if not 0 <= getattr(self, name) < 2**16:
                raise InvalidParameter(f"{name} must be between 0 and 65535, got {getattr(self, name)}")
        for name in COUNTS:
            number = getattr(self, name)
            if number is not None and not 1 <= number < 2**40:
                raise InvalidParameter(f"{name} must be at least 1, got {number}")
        steps = self.answer_after
        if steps is not None and not (steps and all(a < b <= DAY for a, b in pairwise((0, *steps)))):
            raise InvalidParameter("answer_after must be seconds that grow, such as [0.5, 2, 10]")
        self._refuse_names()
        if self.host not in LOOPBACK and not self.tls and not self.behind_proxy:
            raise InvalidParameter(
                f"listening on {self.host} needs TLS: name certificate and certificate_key, or say behind_proxy if a "
                "reverse proxy ends TLS before this server"
            )

    def _refuse_names(self) -> None:
        if (self.certificate is None) != (self.certificate_key is None):
            raise InvalidParameter("certificate and certificate_key go together: name both files")
        if self.public_address is not None and not ADDRESS.fullmatch(self.public_address):
            raise InvalidParameter(
                f"public_address must be such as https://privet.example.org, got {self.public_address!r:.80}"
            )
        for each in self.allowed_hosts:
            if not HOST.fullmatch(each):
                raise InvalidParameter(f"allowed_hosts must be names without ports and stars, got {each!r:.80}")

    @property
    def tls(self) -> bool:
        """Whether the doors speak TLS themselves."""
        return self.certificate is not None or self.dev

    @property
    def address(self) -> str:
        """How the outside calls it, without a slash at the end."""
        if self.public_address is not None:
            return self.public_address.rstrip("/")
        host = "localhost" if self.host in LOOPBACK else self.host
        return f"{'https' if self.tls else 'http'}://{f'[{host}]' if ':' in host else host}:{self.port}"

    def invitation(self, secret: str) -> str:
        """The link of an invitation."""
        return f"{self.address}/console/invitation?code={secret}"

    def permalink(self, number: str) -> str:
        """The page of a stored answer, for who has asked it."""
        return f"{self.address}/console/answers/{number}"

    @property
    def hosts(self) -> frozenset[str]:
        """The names that requests may come under, in small letters and without ports."""
        own = {host for host in LOOPBACK if self.host in LOOPBACK} | {self.host.casefold()}
        return frozenset(own | {each.casefold() for each in self.allowed_hosts} | {host_of(self.address)})

    @classmethod
    def read(cls, file: Path | None, **flags: object) -> Self:
        """What a file says, and in its place what flags say.

        Args:
            file: a TOML file whose lines are named like the arguments; relative paths are relative to it.
            flags: None where nothing was said.

        Raises:
            InvalidParameter: if a line is unknown or means nothing.
        """
        said = {} if file is None else _lines(file)
        given = {name: value for name, value in flags.items() if value is not None}
        folder = Path() if file is None else file.parent
        try:
            read = {name: _value(name, value, folder) for name, value in said.items()}
            return cls(**{**read, **{name: _value(name, value, Path()) for name, value in given.items()}})
        except InvalidParameter as problem:
            raise problem if file is None else InvalidParameter(f"{file}: {problem}") from problem


def host_of(address: str) -> str:
    """The name in an address, in small letters and without its port.

    Example:
        >>> host_of("https://Privet.example.org:8443"), host_of("http://[::1]:80")
        ('privet.example.org', '::1')
    """
    found = ADDRESS.fullmatch(address)
    return "" if found is None else found["host"].strip("[]").casefold()


def _lines(file: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise InvalidParameter(f"{file} cannot be read: name a TOML file") from None
    except tomllib.TOMLDecodeError as problem:
        raise InvalidParameter(f"{file} is no TOML: {problem}") from None


def _value(name: str, value: Any, folder: Path) -> Any:  # noqa: ANN401 - as TOML gives it
    """A value of the type of its field."""
    if name not in KINDS:
        raise InvalidParameter(f"unknown word {name!r}{nearest(name, KINDS)}")
    kind = KINDS[name]
    if isinstance(value, bool) != (kind is bool):
        raise InvalidParameter(f"{name} must be {WORDS[kind]}, got {value!r:.80}")
    if kind in (bool, int, str) and type(value) is kind:
        return value
    if kind is float and isinstance(value, int | float):
        return float(value)
    if kind is Path and isinstance(value, str | Path):
        return folder / value
    if kind in (STEPS, TEXTS) and isinstance(value, list | tuple):
        wanted = str if kind == TEXTS else (int, float)
        if all(isinstance(each, wanted) and not isinstance(each, bool) for each in value):
            return tuple(value)
    raise InvalidParameter(f"{name} must be {WORDS[kind]}, got {value!r:.80}")


STEPS, TEXTS = tuple[float, ...], tuple[str, ...]
WORDS: Mapping[object, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Path: "the name of a file",
    STEPS: "a list of seconds",
    TEXTS: "a list of texts",
}
KINDS: Mapping[str, object] = {
    name: next(each for each in (get_args(kind) if isinstance(kind, UnionType) else (kind,)) if each is not NoneType)
    for name, kind in get_type_hints(Settings).items()
}
