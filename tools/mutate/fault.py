# ruff: noqa: INP001 - a script, not a package
"""Fault: one row of what is planted."""

from typing import NamedTuple


class Fault(NamedTuple):
    """One planted fault: what goes wrong, where, old and new text, and the tests that must notice."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
