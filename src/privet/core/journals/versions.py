"""Versions: what was written by another Privet is never guessed at."""

from privet.errors import LedgerDamaged, LedgerUnavailable

FIRST = 1  # the oldest version that was ever written


def refuse_version(what: str, found: object, *, known: int) -> None:
    """Raise unless something was written in the version that this Privet knows.

    Args:
        what: what it is, for people.
        found: the version that it says it has.
        known: the one that can be read and written.
    """
    if type(found) is int and found == known:
        return
    if type(found) is int and found > known:
        raise LedgerUnavailable(
            f"{what} of version {found} and this Privet knows {known}: run `pip install --upgrade privet`"
        )
    if type(found) is int and found >= FIRST:
        raise LedgerUnavailable(
            f"{what} of version {found} and this Privet knows {known}: open it with the Privet that wrote it"
        )
    raise LedgerDamaged(
        f"{what} of version {found!s:.40}, which no Privet has ever written: put back the file or table as it was"
    )
