"""Reads: what a reader of expressions offers to those of single nodes."""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from sqlglot import exp

from privet.query.scalars.expressions import Expression


class Reads(Protocol):
    """Reads expressions."""

    def read(self, node: exp.Expr) -> Expression:
        """The expression a node stands for."""

    def all(self, nodes: list[exp.Expr]) -> list[Expression]:
        """Several."""


Readers: TypeAlias = Mapping[type[exp.Expr], Callable[[Reads, exp.Expr], Expression]]
