"""Checkpoint: trainings that are killed at any moment are paid for once, and never make more steps than that."""

import os
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet import Guarantee, Ledger, Unit
from privet.errors import AnswerLost, InvalidParameter, LedgerUnavailable
from privet.learn import MLPClassifier, MLPRegressor
from privet.learn.checkpoint import Checkpoint
from privet.learn.network_steps import NetworkSteps
from tests.support.ledger_processes import forked

STEPS = 100
SOURCE = np.random.default_rng(0)
X = SOURCE.uniform(size=(300, 4))
y = (X[:, 0] > 0.5).astype(int)


def new_ledger(folder: Path) -> str:
    address = f"sqlite:///{folder}/ledger.db"
    Ledger(Guarantee(100, "1e-4"), unit=Unit("person"), journal=address, create=True).close()
    return address


def network(address: str | None, path: Path | None, **more: Any) -> MLPClassifier:  # noqa: ANN401 - parameters
    said = {"steps": STEPS, "rate": "0.25", "expected_rows": 300, "hidden_layer_sizes": (4,), **more}
    return MLPClassifier(
        bounds=(0, 1), classes=[0, 1], epsilon=2, delta="1e-6", ledger=address, checkpoint=path, **said
    )


def counted(log: Path) -> Callable[..., Any]:
    """A step that leaves a byte in a file before it is drawn."""
    plain = NetworkSteps.summed
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def summed(self: NetworkSteps, chosen: Any) -> Any:  # noqa: ANN401 - as the plain one
        os.write(file, b".")
        return plain(self, chosen)

    return summed


def fit(address: str, path: Path, log: Path) -> int:
    NetworkSteps.summed = counted(log)  # type: ignore[method-assign] # in a child of its own
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it was finished before
        network(address, path).fit(X, y)
    return 0


def killed_until_done(folder: Path, kills: int, longest: float, chance: np.random.Generator) -> int:
    """Kill a training in its first step, then at random moments, so many times at most, then let it end.

    Returns how many kills met it.
    """
    address, path, log = new_ledger(folder), folder / "training.npz", folder / "steps"
    met, ended = 0, False
    for attempt in range(kills + 1):
        child = forked(lambda: fit(address, path, log))
        if attempt < kills:
            if attempt:
                time.sleep(chance.uniform(0, longest))
            else:  # one kill meets it on a fast machine, too
                while not (log.exists() and log.stat().st_size):
                    time.sleep(0.001)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        ended = os.waitstatus_to_exitcode(status) == 0
        if ended:
            break
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        met += 1
    ledger = Ledger.open(address)
    kinds = [entry.kind for entry in ledger.entries]
    assert ended
    assert kinds.count("reservation") == 1
    assert ledger.spent.epsilon <= 2
    assert ledger.spent.epsilon == ledger.entries[0].cost.epsilon
    model = network(address, path)
    with pytest.warns(UserWarning, match="finished before"):
        model.fit(X, y)
    assert model.n_iter_ <= len(log.read_bytes()) <= STEPS
    assert len(ledger.entries) == len(kinds)  # nothing was drawn or charged for a model that is there
    ledger.verify()
    return met


def test_a_training_that_is_killed_is_paid_for_once(tmp_path: Path) -> None:
    network(None, None).fit(X, y)  # so that children find the least noise at once
    assert killed_until_done(tmp_path, 5, 0.4, np.random.default_rng(1)) > 0


@pytest.mark.soak
def test_fifty_kills(tmp_path: Path) -> None:
    """Of trainings that are killed up to seven times each, at moments from before the charge to after the end."""
    network(None, None).fit(X, y)
    chance, met, trainings = np.random.default_rng(), 0, 0
    while met < 50:
        folder = tmp_path / str(trainings)
        folder.mkdir()
        met += killed_until_done(folder, 7, float(chance.choice([0.2, 0.5, 1.0])), chance)
        trainings += 1


def dies(monkeypatch: pytest.MonkeyPatch, name: str, call: int) -> None:
    """Make a call of a method of the checkpoint end the run."""
    plain, calls = getattr(Checkpoint, name), iter(range(1000))

    def method(self: Checkpoint, *given: Any) -> None:  # noqa: ANN401 - as the plain one
        if next(calls) == call:
            raise KeyboardInterrupt
        plain(self, *given)

    monkeypatch.setattr(Checkpoint, name, method)


