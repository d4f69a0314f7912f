"""What is broken although it goes through a ledger is found by replay; what is right is not."""

import numpy as np
import pytest

from privet import audit
from privet.audit.zoo import ledgered
from privet.core import Ledger, Sensitive, Sensitivity
from privet.mechanisms import Laplace


@pytest.mark.parametrize("name", ledgered.COMPUTATIONS)
def test_what_is_broken_is_found(name: str) -> None:
    found = audit.replay(ledgered.COMPUTATIONS[name], pair=ledgered.ROWS[name], unit=ledgered.PERSON)
    assert found.violated, str(found)


@pytest.mark.parametrize("name", ["unused_clip", "nan_passes"])
def test_the_same_done_right_is_not(name: str) -> None:
    def clipped(rows: list[float], ledger: Ledger) -> float:
        kept = np.clip(np.nan_to_num(rows), 0, ledgered.HIGH)
        total = Sensitive(float(kept.sum()), Sensitivity(ledgered.HIGH), ledgered.PERSON)
        return float(ledger.release(total, Laplace(ledgered.HIGH, ledgered.HIGH), purpose="sum").value)

    found = audit.replay(clipped, pair=ledgered.ROWS[name], unit=ledgered.PERSON)
    assert not found.violated, str(found)
