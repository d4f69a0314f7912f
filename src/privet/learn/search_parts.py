"""SearchParts: the rows of a search, and how each run divides them into those it learns from and those it scores on."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from privet.learn.rows import Rows
from privet.loss import PrivacyLoss
from privet.noise import BernoulliLaw, BitSource, PermutationLaw

Places = NDArray[np.intp]


@dataclass(frozen=True)
class SearchParts:
    """The rows that a search was given, unread.

    Args:
        features, target, groups: as `fit` got them.
        rows: the same, checked.
        public: how many rows there are, if that is public; then each part has a public length, too.
        held_out: the share of the units that a run scores on.

    Privacy: coins and shuffles follow from nothing in the rows. A unit's rows lie in one part where they are known to
        be its own (`groups`), or where it has one.
    Proof: docs/proofs/tuning.md, Searches.
    """

    features: Any = field(repr=False)
    target: Any = field(repr=False)
    groups: Any = field(repr=False)
    rows: Rows = field(repr=False)
    public: int | None
    held_out: Fraction

    @property
    def separate(self) -> bool:
        """Whether all rows of a unit are in one part."""
        return self.rows.owners is not None or self.rows.most == 1

    def weighted(self, fit: PrivacyLoss, score: PrivacyLoss) -> list[tuple[Fraction, PrivacyLoss]]:
        """What a unit meets in a run, with the probability of each: the fit or the score, or else both.

        Args:
            fit: of a unit that is learned from.
            score: of one that is scored on.
        """
        if not self.separate:
            return [(Fraction(1), fit + score)]
        held = Fraction(self.scored, self.public) if self.public else self.held_out
        return [(1 - held, fit), (held, score)]

    @property
    def scored(self) -> int:
        """How many rows are scored on, where that is public."""
        return 0 if self.public is None else int(self.public * self.held_out)

    def divided(self, source: BitSource) -> tuple[Places, Places]:
        """The rows to learn from and those to score on, in their order."""
        if self.public is not None:
            order = np.asarray(PermutationLaw(self.public).one(source))
            return np.sort(order[self.scored :]), np.sort(order[: self.scored])
        coin = BernoulliLaw(self.held_out)
        if self.rows.owners is None:
            held = coin.many(source, self.rows.length)
        else:
            _, owners = np.unique(self.rows.owners.owners(), return_inverse=True)
            held = coin.many(source, int(owners.max(initial=-1)) + 1)[owners]
        return np.flatnonzero(~held), np.flatnonzero(held)

    def first(self) -> Places:
        """As many places as a run learns from, where that is public, for a fit that reads none of them."""
        return np.arange(self.rows.length if self.public is None else self.public - self.scored)

    def at(self, places: Places) -> tuple[Any, Any, Any]:
        """X, y and groups of these rows, each of the kind it was given as."""
        features, target, groups = (
            None if each is None else _safe_indexing(each, places) for each in (self.features, self.target, self.groups)
        )
        return features, target, groups
