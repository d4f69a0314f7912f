"""Whatever tells neighbors apart though the noise came out the same is found, and nothing else."""

import logging
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import privet
from privet import Guarantee, Ledger, Release, Sensitive, Sensitivity, Unit
from privet.audit import Domain, Replayed, replay
from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.mechanisms import Gaussian, Laplace, NoisyMax, PartitionCounts

PERSON = Unit("person")
CROWD = [20.0, 30.0, 40.0]
ONE_MORE = (CROWD, [*CROWD, 1e9])
COUNT = Laplace(1, 1)
Rows = list[float]


def drawn(ledger: Ledger, value: Any, mechanism: Mechanism[Any, Any] = COUNT, purpose: str = "a count") -> Any:  # noqa: ANN401 - any secret
    return ledger.release(Sensitive.later(lambda: value, Sensitivity(1), ledger.unit), mechanism, purpose=purpose).value


def unclipped(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    return drawn(ledger, sum(rows))


def not_a_number(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    return drawn(ledger, np.clip([0.0, float("nan")] if len(rows) > 3 else [0.0, 0.0], 0, 1))


def as_long_as_the_data(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    return len(drawn(ledger, np.zeros(len(rows))))


def named_by_a_row(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    counting = PartitionCounts.calibrated(epsilon=1, delta="1e-5", sensitivity=Sensitivity(1))
    return drawn(ledger, {-0.0 if len(rows) > 3 else 0.0: len(rows)}, counting)


def drawn_once_more(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    return [drawn(ledger, min(len(rows), 1)) for _ in range(len(rows))]


def noise_of_the_data(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    return drawn(ledger, 1, Laplace(1, len(rows)))


def fails_on_a_row(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    return drawn(ledger, len([1 / (1e9 - row) for row in rows]))


def fails_in_the_secret(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    secret = Sensitive.later(lambda: len([1 / (1e9 - row) for row in rows]), Sensitivity(1), ledger.unit)
    return ledger.release(secret, COUNT, purpose="a count")


def says_how_many(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    return {"noisy": drawn(ledger, len(rows)), "rows": len(rows)}


def another_zero(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    return drawn(ledger, len(rows)) * (0.0 if len(rows) > 3 else -0.0)


def another_order(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    drawn(ledger, len(rows))
    return dict(sorted({"a": 1, "b": 2}.items(), reverse=len(rows) > 3))


def another_type(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    drawn(ledger, len(rows))
    return np.zeros(2, dtype=np.int64 if len(rows) > 3 else np.float64)


def another_nan(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    drawn(ledger, len(rows))
    return np.array([0x7FF8000000000000 + len(rows)], dtype=np.uint64).view(np.float64)


def another_type_of_column(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    drawn(ledger, len(rows))
    return pd.DataFrame({"a": [1]}, dtype="int64" if len(rows) > 3 else "int32")


def said_beside_a_table(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    drawn(ledger, len(rows))
    frame = pd.DataFrame({"a": [1]})
    frame.attrs["rows"] = len(rows)
    return frame


class InSlots:
    """An answer without a dictionary."""

    __slots__ = ("rows",)

    def __init__(self, rows: int) -> None:
        self.rows = rows


def told_in_slots(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    drawn(ledger, len(rows))
    return InSlots(len(rows))


def ends(rows: Rows, ledger: Ledger) -> None:
    drawn(ledger, len(rows))
    sys.exit(len(rows))


def informs(rows: Rows, ledger: Ledger) -> None:
    drawn(ledger, len(rows))
    logging.getLogger("app").info("%d rows", len(rows))


def warns(rows: Rows, ledger: Ledger) -> None:
    drawn(ledger, len(rows))
    if max(rows) > 100:
        warnings.warn("a value is large", stacklevel=1)


def prints(rows: Rows, ledger: Ledger) -> None:
    drawn(ledger, len(rows))
    sys.stdout.write(f"{len(rows)} rows\n")


def logs(rows: Rows, ledger: Ledger) -> None:
    drawn(ledger, len(rows))
    logging.getLogger("app").warning("%d rows", len(rows))


def charges_more(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
    return drawn(ledger, len(rows), purpose=f"{len(rows)} rows")


BROKEN: Mapping[str, tuple[Callable[..., Any], ...]] = {
    "move": (unclipped, as_long_as_the_data, named_by_a_row),
    "draw": (drawn_once_more, noise_of_the_data),
    "failure": (fails_on_a_row, fails_in_the_secret, not_a_number, ends),
    "answer": (
        *(says_how_many, another_zero, another_nan, another_order, another_type, another_type_of_column),
        *(said_beside_a_table, told_in_slots),
    ),
    "message": (warns, prints, logs, informs),
    "charge": (charges_more,),
}


@pytest.mark.parametrize(("kind", "run"), [(kind, run) for kind, runs in BROKEN.items() for run in runs])
def test_what_tells_neighbors_apart_is_found(kind: str, run: Callable[..., Any]) -> None:
    found = replay(run, pair=ONE_MORE)
    assert found.violated
    assert found.exit_code == 1
    assert found.differences[0].kind == kind, found
    assert found.differences[0].witness[0] == repr(CROWD)
    assert Replayed.from_json(found.to_json()) == found


def test_nothing_is_found_in_what_is_right() -> None:
    """Adaptive: what is asked next depends on what was answered before. A plan, too, and ledgers of one's own."""

    def right(rows: Rows, ledger: Ledger) -> Any:  # noqa: ANN401 - an answer
        own = Ledger(Guarantee(10), unit=PERSON)
        first = privet.mean(rows, bounds=(0, 100), epsilon=1, ledger=own)
        plan = ledger.reserve([COUNT] * 3, purpose="a plan")
        times = 1 + int(abs(first.value)) % 3
        return first, [drawn(plan, min(len(rows), 9)) for _ in range(times)]

    for crowd in (False, True):
        found = replay(right, pair=ONE_MORE, crowd=crowd)
        assert not found.violated, found
        assert found.draws >= 2
        assert found.exit_code == 0


@pytest.mark.parametrize("neighbors", Neighbors)
def test_statistics_of_arrays_keep_what_they_declare(neighbors: Neighbors) -> None:
    """Those whose secrets are numbers, rows, and an answer with its bound; NaN, infinities and outliers among them."""
    domain = Domain(bounds=(0, 10), rows=3, neighbors=neighbors)
    asked: Mapping[str, Callable[..., Release[Any]]] = {
        "variance": lambda rows, ledger: privet.variance(rows, bounds=(0, 10), epsilon=1, ledger=ledger),
        "quantiles": lambda rows, ledger: privet.quantiles(
            rows, [0.1, 0.5, 0.9], bounds=(0, 10), epsilon=1, ledger=ledger
        ),
        "found": lambda rows, ledger: privet.mean(rows, bounds=privet.AutoBounds(), epsilon=1, ledger=ledger),
        "blocks": lambda rows, ledger: privet.sample_and_aggregate(
            np.mean, rows, blocks=4, bounds=(0, 10), epsilon=1, ledger=ledger
        ),
    }
    for name, ask in asked.items():
        found = replay(ask, domain=domain, name=name)
        assert not found.violated, found
        assert found.draws >= found.pairs >= 60
        assert max(found.shares.values()) == 1


def test_a_trained_network_is_looked_at_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    learn = pytest.importorskip("privet.learn")
    from privet.learn.row_clipping import RowClipping  # noqa: PLC0415 - as above

    def fit(rows: Any, ledger: Ledger) -> Any:  # noqa: ANN401 - rows
        model = learn.MLPClassifier(
            epsilon=1, delta=1e-5, bounds=(0, 1), classes=[0, 1], hidden_layer_sizes=(4,), steps=3, ledger=ledger
        )
        return model.fit(rows, [0, 1] * (len(rows) // 2) + [1] * (len(rows) % 2)).predict_proba([[0.5, 0.5]])

    rows = np.array([[0.0, 0.1], [1.0, 0.9], [0.2, 0.7], [0.9, 0.3], [1.0, 1.0]])
    good = replay(fit, pair=(rows[:4], rows))
    assert not good.violated, good
    assert good.draws >= 1
    monkeypatch.setattr(RowClipping, "factors", lambda self, squares, length: np.full(squares.shape, 2.0**33))  # noqa: ARG005 - as the method
    bad = replay(fit, pair=(rows[:4], rows))
    assert [each.kind for each in bad.differences] == ["move"]


# --- as a context ---


def raise_error() -> None:
    raise ValueError("seen, and compared")


def test_user_code_runs_within_a_context() -> None:
    with replay(unit=PERSON, name="a report") as replaying:
        for rows in ONE_MORE:
            with replaying.run() as run:
                run.see(drawn(run.ledger, min(sum(rows), 1)), "total")
                run.see(len(rows), "rows")
        with replaying.run("fails"):
            raise_error()
    found = replaying.found
    assert (found.pairs, found.draws, found.subject) == (2, 1, "a report")
    assert [(each.kind, each.place) for each in found.differences] == [
        ("failure", "whether it fails"),
        ("answer", "rows"),
        ("charge", "charge 1"),
    ]
    assert found.differences[0].witness == ("the first run", "fails")


def test_the_order_in_which_things_are_shown_is_seen() -> None:
    with replay() as replaying:
        for names in ("ab", "ba"):
            with replaying.run() as run:
                for name in names:
                    run.see(1, name)
    assert [each.place for each in replaying.found.differences] == ["the order of its parts"]


def test_a_replay_is_over_when_it_is_over() -> None:
    ledger = Ledger(Guarantee(10), unit=PERSON)
    with replay() as replaying:
        for _ in range(2):
            with replaying.run() as run:
                run.see(drawn(run.ledger, 0, Laplace(1, 10**6)))
        between = {drawn(ledger, 0, Laplace(1, 10**6)) for _ in range(3)}
    assert len(between) == 3, "noise is drawn between runs"
    assert len({drawn(ledger, 0, Laplace(1, 10**6)) for _ in range(3)}) == 3
    assert not replaying.found.violated


def test_other_threads_draw_noise_as_ever_and_new_ones_are_heard() -> None:
    ledger, go, told = Ledger(Guarantee(10), unit=PERSON), threading.Event(), list[Any]()

    def waits() -> None:
        go.wait(60)
        told.append(drawn(ledger, 5))

    other = threading.Thread(target=waits)
    other.start()

    def asks_in_a_thread(rows: Rows, ledger: Ledger) -> None:
        go.set()
        if other.is_alive():
            other.join(60)
        own = threading.Thread(target=lambda: drawn(ledger, sum(rows)))
        own.start()
        own.join(60)

    found = replay(asks_in_a_thread, pair=ONE_MORE)
    assert [each.kind for each in found.differences] == ["move"]
    assert len(told) == 1
    assert found.draws == 1


def test_what_cannot_be_replayed_is_refused(tmp_path: Path) -> None:
    kept = Ledger(Guarantee(10), unit=PERSON, journal=f"sqlite:///{tmp_path}/ledger.db", create=True)
    found = replay(lambda rows: drawn(kept, len(rows)), pair=ONE_MORE)
    assert not found.draws
    assert "never touches a ledger that is kept" in found.verdict
    assert not kept.entries
    with pytest.raises(InvalidParameter, match="needs two neighboring inputs"):
        replay(unclipped)
    with pytest.raises(InvalidParameter, match="takes no pair"):
        replay(pair=ONE_MORE)  # type: ignore[call-overload] # what is tried
    with pytest.raises(InvalidParameter, match="the function itself"):
        replay(3, pair=ONE_MORE)  # type: ignore[call-overload] # what is tried
    with pytest.raises(InvalidParameter, match="there was none"), replay():
        pass
    with pytest.raises(InvalidParameter, match="cannot be nested"), replay(), replay():
        pass
    with pytest.raises(InvalidParameter, match="is not open"), replay().run():
        pass


def test_what_was_not_compared_is_said() -> None:
    nothing = replay(lambda rows: min(len(rows), 1), pair=ONE_MORE)
    assert nothing.verdict.startswith("nothing is known after 1 pair")
    generous = replay(lambda rows, ledger: drawn(ledger, np.full(3, min(len(rows), 4)), NoisyMax(1, 1)), pair=ONE_MORE)
    assert not generous.violated
    assert "its loss holds for that too" in generous.notes[0]
    assert "Replayed(<lambda>: " in repr(generous)
    later = replay(lambda rows, ledger: (drawn(ledger, 1), (row for row in rows)), pair=ONE_MORE)
    assert later.notes == ("the answer[1]: a generator, not looked into",)
    assert "share of what was declared" in generous.chart().y
    assert "<table" in replay(unclipped, pair=ONE_MORE)._repr_html_()


def test_random_noise_is_said_again() -> None:
    """Control: without the first one's answers the second's noise would differ."""
    found = replay(lambda _, ledger: drawn(ledger, 0, Gaussian(1, 10**6)), pair=ONE_MORE)
    assert not found.violated
