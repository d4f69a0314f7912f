"""Prepared: the statements and portals of one connection."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from privet.query.scalars.parameters import Given
from privet.server.postgres.kinds import Meant
from privet.server.postgres.limits import WireLimits
from privet.server.postgres.rows import Column, Rows
from privet.server.postgres.sqlstates import NO_PORTAL, NO_STATEMENT, SAME_PORTAL, SAME_STATEMENT, TOO_LARGE, Refusal


@dataclass
class Statement:
    """A statement with a name.

    Args:
        meant: what it is; None if it is empty.
        oids: the types of its parameters.
        columns: as they were described; None if they were not.
    """

    meant: Meant | None
    oids: tuple[int, ...]
    columns: tuple[Column, ...] | None = None

    @property
    def letters(self) -> int:
        """How long it is."""
        return 0 if self.meant is None else len(self.meant.statement.text)


@dataclass
class Portal:
    """A statement with values.

    Args:
        statement: which.
        values: of its parameters.
        formats: of its columns.
        rows: its answer, once it was asked.
        tag: what it is called when it is done.
        size: bytes of its values, as they came.
    """

    statement: Statement
    values: tuple[Given, ...]
    formats: tuple[int, ...]
    rows: Rows | None = None
    tag: str = ""
    size: int = 0


@dataclass
class Prepared:
    """All of one connection.

    Args:
        limits: how many there may be.
    """

    limits: WireLimits
    statements: dict[str, Statement] = field(default_factory=dict)
    portals: dict[str, Portal] = field(default_factory=dict)

    def keep(self, name: str, statement: Statement) -> None:
        """Give a statement a name; the empty one is given anew each time."""
        if name and name in self.statements:
            raise Refusal("there is a prepared statement of this name", SAME_STATEMENT)
        if name and len(self.statements) > self.limits.statements:
            raise Refusal(f"a connection has at most {self.limits.statements} prepared statements", TOO_LARGE)
        if statement.letters + sum(each.letters for each in self.statements.values()) > self.limits.letters:
            raise Refusal(f"a connection prepares at most {self.limits.letters:,} letters", TOO_LARGE)
        self.statements[name] = statement

    def open(self, name: str, portal: Portal) -> None:
        """Give a portal a name."""
        if name and name in self.portals:
            raise Refusal("there is a portal of this name", SAME_PORTAL)
        if name and len(self.portals) > self.limits.portals:
            raise Refusal(f"a connection has at most {self.limits.portals} portals", TOO_LARGE)
        if portal.size + sum(each.size for each in self.portals.values()) > self.limits.values:
            raise Refusal(f"a connection binds at most {self.limits.values:,} bytes", TOO_LARGE)
        self.portals[name] = portal

    def statement(self, name: str) -> Statement:
        """The statement of a name."""
        if name not in self.statements:
            raise Refusal("there is no prepared statement of this name", NO_STATEMENT)
        return self.statements[name]

    def portal(self, name: str) -> Portal:
        """The portal of a name."""
        if name not in self.portals:
            raise Refusal("there is no portal of this name", NO_PORTAL)
        return self.portals[name]

    def refuse_many_rows(self) -> None:
        """Refuse to hold more rows that were asked for and not fetched."""
        if sum(each.rows.left for each in self.portals.values() if each.rows is not None) > self.limits.rows:
            raise Refusal(f"a connection holds at most {self.limits.rows:,} rows that were not fetched", TOO_LARGE)

    def forget(self, names: Sequence[str] | None = None) -> None:
        """Forget statements of these names; all if none are said."""
        for name in list(self.statements) if names is None else names:
            self.statements.pop(name, None)
