"""Problems: how Privet's errors travel as application/problem+json, and become the same errors again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privet import errors
from privet.errors import PrivetError

MEDIA_TYPE = "application/problem+json"
PREFIX = "urn:privet:error:"


@dataclass(frozen=True)
class Kind:
    """What is told about an error beside its sentence.

    Args:
        name: the last part of its type, a URN.
        error: the class.
        status: of HTTP.
        title: the same for all errors of a kind.
        hint: what to do.
        charged: whether something was charged; None: it may have been, and the sentence or the ledger tells.
    """

    name: str
    error: type[PrivetError]
    status: int
    title: str
    hint: str
    charged: bool | None = False


OWNER = "ask the owner to look"
AS_TOLD = "change it as told"
KINDS = (
    Kind("invalid-parameter", errors.InvalidParameter, 400, "Something that was said means nothing", AS_TOLD),
    Kind("query-refused", errors.QueryRefused, 422, "The statement cannot be answered privately", AS_TOLD),
    Kind("budget-exceeded", errors.BudgetExceeded, 402, "The budget does not allow it", "ask for less, or the owner"),
    Kind("analyst-frozen", errors.AnalystFrozen, 403, "Nothing more is told for now", OWNER, charged=None),
    Kind("release-failed", errors.ReleaseFailed, 500, "Charged, and could not be computed", OWNER, charged=True),
    Kind("answer-lost", errors.AnswerLost, 410, "Charged, and the answer is lost", "take a new key", charged=True),
    Kind("key-reused", errors.KeyReused, 409, "The key belongs to another question", "take a new key"),
    Kind("ledger-unavailable", errors.LedgerUnavailable, 503, "The ledger cannot be used now", "wait", charged=None),
    Kind("ledger-damaged", errors.LedgerDamaged, 503, "The ledger needs its owner", OWNER),
    Kind("sign-in-needed", errors.SignInNeeded, 401, "Say who asks", "use a token that is good"),
    Kind("not-allowed", errors.NotAllowed, 403, "This account or token may not do it", "ask the owner"),
    Kind("approval-needed", errors.ApprovalNeeded, 403, "The owner has to approve it first", "make a request"),
    Kind("cancelled", errors.Cancelled, 409, "It was stopped", "ask again", charged=None),
    Kind("busy", errors.Busy, 503, "Too much is going on", "wait"),
    Kind("service-failed", errors.ServiceFailed, 500, "Something unforeseen", OWNER, charged=None),
    Kind("entropy-error", errors.EntropyError, 503, "There is no randomness", OWNER),
)
OTHER = Kind("refused", PrivetError, 400, "It was refused", AS_TOLD, charged=None)


def kind_of(error: type[PrivetError]) -> Kind:
    """The kind of an error: of its class, or of the nearest above it."""
    known = {kind.error: kind for kind in KINDS}
    return next((known[each] for each in error.__mro__ if each in known), OTHER)


def problem_of(error: PrivetError) -> dict[str, Any]:
    """An error as it travels."""
    kind = kind_of(type(error))
    return problem(kind, str(error))


def problem(kind: Kind, detail: str, **more: object) -> dict[str, Any]:
    """A problem of a kind."""
    return {
        "type": PREFIX + kind.name,
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "hint": kind.hint,
        "charged": kind.charged,
        **more,
    }


def error_of(facts: Mapping[str, Any]) -> PrivetError:
    """The error that a problem was, with the same sentence; the root of all for one that is not known here."""
    name = str(facts.get("type", "")).removeprefix(PREFIX)
    detail = str(facts.get("detail", facts.get("title", "the server refused, and did not say why")))
    kind = next((each for each in KINDS if each.name == name), OTHER)
    if kind.error is errors.ApprovalNeeded:
        return errors.ApprovalNeeded(detail, number=facts.get("number"))
    return kind.error(detail)
