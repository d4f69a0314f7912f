"""Facts: what the desk tells those who ask."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from privet.loss import Amount, Promise
from privet.query.results.answer import Answer
from privet.query.results.answers import Answers


@dataclass(frozen=True)
class Asked:
    """A question with its answer.

    Args:
        number: of the permalink; nobody can guess it, and it opens for who asked alone.
        answer: what was released.
        text: the statement.
        purpose: as recorded.
        repeated: whether it was asked before and has cost nothing now.
        remaining: what is left for who asks.
        at: when it was answered, ISO 8601 in UTC.
    """

    number: str
    answer: Answer
    text: str
    purpose: str
    repeated: bool
    remaining: Amount
    at: str


@dataclass(frozen=True)
class AskedBatch:
    """Several questions that were asked at once, with their answers; otherwise as `Asked`.

    Args:
        number: of the permalink.
        answers: what was released.
        texts: the statements, in order.
        purpose: as recorded.
        repeated: whether they were asked before and have cost nothing now.
        remaining: what is left for who asks.
        at: when they were answered.
    """

    number: str
    answers: Answers
    texts: tuple[str, ...]
    purpose: str
    repeated: bool
    remaining: Amount
    at: str


@dataclass(frozen=True)
class AskedSummary:
    """A question as a list shows it.

    Args:
        number: of the permalink.
        text: the statement; those of a batch with a line between.
        purpose: as recorded.
        at: when it was asked.
        state: "answered"; "running" in this process; or "unanswered": another runs it, or it was paid for and is lost.
        spent: what it cost, if it is answered.
        via: by which door.
    """

    number: str
    text: str
    purpose: str
    at: str
    state: str
    spent: str | None
    via: str


@dataclass(frozen=True)
class BudgetFacts:
    """What somebody may spend: their own numbers, and nobody else's.

    Args:
        limit: their own cap, or the dataset's limit if they have none.
        spent: what they have spent.
        remaining: what is left for them. It may be less than the limit without what they have spent.
        largest_epsilon: the largest ε of one answer without approval; None for any.
        needs_approval: whether each question needs it.
        rule: how spends add up, in words.
    """

    limit: Promise
    spent: Amount
    remaining: Amount
    largest_epsilon: Fraction | None
    needs_approval: bool
    rule: str


@dataclass(frozen=True)
class ColumnFacts:
    """What is public of a column.

    Args:
        name: as statements call it.
        type: "integer", "text", ….
        nullable: whether it may be missing.
        low: the lower bound, as text; None if there is none.
        high: the upper bound.
        values: all it can be, if they are listed.
    """

    name: str
    type: str
    nullable: bool
    low: str | None
    high: str | None
    values: tuple[object, ...] | None


@dataclass(frozen=True)
class TableFacts:
    """What is public of a table.

    Args:
        name: as statements call it.
        public: whether its rows are about nobody.
        unit: who is protected; None in a public table.
        columns: in order.
        limits: what is used of one unit, by the catalog's words.
    """

    name: str
    public: bool
    unit: str | None
    columns: tuple[ColumnFacts, ...]
    limits: Mapping[str, int | str]
