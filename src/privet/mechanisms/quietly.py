"""quietly: call a user's function on protected rows; whatever it does instead of answering, nobody sees."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def quietly(function: Callable[[], T], default: T) -> T:
    """Return what the function returns, or the default if it raises anything: an error, SystemExit, a panic.

    Privacy: which rows make a function fail is a fact about them. Only an interrupt from the keyboard passes, to where
        the ledger makes one sentence of it.

    Example:
        >>> quietly(lambda: 1 // 0, 7)
        7
    """
    try:
        return function()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - it would tell something about the data
        return default
