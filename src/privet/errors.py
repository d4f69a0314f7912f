"""Every exception Privet raises on purpose.

PrivetError
├── InvalidParameter    an argument is outside its stated range; nothing was drawn, read or charged
└── EntropyError        the operating system gave no randomness; nothing is released
"""


class PrivetError(Exception):
    """The root: `except PrivetError` catches everything Privet raises on purpose."""


class InvalidParameter(PrivetError, ValueError):  # noqa: N818 - named for what is wrong, as KeyError's kin are
    """An argument is outside its stated range; the message says which range and how to get inside it."""


class EntropyError(PrivetError, RuntimeError):
    """The operating system's generator failed, so there is no noise and no release."""
