"""Every exception Privet raises on purpose, and the one warning.

PrivetError
├── InvalidParameter    an argument is outside its stated range; nothing was drawn, read or charged
├── QueryRefused        a statement cannot be answered privately; nothing was charged, and the data was not read
├── BudgetExceeded      the limit does not allow this spend; nothing was charged, and the data was not read
├── AnalystFrozen       answers failed too often: nothing more is told to this analyst until the owner has looked
├── ReleaseFailed       the answer could not be computed after it was paid for; the spend stays
├── AnswerLost          the answer was paid for and is gone; it is never computed again
├── KeyReused           an idempotency key came back with another question; nothing was charged
├── LedgerUnavailable   the journal cannot be read or written now; nothing is released
├── LedgerDamaged       the journal contradicts itself or its anchor; nothing is released until the owner has looked
├── EntropyError        the operating system gave no randomness; nothing is released
├── SignInNeeded        a server does not know who asks, or no longer
├── NotAllowed          a server knows who asks, and they may not do this
├── ApprovalNeeded      a server's owner has to approve this question first; nothing was charged
├── Cancelled           whoever asked has stopped a statement; what was charged for it stays charged
├── Busy                a server has too much to do, or was asked too often: come again later; nothing was charged
└── ServiceFailed       something unforeseen happened in a server; what it was is told to its owner alone

NewLedger               a warning: there was no ledger, so a new one was made, with nothing spent
"""


class PrivetError(Exception):
    """The root: `except PrivetError` catches everything Privet raises on purpose."""


class InvalidParameter(PrivetError, ValueError):  # noqa: N818 - named for what is wrong, as KeyError's kin are
    """An argument is outside its stated range; the message says which range and how to get inside it."""


class QueryRefused(PrivetError):  # noqa: N818 - named for what happened
    """A statement is outside what can be answered; the message has the clause, the reason and what to write instead."""


class BudgetExceeded(PrivetError):  # noqa: N818 - named for what happened
    """A spend does not fit; the message says what was requested, what remains and what the limit is.

    Args:
        said: the message.
        told: the same for who may not know which limit it was and what others have spent; None if nobody made one.
    """

    def __init__(self, said: str = "", *, told: str | None = None) -> None:
        super().__init__(said)
        self.told = told


class AnalystFrozen(PrivetError):  # noqa: N818 - named for what happened
    """Too many answers of an analyst failed after the charge; the message says whether this one was charged.

    Only the owner can end it, with `privet ledger unfreeze`.
    """


class ReleaseFailed(PrivetError):  # noqa: N818 - named for what happened
    """A secret could not be computed or used after the charge.

    The message is the same whatever the data: what went wrong may depend on one person.
    """


class AnswerLost(PrivetError):  # noqa: N818 - named for what happened
    """A spend with this key was made and its answer was never stored: spent, answer lost.

    The process that ran it died or failed. It is not run again: two answers for one price would be one too many.
    """


class KeyReused(PrivetError):  # noqa: N818 - named for what happened
    """An idempotency key belongs to one question for good, and this is another."""


class LedgerUnavailable(PrivetError):  # noqa: N818 - named for what happened
    """The journal is locked, full, read-only, gone, replaced, on an unsuitable disk, or the connection is lost.

    Nothing is released. If it happened while a spend was written, the spend may stand.
    """


class LedgerDamaged(PrivetError):  # noqa: N818 - named for what happened
    """The journal is not what was written: a row was changed, removed or put back, or it is behind its anchor.

    The message says what to do next: what is special to the case, or else what always helps.
    """

    def __init__(self, what: str) -> None:
        told = any(
            word in what for word in ("put back", "put the", "privet ledger", "another backup", "make the backup")
        )
        super().__init__(what if told else f"{what}; {AFTER_DAMAGE}")


AFTER_DAMAGE = (
    "nothing is released from it: keep the file, and put its newest backup in its place with `privet ledger restore`, "
    "or count its whole limit as spent"
)


class EntropyError(PrivetError, RuntimeError):
    """The operating system's generator failed, so there is no noise and no release."""


class SignInNeeded(PrivetError):  # noqa: N818 - named for what happened
    """The name, password, token or session is unknown, expired or revoked; which of these is not told."""


class NotAllowed(PrivetError):  # noqa: N818 - named for what happened
    """This person, or this token of theirs, may not do it; the same whether what they named is there or not."""


class ApprovalNeeded(PrivetError):  # noqa: N818 - named for what happened
    """The owner has to approve a question before it may be asked.

    Args:
        said: the message.
        number: of the request that waits for the owner or was declined; None if none was made.
    """

    def __init__(self, said: str = "", *, number: str | None = None) -> None:
        super().__init__(said)
        self.number = number


class Cancelled(PrivetError):  # noqa: N818 - named for what happened
    """Whoever asked has stopped the statement. If it was charged, that stays; nothing is refunded."""


class Busy(PrivetError):  # noqa: N818 - named for what happened
    """Too much is going on.

    Args:
        said: the message.
        retry_after: seconds after which to come again.
    """

    def __init__(self, said: str = "", *, retry_after: float = 1) -> None:
        super().__init__(said)
        self.retry_after = retry_after


class ServiceFailed(PrivetError):  # noqa: N818 - named for what happened
    """Something unforeseen. The message is one constant sentence."""


class NewLedger(UserWarning):
    """There was no ledger where one was named, so a new one was made; `create=` says beforehand what is expected."""
