"""SQLSTATEs: by which five letters programs know what went wrong, and the hint that goes with it."""

from dataclasses import dataclass

from privet import errors
from privet.wording.printable import printable

FAILED = "the question could not be answered; the owner can find out why"
INTERNAL = "XX000"

SYNTAX = "42601"
NO_TABLE = "42P01"
NOT_SUPPORTED = "0A000"
READ_ONLY = "25006"
ABORTED = "25P02"
NO_TRANSACTION = "25P01"
CANCELED = "57014"
SHUTDOWN = "57P01"
IDLE = "57P05"
TOO_MANY = "53300"
NO_STATEMENT = "26000"
NO_PORTAL = "34000"
SAME_STATEMENT = "42P05"
SAME_PORTAL = "42P03"
NO_SAVEPOINT = "3B001"
PROTOCOL = "08P01"
BAD_TEXT = "22021"
BAD_VALUE = "22P02"
BAD_BINARY = "22P03"
BAD_SETTING = "22023"
NO_SETTING = "42704"
TOO_LARGE = "54000"
WRONG_PASSWORD = "28P01"  # noqa: S105 - not one
NOT_SIGNED_IN = "28000"
NO_DATABASE = "3D000"
BUDGET = "53400"
FROZEN = "42501"

KINDS: tuple[tuple[type[BaseException], str, str], ...] = (
    (
        errors.BudgetExceeded,
        BUDGET,
        "nothing was charged; ask for a smaller epsilon, or ask the owner for a larger cap",
    ),
    (errors.AnalystFrozen, FROZEN, "only the owner can end this"),
    (errors.ReleaseFailed, "P0001", "it is paid for; asking again would cost again"),
    (errors.AnswerLost, "P0002", "it is paid for, and not computed again"),
    (errors.KeyReused, "23505", "RESET privet.key, or set another"),
    (errors.LedgerUnavailable, "58030", "try again later; EXPLAIN costs nothing"),
    (errors.LedgerDamaged, "58030", "only the owner can end this"),
    (errors.EntropyError, "58000", "try again later"),
    (errors.ApprovalNeeded, FROZEN, "make a request in the console; when the owner has approved it, ask again"),
    (errors.NotAllowed, FROZEN, ""),
    (errors.SignInNeeded, NOT_SIGNED_IN, "connect again"),
    (errors.Busy, TOO_MANY, "try again in a moment; nothing was charged"),
    (errors.ServiceFailed, INTERNAL, ""),
    (errors.QueryRefused, NOT_SUPPORTED, ""),
    (errors.InvalidParameter, BAD_SETTING, ""),
)


@dataclass
class Refusal(Exception):  # noqa: N818 - named for what happened
    """What a client is told instead of an answer.

    Args:
        sentence: the whole of it, ours from the first letter to the last.
        state: its SQLSTATE.
        hint: what to do.
        fatal: whether the connection ends.
        place: the letter of the statement it is about, from 1; 0 if none.
    """

    sentence: str
    state: str = NOT_SUPPORTED
    hint: str = ""
    fatal: bool = False
    place: int = 0

    @property
    def fields(self) -> dict[str, str]:
        """As they are sent."""
        severity = "FATAL" if self.fatal else "ERROR"
        where = str(self.place) if self.place else ""
        return {
            "S": severity,
            "V": severity,
            "C": self.state,
            "M": printable(self.sentence),
            "H": self.hint,
            "P": where,
        }


def refusal_of(problem: BaseException) -> Refusal:
    """What is said of an exception: its own sentence if it is one of Privet's, else always the same."""
    if isinstance(problem, Refusal):
        return problem
    sentence = str(problem)
    for kind, state, hint in KINDS:
        if isinstance(problem, kind):
            return Refusal(sentence, state, hint)
    return Refusal(FAILED, INTERNAL)


def notice(sentence: str, *, detail: str = "") -> dict[str, str]:
    """The fields of a notice."""
    return {"S": "NOTICE", "V": "NOTICE", "C": "00000", "M": printable(sentence), "D": printable(detail)}
