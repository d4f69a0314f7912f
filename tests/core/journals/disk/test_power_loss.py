"""Power losses: what was told is recorded in every state that the disk may be left in, and the ledger goes on."""

import pytest

from tests.core.journals.disk.conftest import Started
from tests.core.journals.disk.programs import PROGRAMS
from tests.core.journals.disk.replay import LIES

pytestmark = pytest.mark.whole

SOAK = pytest.mark.soak
WHOLE = [name for name in PROGRAMS if name not in ("make", "create")]


@pytest.mark.parametrize(("seeds", "each"), [(1, 1), pytest.param(100, 8, marks=SOAK)], ids=["sample", "all"])
def test_every_state_that_a_power_loss_may_leave(started: Started, seeds: int, each: int) -> None:
    """Cut after every write, sync and change of a name, with what was not synced there or not, sector by sector."""
    (summary,) = started("replay", {"programs": WHOLE, "seeds": list(range(seeds)), "each": each})
    print(f"{summary['states']:,} states replayed")  # noqa: T201 - for whoever reads a soak
    assert summary["found"] == []
    assert summary["states"] > 300 * seeds


def test_the_controls_are_found(started: Started) -> None:
    """A disk that only pretends to sync some file, and a ledger that is wrong by itself."""
    few = {"seeds": [1], "each": 2}
    lies = [{"programs": ["make"], "lie": lie, **few} for lie in LIES if lie]
    errors = [{"programs": ["spend"], "planted": it, **few} for it in ("without syncs", "answer before the commit")]
    for control, summary in zip([*lies, *errors], started("replay", *lies, *errors), strict=True):
        assert summary["found"], control
