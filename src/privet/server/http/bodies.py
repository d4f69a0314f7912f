"""Bodies: what requests say, as OpenAPI describes it and pydantic checks it."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from privet.query.remote.wire_values import said_from_wire

LONGEST_NAME = 200
Text: TypeAlias = Annotated[StrictStr, Field(max_length=LONGEST_NAME)]
Long: TypeAlias = Annotated[StrictStr, Field(max_length=2_000)]
Number: TypeAlias = StrictInt | StrictFloat | Text
Count: TypeAlias = Annotated[StrictInt, Field(ge=1, le=10**12)]
Limit: TypeAlias = Count | Literal["auto"]


class Body(BaseModel):
    """A body whose names are all known."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Day(Body):
    """A date as a parameter."""

    date: Text


class Moment(Body):
    """A timestamp as a parameter, without a zone."""

    timestamp: Text


class RiskSaid(Body):
    """What an attacker may gain."""

    kind: Literal["posterior", "advantage", "power"]
    most: Number
    base: Number = 0


Parameter: TypeAlias = (
    StrictBool | StrictInt | StrictFloat | Annotated[StrictStr, Field(max_length=10_000)] | Day | Moment | None
)
Named: TypeAlias = Annotated[dict[Text, Number], Field(max_length=1_000)]


class Saying(Body):
    """What may be said about a question; numbers may be texts, which are exact: "0.1", "1/3"."""

    epsilon: Number | None = None
    delta: Number | None = None
    rho: Number | None = None
    risk: Text | RiskSaid | None = None
    error: Number | Named | None = None
    rows: Count | None = None
    rows_per_unit: Limit | None = None
    groups_per_unit: Limit | None = None
    rows_per_group: Count | None = None
    bounding: Text | None = None
    automatic_bounds: Number | None = None
    clipping: Text | None = None
    confidence: StrictFloat | StrictInt | None = None
    interval: Text | None = None
    quantile_intervals: StrictBool | None = None
    params: Annotated[dict[Text, Parameter] | list[Parameter], Field(max_length=1_000)] | None = None

    def keywords(self) -> dict[str, Any]:
        """As `Session.sql` takes them."""
        words = Saying.model_fields.keys()
        return said_from_wire(self.model_dump(include=set(words), exclude_none=False, exclude_unset=True))


Statement: TypeAlias = Annotated[StrictStr, Field(min_length=1, max_length=1_000_000)]
Statements: TypeAlias = Annotated[list[Statement] | dict[Text, Statement], Field(min_length=1, max_length=1_000)]


class Question(Saying):
    """One statement."""

    statement: Statement
    weights: Named | None = None
    purpose: Long | None = None
    fresh: StrictBool = False


class Batch(Saying):
    """Several statements that are asked at once."""

    statements: Statements
    weights: Named | Annotated[list[Number], Field(max_length=1_000)] | None = None
    purpose: Long | None = None
    fresh: StrictBool = False


class Wanted(Saying):
    """One statement or several, to be priced."""

    statement: Statement | None = None
    statements: Statements | None = None
    weights: Named | Annotated[list[Number], Field(max_length=1_000)] | None = None


class Wish(Wanted):
    """A question that the owner shall approve."""

    purpose: Long | None = None
    why: Long | None = None


class Key(Body):
    """The key of a statement that runs, or its number."""

    key: Text
