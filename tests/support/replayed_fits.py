"""Fits of neighbors, the second of which is said what the first was said: then nothing else may differ."""

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from privet.audit.observed import Observed, apart
from privet.audit.tape import Tape, listening
from privet.core import Ledger, Unit
from privet.noise.for_tests import seeded_entropy_for_tests
from tests.support.recording_ledger import LARGE


def fitted(make: Callable[..., Any], unit: Unit, given: Mapping[str, Any], before: Observed | None = None) -> Observed:
    """Fit a model that `make` makes for a ledger; questions that models draw at random are the same in every fit."""
    model = make(ledger=Ledger(LARGE, unit=unit))
    observed = Observed(Tape(None if before is None else before.tape))
    rooms = [room for name, room in sys.modules.items() if name.startswith("privet.learn") and hasattr(room, "Entropy")]
    with listening() as here, ExitStack() as stack:
        for room in rooms:
            stack.enter_context(patch.object(room, "Entropy", lambda: seeded_entropy_for_tests(1)))
        here.tape = observed.tape
        with observed.watching():
            model.fit(**given)
    observed.see({name: value for name, value in vars(model).items() if name != "ledger"}, "the model")
    assert all(draw.mechanism.covers(draw.sensitivity) for draw in observed.tape.drawn)
    return observed


def refuse_different(mine: Observed, theirs: Observed) -> None:
    """Fail unless neighbors gave the same list of draws, moved as declared, and look alike."""
    found = [str(each) for each in apart(mine, theirs, strict=True)]
    assert not found, "\n".join(found)
