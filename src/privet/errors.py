"""Every exception Privet raises on purpose.

PrivetError
├── InvalidParameter    an argument is outside its stated range; nothing was drawn, read or charged
├── BudgetExceeded      the limit does not allow this spend; nothing was charged, and the data was not read
├── ReleaseFailed       the answer could not be computed after it was paid for; the spend stays
└── EntropyError        the operating system gave no randomness; nothing is released
"""


class PrivetError(Exception):
    """The root: `except PrivetError` catches everything Privet raises on purpose."""


class InvalidParameter(PrivetError, ValueError):  # noqa: N818 - named for what is wrong, as KeyError's kin are
    """An argument is outside its stated range; the message says which range and how to get inside it."""


class BudgetExceeded(PrivetError):  # noqa: N818 - named for what happened
    """A spend does not fit; the message says what was requested, what remains and what the limit is."""


class ReleaseFailed(PrivetError):  # noqa: N818 - named for what happened
    """A secret could not be computed or used after the charge.

    The message is the same whatever the data: what went wrong may depend on one person.
    """


class EntropyError(PrivetError, RuntimeError):
    """The operating system's generator failed, so there is no noise and no release."""