def test_what_was_begun_and_not_kept_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A segment, and where the rows lie: neither is drawn again."""
    address, path = new_ledger(tmp_path), tmp_path / "t.npz"
    with monkeypatch.context() as patched:
        dies(patched, "keep_where", 0)
        with pytest.raises(KeyboardInterrupt):
            network(address, path).fit(X, y)
    with monkeypatch.context() as patched:
        dies(patched, "keep", 3)
        with pytest.raises(KeyboardInterrupt):
            network(address, path).fit(X, y)
    model = network(address, path, verbose=True).fit(X, y)
    assert model.n_iter_ == STEPS - 2  # a segment of two steps
    draws = [entry.mechanism for entry in Ledger.open(address).entries if entry.kind == "draw"]
    assert sum("NoisySteps" not in each for each in draws) == 1
    assert len(draws) == 51
    alone = tmp_path / "alone.npz"
    with monkeypatch.context() as patched:
        dies(patched, "keep", 0)
        with pytest.raises(KeyboardInterrupt):
            network(address, alone, steps=1).fit(X, y)
    with pytest.raises(AnswerLost, match="all steps"):
        network(address, alone, steps=1).fit(X, y)


def test_a_file_belongs_to_one_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address, path = new_ledger(tmp_path), tmp_path / "t.npz"
    with monkeypatch.context() as patched:
        dies(patched, "keep", 3)
        with pytest.raises(KeyboardInterrupt):
            network(address, path).fit(X, y)
    before = len(Ledger.open(address).entries)
    others = (
        {"steps": 99},
        {"bounds": (0, 2)},
        {"learning_rate": 0.5},
        {"classes": [1, 2]},
        {"clipping": 0.5},
        {"epsilon": 3},
    )
    for other in others:
        with pytest.raises(InvalidParameter, match="another training"):
            network(address, path).set_params(**other).fit(X, y)
    with pytest.raises(InvalidParameter, match="another training"):
        network(address, path).fit(X[:, :3], y)
    regressor = MLPRegressor(bounds=(0, 1), target_bounds=(0, 1), epsilon=2, delta="1e-6", ledger=address)
    with pytest.raises(InvalidParameter, match="another training"):
        regressor.set_params(checkpoint=path).fit(X, y)
    (tmp_path / "other").mkdir()
    with pytest.raises(InvalidParameter, match="did not pay"):
        network(new_ledger(tmp_path / "other"), path).fit(X, y)
    for wrong, words in ((None, "outlives"), (Ledger(Guarantee(9, "1e-4"), unit=Unit("person")), "outlives")):
        with pytest.raises(InvalidParameter, match=words):
            network(wrong, tmp_path / "new.npz").fit(X, y)  # type: ignore[arg-type] # a ledger
    assert not (tmp_path / "new.npz").exists()
    (tmp_path / "text").write_text("no checkpoint")
    for wrong_path, words in (
        (tmp_path / "text", "not the checkpoint"),
        (tmp_path / "no" / "t", "make"),
        (3, "name of"),
    ):
        with pytest.raises(InvalidParameter, match=words):
            network(address, wrong_path).fit(X, y)  # type: ignore[arg-type] # no path
    kept = dict(np.load(path))
    (tmp_path / "torn").write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidParameter, match="not the checkpoint"):
        network(address, tmp_path / "torn").fit(X, y)
    for edited in (
        {"present_parameters": np.full(26, np.nan)},
        {"present_steps": np.array(STEPS + 1)},
        {"present_length": np.array(0.0)},
        {"where_spread": np.array(0.0)},
        {"where_count": np.array(np.nan)},
        {"where_middle": np.zeros(1)},
        {"where_middle": np.full(4, np.nan)},
        {"where_more": np.zeros(1)},
    ):
        np.savez(tmp_path / "bad.npz", **(kept | edited))
        with pytest.raises(InvalidParameter, match="does not hold"):
            network(address, tmp_path / "bad.npz").fit(X, y)
    assert len(Ledger.open(address).entries) == before
    held = Ledger.open(address).resume(
        plan_of(network(address, path)), purpose="MLPClassifier", key=str(kept["key"]), question=str(kept["question"])
    )
    with pytest.raises(LedgerUnavailable, match="has not ended"):
        network(address, path).fit(X, y)
    held.done()


def test_bounds_of_many_columns_are_told_apart(tmp_path: Path) -> None:
    """Of 2,000 numbers an array shows the first and last few, and eight digits of each."""
    upper = np.ones(2000)
    other = upper.copy()
    other[1000] += 1e-12
    model = network(new_ledger(tmp_path), tmp_path / "t.npz")
    model.n_features_in_ = 2000

    def opened(bounds: Any) -> None:  # noqa: ANN401 - an array
        model.set_params(bounds=(0 * upper, bounds))
        model._checkpoint(model._payment(), model._setting(model._payment(), 2000))

    opened(upper)
    opened(upper.copy())
    with pytest.raises(InvalidParameter, match="another training"):
        opened(other)


def plan_of(model: MLPClassifier) -> Any:  # noqa: ANN401 - mechanisms
    """What the model reserves."""
    from privet.learn.network_plan import network_plan  # noqa: PLC0415 - for this alone

    model._labels()
    return network_plan(model._setting(model._payment(), 4)).mechanisms
