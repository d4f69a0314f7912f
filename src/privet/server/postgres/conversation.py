"""Conversation: one client that has signed in: its messages, and what it is told."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from privet.errors import PrivetError
from privet.server.postgres import messages as m
from privet.server.postgres import replies, sqlstates
from privet.server.postgres.byte_reader import BrokenTextError
from privet.server.postgres.commands import IDLE, Commands
from privet.server.postgres.copying import copied
from privet.server.postgres.kinds import Kind, Meant, kind_of, unqualified
from privet.server.postgres.limits import WireLimits
from privet.server.postgres.prepared import Portal, Prepared, Statement
from privet.server.postgres.questions import Answered, Questions
from privet.server.postgres.rows import Column, fields_of, formats_of
from privet.server.postgres.session_settings import REPORTED
from privet.server.postgres.sqlstates import Refusal, notice, refusal_of
from privet.server.postgres.wire import Wire
from privet.server.postgres.wire_parameters import values_of
from privet.server.postgres.wire_types import FormatsError
from privet.server.postgres.words import Written, written

LOG = logging.getLogger("privet.server")
LARGE = 1 << 16  # bytes that are put together before they are sent
CANCELED = (
    "canceled: what this costs stays spent; its answer is kept, and asking the same again brings it back for free"
)
QUERY = ord("Q")
T = TypeVar("T")


@dataclass
class Conversation:
    """One client.

    Args:
        wire: its bytes.
        questions: asks for it.
        commands: its settings and transaction.
        limits: what it may use.
        in_thread: runs what takes long; the second argument says whether it is the desk's work.
        pace: how long to hold back what took so many seconds.
    """

    wire: Wire
    questions: Questions
    commands: Commands
    limits: WireLimits
    in_thread: Callable[[Callable[[], object], bool], Awaitable[object]]
    pace: Callable[[float], float]
    running: bool = False
    _skipping: bool = False
    _pending: Portal | None = None
    _canceled: "asyncio.Future[None] | None" = None
    _prepared: Prepared = field(init=False)
    _told: dict[str, str] = field(init=False)
    _tables: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self._prepared = Prepared(self.limits)
        self._told = self._reported()
        self._tables = frozenset(name.lower() for name in self.questions.desk.catalog.tables)

    def begin(self, number: int, key: bytes) -> None:
        """Tell a client that it is in."""
        wire = self.wire
        wire.put(replies.asked_to_sign_in(replies.NO_SECRET))
        for name, value in self._told.items():
            wire.put(replies.parameter(name, value))
        wire.put(replies.cancel_key(number, key) + replies.ready(IDLE))

    def cancel(self) -> None:
        """Wait no longer for what runs."""
        if self._canceled is not None and not self._canceled.done():
            self._canceled.set_result(None)

    async def run(self, stopping: Callable[[], bool]) -> None:
        """Answer until the client goes, or the server stops."""
        while True:
            await self.wire.flush()
            if stopping():
                raise Refusal("the server stops", sqlstates.SHUTDOWN, "connect again later", fatal=True)
            try:
                async with asyncio.timeout(self.limits.seconds_idle):
                    message = await self.wire.message()
            except TimeoutError:
                raise Refusal("nothing was said for long", sqlstates.IDLE, "connect again", fatal=True) from None
            except BrokenTextError as problem:
                self._refused(Refusal("a text is no UTF-8", sqlstates.BAD_TEXT), simple=problem.kind == QUERY)
                continue
            if message is None or isinstance(message, m.Terminate):
                return
            self.running = True
            try:
                await self._heard(message)
            finally:
                self.running = False

    async def _heard(self, message: m.Message) -> None:
        simple = isinstance(message, m.Query | m.FunctionCall)
        if self._skipping and not isinstance(message, m.Sync):
            return
        try:
            await self._described_pending(message)
            await self._done(message)
        except Refusal as problem:
            self._refused(problem, simple=simple)
        except FormatsError:
            self._refused(Refusal("there are not as many formats as columns", sqlstates.PROTOCOL), simple=simple)

    def _refused(self, problem: Refusal, *, simple: bool) -> None:
        if problem.fatal:
            raise problem
        self._pending = None
        self.wire.put(replies.told(b"E", problem.fields))
        self.commands.failed()
        if simple:
            self.wire.put(replies.ready(self.commands.status))
        else:
            self._skipping = True

    async def _done(self, message: m.Message) -> None:  # noqa: C901 - one case for each message
        match message:
            case m.Query():
                await self._query(message.text)
            case m.Parse():
                await self._parse(message)
            case m.Bind():
                self._bind(message)
            case m.Describe(portal=True):
                self._pending = self._prepared.portal(message.name)
            case m.Describe():
                await self._describe(self._prepared.statement(message.name))
            case m.Execute():
                await self._execute(message)
            case m.Close():
                (self._prepared.portals if message.portal else self._prepared.statements).pop(message.name, None)
                self.wire.put(replies.CLOSED)
            case m.Sync():
                self._synced()
            case m.Flush():
                await self.wire.flush()
            case m.FunctionCall():
                raise Refusal("functions are not called by their number", sqlstates.NOT_SUPPORTED)
            case m.Secret():
                raise Refusal("nobody asked for a password", sqlstates.PROTOCOL, fatal=True)

    # --- several statements in one message ---

    async def _query(self, text: str) -> None:
        self._prepared.portals.pop("", None)
        self._prepared.statements.pop("", None)
        statements = written(text)
        if not statements:
            self.wire.put(replies.NOTHING_ASKED)
        for statement in statements:
            if any(word.kind == "parameter" for word in statement.words):
                raise Refusal("$1, $2, … have no values here", "42P02", "let the driver pass parameters")
            meant = self._meant(statement)
            if meant.kind is Kind.COMMAND:
                self._command(meant.statement, ())
                continue
            answered = await self._answer(meant, ())
            if meant.kind is Kind.COPY:
                await self._copied(meant, answered)
                continue
            self.wire.put(replies.row_description(answered.rows.fields()))
            await self._sent(answered.rows.next(0))
            self._noticed(answered)
            self.wire.put(replies.complete(answered.tag))
        self.wire.put(replies.ready(self.commands.status))

    def _meant(self, statement: Written) -> Meant:
        self.commands.refuse_in_failed(statement)
        meant = kind_of(statement, self._tables)
        if Kind.TABLES in (meant.kind, meant.inner) or meant.kind is Kind.COMMAND:
            return meant
        plain = unqualified(meant.statement, self._tables, self.questions.desk.catalog.name)
        return replace(meant, statement=plain)

    def _command(self, statement: Written, formats: tuple[int, ...], *, described: bool = True) -> None:
        first = statement.words[0].upper
        if first in ("DISCARD", "DEALLOCATE"):
            name = statement.words[-1]
            every = len(statement.words) == 1 or name.upper == "ALL"
            self._prepared.forget(None if every else [name.value])
        done = self.commands.run(statement)
        if done.warning is not None:
            fields = {**notice(done.warning[0]), "S": "WARNING", "V": "WARNING", "C": done.warning[1]}
            self.wire.put(replies.told(b"N", fields))
        if done.rows is not None:
            if described:
                self.wire.put(replies.row_description(done.rows.fields(formats)))
            for part in done.rows.next(0, formats):
                self.wire.put(part)
        if first in ("COMMIT", "END", "ROLLBACK", "ABORT") and self.commands.status == IDLE:
            self._prepared.portals.clear()
        now = self._reported()
        for name_, value in now.items():
            if self._told[name_] != value:
                self.wire.put(replies.parameter(name_, value))
        self._told = now
        self.wire.put(replies.complete(done.tag))

    def _reported(self) -> dict[str, str]:
        settings = self.commands.settings
        own = {"session_authorization": self.questions.asker.name}
        return {name: own.get(name) or settings.show(name) for name in REPORTED}

    # --- one statement, step by step ---

    async def _parse(self, message: m.Parse) -> None:
        statements = written(message.text)
        if len(statements) > 1:
            raise Refusal("a prepared statement is one statement", sqlstates.SYNTAX, "send them one by one")
        meant = self._meant(statements[0]) if statements else None
        if message.name == "":
            self._prepared.statements.pop("", None)
        oids = message.types
        if meant is not None and any(word.kind == "parameter" for word in meant.statement.words):
            found = await self._waited(lambda: self.questions.parameters(meant), desk=False)
            told = [*message.types, *[0] * (len(found) - len(message.types))]
            oids = tuple(said or own for said, own in zip(told, [*found, *told[len(found) :]], strict=True))
        self._prepared.keep(message.name, Statement(meant, oids))
        self.wire.put(replies.PARSED)

    def _bind(self, message: m.Bind) -> None:
        statement = self._prepared.statement(message.statement)
        if len(message.values) != len(statement.oids):
            raise Refusal(
                f"the statement has {len(statement.oids)} parameters, and {len(message.values)} values came",
                sqlstates.PROTOCOL,
            )
        if statement.meant is not None:
            self.commands.refuse_in_failed(statement.meant.statement)
        values = values_of(message.values, message.formats, statement.oids)
        if message.portal == "":
            self._prepared.portals.pop("", None)
        size = sum(len(each) for each in message.values if each is not None)
        self._prepared.open(message.portal, Portal(statement, values, message.results, size=size))
        self.wire.put(replies.BOUND)

    async def _describe(self, statement: Statement) -> None:
        self.wire.put(replies.parameter_description(statement.oids))
        columns = await self._columns(statement)
        self.wire.put(replies.NO_ROWS if columns is None else replies.row_description(fields_of(columns)))

    async def _columns(self, statement: Statement) -> tuple[Column, ...] | None:
        """The columns of a statement; None if it gives no rows. A copy is sent in a way of its own."""
        meant = statement.meant
        if meant is None or meant.kind is Kind.COPY:
            return None
        if meant.kind is Kind.COMMAND:
            rows = self.commands.run(meant.statement).rows if meant.statement.is_("SHOW") else None
            return None if rows is None else rows.columns
        if statement.columns is None:
            desk = meant.kind is Kind.QUESTION
            statement.columns = await self._waited(lambda: self.questions.columns(meant, statement.oids), desk=desk)
        return statement.columns

    async def _described_pending(self, message: m.Message) -> None:
        """Describe a portal, unless it is asked at once: then it is described by its answer."""
        portal, self._pending = self._pending, None
        if portal is None:
            return
        same = isinstance(message, m.Execute) and self._prepared.portals.get(message.portal) is portal
        question = portal.statement.meant is not None and portal.statement.meant.kind is Kind.QUESTION
        if same and question and portal.rows is None and portal.statement.columns is None:
            self._pending = portal
            return
        columns = await self._columns(portal.statement)
        if columns is None:
            self.wire.put(replies.NO_ROWS)
        else:
            self.wire.put(replies.row_description(fields_of(columns, portal.formats)))

    async def _execute(self, message: m.Execute) -> None:
        portal = self._prepared.portal(message.portal)
        describe, self._pending = self._pending is portal, None
        meant = portal.statement.meant
        if meant is None:
            self.wire.put(replies.NOTHING_ASKED)
            return
        if meant.kind is Kind.COMMAND:
            self._command(meant.statement, portal.formats, described=False)
            return
        answered: Answered | None = None
        if portal.rows is None:
            answered = await self._answer(meant, portal.values, portal.statement.columns)
            formats_of(len(answered.rows.columns), portal.formats if meant.kind is not Kind.COPY else ())
            portal.rows, portal.tag = answered.rows, answered.tag
            if describe:
                self.wire.put(replies.row_description(answered.rows.fields(portal.formats)))
            if meant.kind is Kind.COPY:
                await self._copied(meant, answered)
                return
        before = portal.rows.sent
        await self._sent(portal.rows.next(message.most, portal.formats))
        if answered is not None:
            self._noticed(answered)
        if portal.rows.left:
            self._prepared.refuse_many_rows()
            self.wire.put(replies.SUSPENDED)
        else:
            portal.rows.cells = [()] * len(portal.rows.columns)
            word = portal.tag.split(" ")[0]
            tag = portal.tag if word != "SELECT" else f"SELECT {portal.rows.sent - before}"
            self.wire.put(replies.complete(tag))

    def _synced(self) -> None:
        self._skipping = False
        if self.commands.status == IDLE:
            self._prepared.portals.clear()
        self.wire.put(replies.ready(self.commands.status))

    # --- answers ---

    async def _answer(
        self, meant: Meant, values: tuple[object, ...], columns: tuple[Column, ...] | None = None
    ) -> Answered:
        desk = Kind.TABLES not in (meant.kind, meant.inner)
        return await self._waited(lambda: self.questions.answer(meant, values, columns), desk=desk)  # type: ignore[arg-type] # as parameters gave them

    async def _waited(self, work: Callable[[], T], *, desk: bool) -> T:
        """Run something; whoever cancels it, or goes, only stops waiting."""
        began = time.monotonic()
        task = asyncio.ensure_future(self.in_thread(lambda: _outcome(work), desk))
        self._canceled = asyncio.get_running_loop().create_future()
        either: list[asyncio.Future[object]] = [task, self._canceled, self.wire.lost]  # type: ignore[list-item] # any
        try:
            await asyncio.wait(either, timeout=self._longest, return_when=asyncio.FIRST_COMPLETED)
            if desk and (left := self.pace(time.monotonic() - began)) > 0:
                await asyncio.sleep(left)
            if not task.done():
                raise Refusal(CANCELED, sqlstates.CANCELED)
            found = task.result()
            if isinstance(found, Refusal):
                raise found
            return found  # type: ignore[return-value] # what the work gives
        finally:
            self._canceled = None

    @property
    def _longest(self) -> float | None:
        """The client's own limit of time, in seconds."""
        said = self.commands.settings.show("statement_timeout").strip().lower()
        for unit, seconds in (("ms", 0.001), ("min", 60.0), ("s", 1.0), ("", 0.001)):
            number = said.removesuffix(unit).strip() if unit else said
            if (not unit or said.endswith(unit)) and number.isascii() and number.isdecimal() and len(number) < 10:  # noqa: PLR2004 - digits
                return int(number) * seconds or None
        return None

    async def _sent(self, parts: Iterable[bytes]) -> None:
        for part in parts:
            self.wire.put(part)
            if self.wire.held > LARGE:
                await self.wire.flush()

    async def _copied(self, meant: Meant, answered: Answered) -> None:
        self.wire.put(replies.copy_out(len(answered.rows.columns), binary=meant.form == "binary"))
        await self._sent(copied(answered.rows, meant.form, header=meant.header))
        self.wire.put(replies.COPIED)
        self._noticed(answered)
        self.wire.put(replies.complete(f"COPY {answered.rows.number}"))

    def _noticed(self, answered: Answered) -> None:
        if answered.spent and not self.commands.settings.quiet:
            self.wire.put(replies.told(b"N", notice(answered.spent, detail=answered.detail)))


def _outcome(work: Callable[[], T]) -> T | Refusal:
    """What work gives, or what is said of its failure, which nobody may be left to hear."""
    try:
        return work()
    except Exception as problem:  # noqa: BLE001 - whatever it is, a client is told one of our sentences
        if not isinstance(problem, PrivetError | Refusal):
            LOG.error("the PostgreSQL door failed: %s", type(problem).__name__)  # noqa: TRY400 - no text of it
        return refusal_of(problem)
