"""Specimen: one mechanism of the zoo, with what is wrong with it and how it is shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.audit.claim import Claim
from privet.audit.densities import Densities, audit_densities
from privet.audit.finding import Finding
from privet.audit.test import ALPHA, test
from privet.noise import BitSource

Hits = Callable[[Any], NDArray[np.bool_]]


@dataclass(frozen=True)
class Specimen:
    """A mechanism that is broken in a known way, or a right one as a control.

    Args:
        name: a few words.
        wrong: what is wrong with it; empty if nothing is.
        claim: what it claims.
        epsilon: its true ε at the claim's δ, for this pair.
        pair: two neighboring inputs that show it.
        run: many runs at once: (input, source, count) to one outcome, or row, for each.
        trials: runs of each input that are enough to see it.
        bounds: lower bounds of ε that are to be expected from so many runs of the published event, at alpha = 1e-6.
        densities: of numbers whose distribution is known, by which it is judged without samples.
    """

    name: str
    wrong: str
    claim: Claim
    epsilon: float
    pair: tuple[Any, Any]
    run: Callable[[Any, BitSource, int], Any] = field(repr=False)
    trials: int = 100_000
    bounds: Mapping[int, float] = field(default_factory=dict, repr=False)
    densities: Densities | None = field(default=None, repr=False)

    @property
    def broken(self) -> bool:
        """Whether it is to be flagged."""
        return bool(self.wrong)

    def audit(
        self,
        *,
        trials: int | None = None,
        alpha: float = ALPHA,
        stop_early: bool = False,
        source: BitSource | None = None,
    ) -> Finding:
        """The finding of an audit: exact where the densities are known, else by samples; the words are `test`'s."""
        if self.densities is not None:
            return audit_densities(self.densities, claim=self.claim, name=self.name)
        number = self.trials if trials is None else trials
        return test(
            self._run,
            pair=self.pair,
            claim=self.claim,
            trials=number,
            alpha=alpha,
            stop_early=stop_early,
            source=source,
            name=self.name,
        )

    def _run(self, data: Any, source: BitSource, count: int) -> Any:  # noqa: ANN401 - any input
        return self.run(data, source, count)
