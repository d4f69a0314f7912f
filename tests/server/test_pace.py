from contextlib import nullcontext

import pytest

from privet.server.pace import Pace


class Watch:
    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def ended(steps: list[float] | None, taken: float, *, fails: bool = False) -> float:
    watch = Watch()
    pace = Pace(steps, clock=lambda: watch.now, sleep=watch.sleep)
    with pytest.raises(ValueError, match="anything") if fails else nullcontext(), pace.held():
        watch.now += taken
        if fails:
            raise ValueError("anything")
    return watch.now - 100


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize(
    ("taken", "end"), [(0.0, 0.5), (0.499, 0.5), (0.5, 0.5), (0.501, 2), (2.1, 4), (4.0, 4), (9, 10)]
)
def test_everything_ends_at_a_step_whether_it_fails_or_not(taken: float, end: float, *, fails: bool) -> None:
    assert ended([0.5, 2], taken, fails=fails) == pytest.approx(end)


def test_without_steps_nothing_waits() -> None:
    watch = Watch()
    with Pace(None, clock=lambda: watch.now, sleep=watch.sleep).held():
        watch.now += 3
    assert watch.slept == []
