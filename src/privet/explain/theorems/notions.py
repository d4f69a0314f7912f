"""compare_notions: what pure and Rényi privacy promise about the same six things, in numbers."""

import math
from dataclasses import dataclass
from fractions import Fraction

from privet.explain.theorems.events import event_bounds
from privet.explain.theorems.group import group_epsilon, group_renyi
from privet.loss.exact import Exact, whole
from privet.loss.outward import float_up, nonnegative
from privet.loss.renyi_orders import check_order


@dataclass(frozen=True)
class Property:
    """One thing that both notions speak about, and what each says.

    Example:
        >>> Property("group of 3", "ε=3", "ε=9").pure
        'ε=3'
    """

    name: str
    pure: str
    renyi: str


@dataclass(frozen=True)
class NotionComparison:
    """Six properties of a pure and of a Rényi promise; print it for a table.

    Example:
        >>> print(NotionComparison((Property("group of 3", "ε=3", "ε=9"),)))
        property    pure  Rényi
        group of 3  ε=3   ε=9
    """

    rows: tuple[Property, ...]

    def __str__(self) -> str:
        """Return a table with one row a property."""
        head = Property("property", "pure", "Rényi")
        name, pure = (max(len(getattr(row, column)) for row in (head, *self.rows)) for column in ("name", "pure"))
        return "\n".join(f"{row.name:<{name}}  {row.pure:<{pure}}  {row.renyi}".rstrip() for row in (head, *self.rows))


def compare_notions(
    *,
    epsilon: Exact,
    order: Exact,
    bound: Exact,
    probability: Exact = "0.1",
    times: int = 2,
) -> NotionComparison:
    """Return what ε-DP and a Rényi bound say about events, Bayes factors, groups, composition, processing.

    Args:
        epsilon: the pure promise.
        order: of the Rényi promise; at least 4, so that two units have an order of at least 2.
        bound: of the Rényi promise at that order.
        probability: of an event on neighbouring data.
        times: releases to compose.

    Proof: Mironov 2017, Table I; its two-sided event bounds, its Bayes factor and its group row in `events`,
    in docs/proofs/composition.md and in `group`.

    Example:
        >>> print(compare_notions(epsilon=1, order=16, bound="0.5"))
        property                  pure                   Rényi
        event of probability 0.1  0.0367879 to 0.271828  0.0520219 to 0.184534
        Bayes factor R            R <= 2.71828           E[R^15] <= 1808.04
        logarithm of R            at most 1              at most 0.5 in the mean
        group of 2                ε = 2                  1.5 at order 8
        2 releases                ε = 2                  1 at order 16
        post-processing           unchanged              unchanged
    """
    level = nonnegative(epsilon, "epsilon")
    loss = nonnegative(bound, "bound")
    a = check_order(order)
    count = whole(times, "times")
    new_order, new_bound = group_renyi(loss, order=a, doublings=1)
    growth = f"{float(a) - 1:.6g}"
    return NotionComparison(
        (
            Property(
                f"event of probability {probability}",
                _interval(event_bounds(probability, bound=level, order=math.inf)),
                _interval(event_bounds(probability, bound=loss, order=a)),
            ),
            Property(
                "Bayes factor R",
                f"R <= {_exp(level)}",
                f"E[R^{growth}] <= {_exp((a - 1) * loss)}",
            ),
            Property("logarithm of R", f"at most {_show(level)}", f"at most {_show(loss)} in the mean"),
            Property(
                "group of 2",
                f"ε = {group_epsilon(level, size=2):.6g}",
                f"{new_bound:.6g} at order {new_order:.6g}",
            ),
            Property(
                f"{count} releases",
                f"ε = {_show(count * level)}",
                f"{_show(count * loss)} at order {float(a):.6g}",
            ),
            Property("post-processing", "unchanged", "unchanged"),
        )
    )


def _interval(bounds: tuple[float, float]) -> str:
    return f"{bounds[0]:.6g} to {bounds[1]:.6g}"


def _show(number: Fraction) -> str:
    return f"{float_up(number):.6g}"


def _exp(number: Fraction) -> str:
    return f"{math.exp(float(number)):.6g}" if number <= 700 else f"e^{_show(number)}"  # noqa: PLR2004 - e^700 is still a float
