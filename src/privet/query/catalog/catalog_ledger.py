"""The ledger of a catalog: opened, made if it is not there, and compared with what the catalog declares."""

from collections.abc import Iterator
from shlex import quote

from privet.core import Ledger, Scope
from privet.errors import InvalidParameter, LedgerUnavailable
from privet.loss import ConcentratedGuarantee, Promise
from privet.loss.exact import shortest
from privet.query.catalog.catalog import Catalog
from privet.wording.nearest import nearest


def ledger_of(catalog: Catalog, *, analyst: str | None = None, create: bool | None = None) -> Ledger:
    """The ledger that a catalog names, for one analyst.

    Args:
        catalog: with the limit, the caps of analysts and where the ledger is.
        analyst: who asks; must be one of the catalog's if it names any.
        create: whether to make it where there is none; not said, it is made with a warning.

    Raises:
        InvalidParameter: if the ledger protects somebody else, or has another limit than the catalog declares: a limit
            is changed in the ledger, with a reason that those who read it later can see.
    """
    _refuse_stranger(catalog, analyst)
    ledger = _opened(catalog, analyst, create)
    for problem in _differences(catalog, ledger):
        ledger.close()
        raise InvalidParameter(problem)
    for name, cap in catalog.analysts.items():
        if ledger.journal.books().account(Scope(name)).limit is None:
            ledger.journal.cap(cap, scope=Scope(name), reason=f"declared in the catalog of {catalog.name}")
    return ledger


def _refuse_stranger(catalog: Catalog, analyst: str | None) -> None:
    if not catalog.analysts or analyst in catalog.analysts:
        return
    if analyst is None:
        names = ", ".join(catalog.analysts)
        raise InvalidParameter(f"this catalog names who may ask: say analyst=…, one of {names}")
    raise InvalidParameter(
        f"analyst {analyst!r} is not in the catalog{nearest(analyst, catalog.analysts)}; its owner adds "
        "[analysts.NAME] with a limit"
    )


def _opened(catalog: Catalog, analyst: str | None, create: bool | None) -> Ledger:  # noqa: FBT001 - as it was said
    name = catalog.name
    if catalog.ledger is not None:
        try:
            return Ledger.open(catalog.ledger, analyst=analyst, dataset=name, anchor=catalog.anchor)
        except LedgerUnavailable:
            if create is False:
                raise
            # not there yet; if it is there and cannot be used, making it says so
    return Ledger(
        catalog.limit,
        unit=catalog.unit,
        journal=catalog.ledger,
        analyst=analyst,
        dataset=name,
        anchor=catalog.anchor,
        create=create,
    )


def _differences(catalog: Catalog, ledger: Ledger) -> Iterator[str]:
    place = ledger.journal.place
    books = ledger.journal.books()
    if ledger.unit != catalog.unit:
        yield (
            f"the ledger {place} protects {ledger.unit!r}, but the catalog says {catalog.unit!r}: what was spent for "
            "one says nothing about the other; put the catalog back, or name a new ledger and count both"
        )
    scopes = [(Scope(), catalog.limit), *((Scope(name), cap) for name, cap in catalog.analysts.items())]
    for scope, declared in scopes:
        kept = books.account(scope).limit
        if kept is not None and kept != declared:
            yield (
                f"the catalog gives {scope!r} the limit {declared!r}, but the ledger keeps {kept!r}: change it there "
                f"too, with the reason: privet ledger cap {quote(place)}{_options(scope, declared)} --reason '…'"
            )


def _options(scope: Scope, promise: Promise) -> str:
    whose = f" --analyst {quote(scope.analyst)}" if scope.analyst else ""
    if isinstance(promise, ConcentratedGuarantee):
        return f"{whose} --rho {shortest(promise.rho)}"
    delta = f" --delta {shortest(promise.delta)}" if promise.delta else ""
    return f"{whose} --epsilon {shortest(promise.epsilon)}{delta}"
