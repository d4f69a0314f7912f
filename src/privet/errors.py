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
    """The root: `except PrivetError` catches everything Privet raises on purpose.

    Cause: something was refused, or could not be done; each class below is one way.
    Charged: told by each class; where it is not said, the ledger tells.
    What to do: read the sentence: it has what came, what is allowed and how to get there.

    Example:
        >>> import privet
        >>> try:
        ...     privet.count([1, 2, 3], epsilon=-1)
        ... except PrivetError as refused:
        ...     type(refused).__name__
        'InvalidParameter'
    """


class InvalidParameter(PrivetError, ValueError):  # noqa: N818 - named for what is wrong, as KeyError's kin are
    """An argument is outside its stated range; the message says which range and how to get inside it.

    Cause: a number, name, column or declaration is not what the door takes.
    Charged: nothing; nothing was drawn or read.
    What to do: change it as the sentence says.

    Example:
        >>> import privet
        >>> try:
        ...     privet.count([1, 2, 3], epsilon=0)
        ... except InvalidParameter as refused:
        ...     "epsilon" in str(refused)
        True
    """


class QueryRefused(PrivetError):  # noqa: N818 - named for what happened
    """A statement is outside what can be answered; the message has the clause, the reason and what to write instead.

    Cause: SQL that no bound protects: rows of people, unbounded sums, names that are not declared.
    Charged: nothing; the data was not read.
    What to do: write what the sentence offers instead; docs/sql.md has what can be asked.

    Example:
        >>> import privet, pyarrow as pa
        >>> people, limit = pa.table({"id": [1, 2], "age": [30, 40]}), privet.Guarantee(1)
        >>> declared = {"unit": "person", "unit_column": "id", "columns": {"age": {"bounds": [0, 110]}}}
        >>> session = privet.connect(privet.Catalog.of(people, table="people", limit=limit, **declared))
        >>> try:
        ...     session.sql("SELECT * FROM people", epsilon=1)
        ... except QueryRefused:
        ...     session.ledger.spent
        ε=0, δ=0
    """


class BudgetExceeded(PrivetError):  # noqa: N818 - named for what happened
    """A spend does not fit; the message says what was requested, what remains and what the limit is.

    Args:
        said: the message.
        told: the same for who may not know which limit it was and what others have spent; None if nobody made one.

    Cause: the ledger, an analyst's cap or a plan has less left than the price.
    Charged: nothing; the data was not read.
    What to do: ask for less, or for a larger error; the owner may raise the limit and say why.

    Example:
        >>> import privet
        >>> ledger = privet.Ledger(privet.Guarantee(1), unit=privet.Unit("person"))
        >>> try:
        ...     privet.count([1, 2, 3], epsilon=2, ledger=ledger)
        ... except BudgetExceeded:
        ...     ledger.spent
        ε=0, δ=0
    """

    def __init__(self, said: str = "", *, told: str | None = None) -> None:
        super().__init__(said)
        self.told = told


class AnalystFrozen(PrivetError):  # noqa: N818 - named for what happened
    """Too many answers of an analyst failed after the charge; the message says whether this one was charged.

    Only the owner can end it, with `privet ledger unfreeze`.

    Cause: more answers failed than are allowed: that one failed may tell something, and many could spell it out.
    Charged: perhaps: the sentence says so.
    What to do: ask the owner to look at the log of failures and end it.

    Example:
        >>> try:
        ...     raise AnalystFrozen("frozen since Monday")
        ... except PrivetError as refused:
        ...     print(refused)
        frozen since Monday
    """


class ReleaseFailed(PrivetError):  # noqa: N818 - named for what happened
    """A secret could not be computed or used after the charge.

    The message is the same whatever the data: what went wrong may depend on one person.

    Cause: a function of yours raised an error, or the engine failed, after the charge.
    Charged: yes, and it stays: that it failed may tell something about a person.
    What to do: mend what computes the secret, so that it gives a number whatever the data; the owner's log has the
        error.

    Example:
        >>> import privet
        >>> ledger = privet.Ledger(privet.Guarantee(1), unit=privet.Unit("person"))
        >>> broken = privet.Sensitive.later(lambda: 1 / 0, privet.Sensitivity(1), privet.Unit("person"))
        >>> try:
        ...     ledger.release(broken, privet.mechanisms.DiscreteLaplace(l1_sensitivity=1, scale=2), purpose="a trial")
        ... except ReleaseFailed:
        ...     ledger.spent
        ε=0.5, δ=0
    """


class AnswerLost(PrivetError):  # noqa: N818 - named for what happened
    """A spend with this key was made and its answer was never stored: spent, answer lost.

    The process that ran it died or failed. It is not run again: two answers for one price would be one too many.

    Cause: a key came back whose run died between the charge and the answer.
    Charged: yes, by the first run; nothing more by this one.
    What to do: ask again under a new key, and pay again.

    Example:
        >>> issubclass(AnswerLost, ReleaseFailed)  # it was paid for too, and failed otherwise
        False
    """


class KeyReused(PrivetError):  # noqa: N818 - named for what happened
    """An idempotency key belongs to one question for good, and this is another.

    Cause: a key that stood for one question came with another text, price or option.
    Charged: nothing.
    What to do: take a new key for a new question.

    Example:
        >>> import privet
        >>> ledger = privet.Ledger(privet.Guarantee(1), unit=privet.Unit("person"))
        >>> _ = privet.count([1, 2, 3], epsilon="0.1", ledger=ledger, key="monday")
        >>> try:
        ...     privet.count([1, 2, 3], epsilon="0.2", ledger=ledger, key="monday")
        ... except KeyReused:
        ...     ledger.spent
        ε=0.1, δ=0
    """


