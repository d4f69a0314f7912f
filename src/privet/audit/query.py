"""query: statements of any engine, asked on databases that differ in one unit."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias, cast, overload

from privet.audit.claim import Claim
from privet.audit.finding import Finding
from privet.audit.looks import columns_of, failure
from privet.audit.observed import Observed
from privet.audit.progress import Progress
from privet.audit.replay import Comparing
from privet.audit.replayed import Replayed
from privet.audit.tape import Listening, Tape, listening
from privet.audit.test import ALPHA
from privet.audit.test import test as sampled
from privet.audit.worlds import Tables, World
from privet.core import Ledger
from privet.errors import InvalidParameter
from privet.noise import BitSource

if TYPE_CHECKING:
    from privet.audit.domain import Domain

Opening: TypeAlias = Callable[[Tables], Any]  # tables to a session
Statements: TypeAlias = str | Sequence[str] | Mapping[str, str]
TRIALS = 2_000


@overload
def query(
    open_session: Opening,
    sql: Statements,
    worlds: Iterable[World | tuple[Tables, Tables]],
    *,
    claim: None = None,
    source: BitSource | None = None,
    progress: bool | None = None,
    **keywords: Any,  # noqa: ANN401 - those of `sql`
) -> Replayed: ...
@overload
def query(
    open_session: Opening,
    sql: str,
    worlds: Iterable[World | tuple[Tables, Tables]],
    *,
    claim: Claim,
    trials: int = TRIALS,
    alpha: float = ALPHA,
    progress: bool | None = None,
    **keywords: Any,  # noqa: ANN401 - those of `sql`
) -> Finding: ...
def query(  # noqa: PLR0913 - as above
    open_session: Opening,
    sql: Statements,
    worlds: Iterable[World | tuple[Tables, Tables]],
    *,
    claim: Claim | None = None,
    trials: int = TRIALS,
    alpha: float = ALPHA,
    source: BitSource | None = None,
    progress: bool | None = None,
    **keywords: Any,
) -> Replayed | Finding:
    """Ask statements of databases that differ in one unit, and see what tells them apart.

    Sessions of Privet are replayed: what was drawn of the first database is said of the second too, as of a thousand
    times as many units, so that small groups are named. Then secrets may move by no more than was declared, in any
    norm, and answers, explanations, failures, messages and charges must be equal. Any other engine is judged by its
    answers alone, with a claim.

    Args:
        open_session: makes a session of Arrow tables by name, in any engine, with a ledger in memory. What it returns
            has a method `sql`, or is itself a function of a statement; `explain` and `close` are called if there.
        sql: a statement, or several, also by name.
        worlds: pairs of databases, such as `privet.audit.worlds(catalog)` makes.
        claim: what is claimed of one answer. With it nothing is replayed: the answers alone are tested, as by `test`.
        trials: answers of either database, with a claim.
        alpha: as for `test`, with a claim.
        source: where the first database's noise comes from, in a replay; the operating system by default.
        progress: True to show how far it is from two seconds on, False never to; by default on terminals.
        keywords: given to `sql` and `explain` beside the statement, such as epsilon=1.

    Privacy: asks invented tables only. Never give it tables with people in them.
    Not covered: what no world has, time, and in a test of answers what does not show in so many of them.

    Example:
        >>> import pyarrow as pa, privet
        >>> from dataclasses import replace
        >>> from privet.audit import worlds
        >>> frame = pa.table({"id": [1], "city": ["bern"], "pay": [0.5]})
        >>> columns = {"city": {"type": "text"}, "pay": {"type": "real", "bounds": [0, 9]}}
        >>> limit = privet.Guarantee(9, "0.1")
        >>> declared = privet.Catalog.of(frame, unit="person", unit_column="id", limit=limit, columns=columns)
        >>> (name,) = declared.tables
        >>> opened = lambda tables: privet.connect(replace(declared, frames=tables), threads=1)
        >>> asked = f"SELECT city, SUM(pay) FROM {name} GROUP BY city"
        >>> query(opened, asked, worlds(declared), epsilon=1, delta=1e-6).violated
        False
    """
    if claim is not None:
        if not isinstance(sql, str):
            raise InvalidParameter("with a claim one statement is tested: call it once for each")
        return _tested(open_session, sql, worlds, keywords, claim=claim, trials=trials, alpha=alpha, progress=progress)
    statements = _named(sql)
    pairs = list(_pairs(worlds))
    found, watch = Comparing(strict=True), Progress(len(pairs), shown=progress)
    with listening() as here:
        asking = _Asking(open_session, statements, keywords, here, source)
        try:
            for world in pairs:
                asking.compare(world, found)
                watch.step(1)
        finally:
            watch.end()
            asking.close()
    return found.replayed("queries" if len(statements) > 1 else next(iter(statements)))


class _Asking:
    """Sessions on both databases; the first is kept as long as it is the same.

    Args:
        open_session: makes them.
        statements: by name.
        keywords: of each.
        heard: where ledgers speak to.
        source: of the first one's noise.
    """

    def __init__(
        self,
        open_session: Opening,
        statements: Mapping[str, str],
        keywords: Mapping[str, Any],
        heard: Listening,
        source: BitSource | None,
    ) -> None:
        self._open, self._statements, self._keywords = open_session, statements, keywords
        self._heard, self._source = heard, source
        self._tables: Tables | None = None
        self._session: Any = None
        self._known: dict[str, Observed] = {}

    def compare(self, world: World, found: Comparing) -> None:
        """Ask all statements of both."""
        try:
            self._take(world.one)
            other = self._open(world.other)
        except Exception as problem:  # noqa: BLE001 - what cannot be stored cannot be asked
            found.notes.setdefault(f"{world.name}: could not be opened: {failure(problem)}")
            return
        try:
            for name, text in self._statements.items():
                if name not in self._known:
                    self._known[name] = self._asked(self._session, text, None)
                here = self._known[name]
                there = self._asked(other, text, here.tape)
                found.add(here, there, ("without", f"with a unit: {world.name}"), name)
        finally:
            closed(other)

    def _take(self, tables: Tables) -> None:
        if tables is not self._tables:
            self.close()
            self._session = self._open(tables)
            self._tables, self._known = tables, {}

    def close(self) -> None:
        """End the first session."""
        if self._tables is not None:
            closed(self._session)
            self._tables = None

    def _asked(self, session: Any, text: str, before: Tape | None) -> Observed:  # noqa: ANN401 - of any engine
        """What is seen of one statement, through a ledger of its own where the session has one."""
        renew(session)
        tape = Tape(before, self._source, crowd=True)
        observed = Observed(tape)
        self._heard.tape = tape
        try:
            with observed.watching():
                if hasattr(session, "explain"):
                    explained = session.explain(text, **self._keywords)
                    observed.see(str(explained), "the explanation as it is printed")
                    observed.see(explained, "the explanation")
                observed.see(_asking(session)(text, **self._keywords))
        finally:
            self._heard.tape = None
        return observed


def renew(session: Any) -> None:  # noqa: ANN401 - of any engine
    """A ledger of the same terms with nothing spent, where the session has one in memory."""
    ledger = getattr(session, "ledger", None)
    if isinstance(ledger, Ledger):
        session.ledger = Ledger(ledger.limit, unit=ledger.unit, rule=ledger.rule, analyst=ledger.analyst)


def closed(session: Any) -> None:  # noqa: ANN401 - of any engine
    """End a session, if it can be ended."""
    close = getattr(session, "close", None)
    if callable(close):
        close()


def _asking(session: Any) -> Callable[..., Any]:  # noqa: ANN401 - of any engine
    asking: Any = getattr(session, "sql", session)
    if not callable(asking):
        raise InvalidParameter(
            f"a session must have a method sql, or be a function of a statement, got {type(session).__name__}: "
            "let open_session return one"
        )
    return cast("Callable[..., Any]", asking)


def _named(sql: Statements) -> dict[str, str]:
    named = dict(sql) if isinstance(sql, Mapping) else {text: text for text in ([sql] if isinstance(sql, str) else sql)}
    if not named:
        raise InvalidParameter("there must be at least one statement, got none")
    return named


def _pairs(worlds: Iterable[World | tuple[Tables, Tables]]) -> Iterator[World]:
    for place, world in enumerate(worlds):
        yield world if isinstance(world, World) else World(f"pair {place + 1}", *world)


# --- by answers alone -----------------------------------------------------------------------------------------


class _Side:
    """One database of a pair, opened when it is asked, and by the name of what is special about it.

    Args:
        open_session: makes sessions.
        tables: of this database.
        name: for people.
        opened: the sides that are open, which are those of one pair.
        pair: its number.
    """

    def __init__(
        self, open_session: Opening, tables: Tables, name: str, opened: list[tuple[int, "_Side"]], pair: int
    ) -> None:
        self._open, self._tables, self._name = open_session, tables, name
        self._opened, self._pair = opened, pair
        self._session: Any = None

    def ask(self, text: str, keywords: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever is answered
        """The cells of an answer, by column."""
        if self._session is None:
            while self._opened and self._opened[0][0] != self._pair:
                self._opened.pop(0)[1].close()
            self._session = self._open(self._tables)
            self._opened.append((self._pair, self))
        renew(self._session)
        answer = _asking(self._session)(text, **keywords)
        columns = columns_of(getattr(answer, "table", answer))
        return answer if columns is None else columns

    def close(self) -> None:
        """End its session."""
        with suppress(Exception):
            closed(self._session)
        self._session = None

    def __repr__(self) -> str:
        return self._name


class _Sides:
    """What `test` asks for neighbors; at most one pair of databases is open."""

    def __init__(self, open_session: Opening, worlds: Iterable[World | tuple[Tables, Tables]]) -> None:
        self._opened: list[tuple[int, _Side]] = []
        self._all = [
            (
                _Side(open_session, world.one, "without", self._opened, pair),
                _Side(open_session, world.other, f"with a unit: {world.name}", self._opened, pair),
            )
            for pair, world in enumerate(_pairs(worlds))
        ]

    def pairs(self) -> Iterator[tuple[_Side, _Side]]:
        """Each in turn."""
        yield from self._all

    def close(self) -> None:
        """End all sessions."""
        while self._opened:
            self._opened.pop()[1].close()


def _tested(
    open_session: Opening,
    text: str,
    worlds: Iterable[World | tuple[Tables, Tables]],
    keywords: Mapping[str, Any],
    **how: Any,  # noqa: ANN401 - as `test`
) -> Finding:
    sides = _Sides(open_session, worlds)
    try:
        run = lambda side: side.ask(text, keywords)  # noqa: E731 - what is tested
        return sampled(run, domain=cast("Domain", sides), name=text, **how)
    finally:
        sides.close()