class LedgerUnavailable(PrivetError):  # noqa: N818 - named for what happened
    """The journal is locked, full, read-only, gone, replaced, on an unsuitable disk, or the connection is lost.

    Nothing is released. If it happened while a spend was written, the spend may stand.

    Cause: another process holds the journal, a disk is full, a connection is lost.
    Charged: perhaps, if it happened while a spend was written; ask again under the same key, which is charged once.
    What to do: wait and try again; then look at the disk or the server that holds the journal.

    Example:
        >>> import privet
        >>> try:
        ...     privet.Ledger(privet.Guarantee(1), unit=privet.Unit("person"), journal="sqlite:////nowhere/at/all.db")
        ... except LedgerUnavailable as refused:
        ...     "/nowhere/at/all.db" in str(refused)
        True
    """


class LedgerDamaged(PrivetError):  # noqa: N818 - named for what happened
    """The journal is not what was written: a row was changed, removed or put back, or it is behind its anchor.

    The message says what to do next: what is special to the case, or else what always helps.

    Cause: somebody edited the file, or put an older copy of it back.
    Charged: nothing by this call; what the lost rows had charged counts as it is restored.
    What to do: keep the file; `privet ledger restore` puts the newest backup in its place and counts what is
        missing.

    Example:
        >>> "privet ledger restore" in str(LedgerDamaged("row 3 was changed"))
        True
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
    """The operating system's generator failed, so there is no noise and no release.

    Cause: the operating system is broken, or confined so that it cannot be asked.
    Charged: yes, by a ledger, for it charges first.
    What to do: mend the machine (/dev/urandom, the limit on open files) and ask anew: there is no fallback, for
        guessable noise protects nobody.

    Example:
        >>> from privet.noise.for_tests import BitStringForTests
        >>> try:
        ...     BitStringForTests([]).words(1)
        ... except EntropyError as refused:
        ...     "0 words left" in str(refused)
        True
    """


class SignInNeeded(PrivetError):  # noqa: N818 - named for what happened
    """The name, password, token or session is unknown, expired or revoked; which of these is not told.

    Cause: no token, a wrong one, or one that has ended.
    Charged: nothing.
    What to do: sign in again, or take a token that is good: `privet token new`.

    Example:
        >>> try:
        ...     raise SignInNeeded("this session has ended")
        ... except PrivetError as refused:
        ...     print(refused)
        this session has ended
    """


class NotAllowed(PrivetError):  # noqa: N818 - named for what happened
    """This person, or this token of theirs, may not do it; the same whether what they named is there or not.

    Cause: an analyst asked for what owners do, or a token has not that scope.
    Charged: nothing.
    What to do: ask the owner, or use a token with the scope.

    Example:
        >>> issubclass(NotAllowed, PrivetError), issubclass(NotAllowed, SignInNeeded)
        (True, False)
    """


class ApprovalNeeded(PrivetError):  # noqa: N818 - named for what happened
    """The owner has to approve a question before it may be asked.

    Args:
        said: the message.
        number: of the request that waits for the owner or was declined; None if none was made.

    Cause: the question costs more than this analyst may spend on one without asking.
    Charged: nothing.
    What to do: wait for the owner; the same question is answered once it is approved.

    Example:
        >>> ApprovalNeeded("the owner has to approve this", number="7").number
        '7'
    """

    def __init__(self, said: str = "", *, number: str | None = None) -> None:
        super().__init__(said)
        self.number = number


class Cancelled(PrivetError):  # noqa: N818 - named for what happened
    """Whoever asked has stopped the statement. If it was charged, that stays; nothing is refunded.

    Cause: Ctrl-C, a closed connection, or a wish to cancel.
    Charged: perhaps: what was charged stays, for how long it ran may tell something.
    What to do: ask again; under the same key if it may have ended in time.

    Example:
        >>> issubclass(Cancelled, PrivetError)
        True
    """


class Busy(PrivetError):  # noqa: N818 - named for what happened
    """Too much is going on.

    Args:
        said: the message.
        retry_after: seconds after which to come again.

    Cause: too many statements at once, or too many requests in a minute.
    Charged: nothing.
    What to do: come again after so many seconds.

    Example:
        >>> Busy("too many at once", retry_after=10).retry_after
        10
    """

    def __init__(self, said: str = "", *, retry_after: float = 1) -> None:
        super().__init__(said)
        self.retry_after = retry_after


class ServiceFailed(PrivetError):  # noqa: N818 - named for what happened
    """Something unforeseen. The message is one constant sentence.

    Cause: a fault of Privet, or of the machine; it would be told in words that might hold data.
    Charged: perhaps; the ledger tells.
    What to do: ask the owner, who has it in the log.

    Example:
        >>> issubclass(ServiceFailed, PrivetError)
        True
    """


class NewLedger(UserWarning):
    """There was no ledger where one was named, so a new one was made; `create=` says beforehand what is expected.

    Cause: a catalog or address names a ledger that is not there.
    Charged: nothing; the new one begins at zero.
    What to do: nothing, the first time. If there should have been one: stop, and find it, for what it has spent is
        not counted in the new one.

    Example:
        >>> import privet, tempfile, warnings
        >>> with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as said:
        ...     warnings.simplefilter("always")
        ...     ledger = privet.Ledger(privet.Guarantee(1), unit=privet.Unit("person"), journal=f"sqlite:///{folder}/new.db")
        >>> [each.category.__name__ for each in said]
        ['NewLedger']
    """
