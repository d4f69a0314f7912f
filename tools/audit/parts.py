# ruff: noqa: INP001 - a script, not a package
"""Parts: everything of Privet that is audited, found by the examples of the contracts of its tests."""

import copy
import importlib
import inspect
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from subject import ALPHA, Row, Subject, sampled

from privet import audit
from privet.audit.claim import claimed
from privet.audit.runs import draw_of
from privet.audit.sampled import Plan
from privet.audit.search import most_promising
from privet.core import Ledger, Mechanism, Release, Sensitive, Unit
from privet.core.reservation import Reservation
from privet.loss import Guarantee
from privet.loss.privacy_loss import sum_of
from privet.mechanisms.additive import AdditiveNoise
from privet.noise import BitSource, Entropy

ROOT = Path(__file__).parents[2]
LARGE = Guarantee(10**9, "0.9")  # of ledgers that should refuse nothing
NUMBERS = 256  # of one model that are looked at
WIDE = 90  # letters of a name


def examples(folder: str) -> Iterator[Any]:
    """All examples that the contracts of a folder of tests list, each once."""
    seen = set()
    for path in sorted((ROOT / "tests" / folder).rglob("test_*.py")):
        if "EXAMPLES" not in path.read_text(encoding="utf-8"):
            continue
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for _, contract in inspect.getmembers(module, inspect.isclass):
            if contract.__module__ == module.__name__:
                for example in vars(contract).get("EXAMPLES", ()):
                    if id(example) not in seen:
                        seen.add(id(example))
                        yield example


# --- mechanisms -----------------------------------------------------------------------------------------------


def mechanisms() -> Iterator[Subject]:
    """Every mechanism, on the neighbors of its contract."""
    for number, example in enumerate(examples("mechanisms")):
        mechanism = example.mechanism
        yield Subject(
            "mechanisms",
            named(mechanism, number),
            sampled(_afresh(mechanism, example.pair), example.pair, mechanism.loss),
        )


def _afresh(mechanism: Mechanism[Any, Any], pair: tuple[Any, Any]) -> Any:  # noqa: ANN401 - a mechanism or a function
    """The mechanism; or, where it trains what it is given, a function that gives it a copy each time."""
    if not any(hasattr(pair[0], name) for name in ("move", "trained")):
        return mechanism
    source = Entropy()
    return lambda value: mechanism.sample(copy.deepcopy(value), source)


def named(mechanism: object, number: int) -> str:
    """A name for the page: the mechanism's own, cut, and its place, so that no two are the same."""
    text = " ".join(repr(mechanism).split())
    return f"{number + 1}. {text if len(text) < WIDE else text[: WIDE - 1] + '…'}"


def lattices() -> Iterator[Subject]:
    """Every mechanism's answers: which of them can occur."""

    def run(mechanism: Mechanism[Any, Any], pair: tuple[Any, Any]) -> Callable[[Subject, float], Row]:
        def audited(subject: Subject, budget: float) -> Row:
            began = time.process_time()
            step = mechanism.lattice.step if isinstance(mechanism, AdditiveNoise) else None
            again = _afresh(mechanism, pair)
            audit.support(again, pair=pair, step=step, trials=100)
            trials = int(min(max(budget * 100 / max(time.process_time() - began, 1e-3), 200), 20_000))
            found = audit.support(again, pair=pair, step=step, trials=trials, alpha=ALPHA)
            spent = time.process_time() - began
            said = f"multiples of {step}" if step is not None else "the same answers can occur"
            return Row(subject.part, subject.name, said, np.inf, 0.0, trials, found.leaks, found.verdict, spent)

        return audited

    for number, example in enumerate(examples("mechanisms")):
        yield Subject("lattices", named(example.mechanism, number), run(example.mechanism, example.pair))


def reuse() -> Iterator[Subject]:
    """Every mechanism, started anew and in forked children: no noise comes twice."""

    def run(mechanism: Mechanism[Any, Any], value: Any) -> Callable[[Subject, float], Row]:  # noqa: ANN401 - any input
        def make() -> Callable[[], Any]:
            source = Entropy()
            return lambda: mechanism.sample(copy.deepcopy(value), source)

        def audited(subject: Subject, _: float) -> Row:
            began = time.process_time()
            found = audit.reuse(make, length=48, alpha=ALPHA)
            spent = time.process_time() - began
            told = "streams are independent"
            runs = found.streams * found.length
            return Row(subject.part, subject.name, told, np.inf, 0.0, runs, found.found, found.verdict, spent)

        return audited

    for number, example in enumerate(examples("mechanisms")):
        yield Subject("reuse", named(example.mechanism, number), run(example.mechanism, example.pair[1]))


# --- protocols ------------------------------------------------------------------------------------------------


def protocols() -> Iterator[Subject]:
    """Every local protocol, on the two values that its reports tell apart best; the law of its reports, exactly."""

    def both(protocol: Any, values: tuple[Any, Any], rows: tuple[int, int]) -> Callable[[Subject, float], Row]:  # noqa: ANN401 - a protocol
        def audited(subject: Subject, budget: float) -> Row:
            law = audit.exact(protocol.channel(), pair=rows, claim=protocol.loss)
            row = sampled(protocol, values, protocol.loss)(subject, budget)
            said = f"{row.verdict}; by the law of its reports {law.verdict}"
            return Row(**{**row.plain(), "broken": row.broken or law.violated, "verdict": said})

        return audited

    for number, example in enumerate(examples("local")):
        rows = example.protocol.channel().worst().rows
        pair = example.values[rows[0]], example.values[rows[1]]
        yield Subject("protocols", named(example.protocol, number), both(example.protocol, pair, rows))


# --- statistics -----------------------------------------------------------------------------------------------

COLUMNS = ([0, 0, 0, 0, 0, 0], [10, 10, 10, 10, 10, 10], [1, 0, 7, 2, 9, 4])
TEXTS = (["a", "b", "b", "c", "b", "a"],)
MORE = (10, 0, None)


def statistics() -> Iterator[Subject]:
    """Every statistic of arrays, as the test of neighboring columns asks it."""
    from tests.stats.neighbor_columns import ONLY_REPLACED, STATISTICS  # noqa: PLC0415 - tests are slow to import

    for name, ask in STATISTICS.items():
        replaced = name in ONLY_REPLACED or "centered" in name
        worlds = TEXTS if name.endswith("labels") or name == "top_k" else COLUMNS
        more = ("a",) if worlds is TEXTS else MORE
        unit = Unit(
            "person's 1 consecutive times" if name == "times" else "person", "replace" if replaced else "add_remove"
        )
        pairs = [(rows, [*(rows[1:] if replaced else rows), row]) for rows in worlds for row in more]
        yield Subject("statistics", name, _of_statistic(name, ask, unit, pairs))


def _of_statistic(name: str, ask: Any, unit: Unit, pairs: list[tuple[Any, Any]]) -> Callable[[Subject, float], Row]:  # noqa: ANN401 - a function
    from tests.stats.neighbor_columns import _framed  # noqa: PLC0415 - tests are slow to import

    def audited(subject: Subject, budget: float) -> Row:
        ledger = Ledger(LARGE, unit=unit)
        public = pairs[0][0]

        def asked(rows: Any) -> Any:  # noqa: ANN401 - a column
            column = _framed(rows) if name.endswith("frame") else list(rows)
            found = ask(column, public, {"epsilon": 1, "ledger": ledger})
            return getattr(found, "release", found)

        loss = asked(public).loss
        best = most_telling(asked, pairs, loss, budget / 4)
        return sampled(asked, best, loss)(subject, budget * 3 / 4)

    return audited


def most_telling(run: Any, pairs: list[tuple[Any, Any]], claim: Any, budget: float) -> tuple[Any, Any]:  # noqa: ANN401 - anything
    """The pair of neighbors that promises most, of as many as the time allows to try."""
    began = time.process_time()
    draw = draw_of(run)
    draw(pairs[0][0], 10)
    each = (time.process_time() - began) / 10
    rounds = budget / max(each * 2 * 3 * 120, 1e-9)  # what the search runs, about, for each pair
    few = pairs[: max(1, min(len(pairs), int(rounds)))]
    return few[0] if len(few) == 1 else most_promising(draw, few, claimed(claim, None), Plan(2000, ALPHA)).pair


# --- aggregates -----------------------------------------------------------------------------------------------


def aggregates() -> Iterator[Subject]:
    """Every aggregate of SQL, asked of two hospitals: one has a patient more, as loud as may be."""
    from tests.query.aggregates.examples import EXAMPLES  # noqa: PLC0415 - tests are slow to import
    from tests.query.aggregates.test_contract import across, within  # noqa: PLC0415 - tests are slow to import

    for function, example in EXAMPLES.items():
        yield Subject(
            "aggregates", function.name, _of_aggregate(across(function) if example.across else within(function))
        )


def _of_aggregate(statement: str) -> Callable[[Subject, float], Row]:
    from tests.support.hospital_sessions import hospital  # noqa: PLC0415 - tests are slow to import

    patients = [(number, 40, "F", "1010", True, "A") for number in (1, 2)]
    visits = [(number, number, "A", 10.0, "2024-01-03", 4, None, 50.0) for number in (1, 2)]
    loud = [(place, 3, "D", 5000.0, f"2024-02-{place:02d}", 30, None, 90.0) for place in range(3, 9)]
    more = [*patients, (3, 90, "M", "1020", False, "B")]

    def audited(subject: Subject, budget: float) -> Row:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            without = hospital(folder, name="without", patients=patients, visits=visits)
            with_one = hospital(folder, name="with", patients=more, visits=[*visits, *loud])
            worlds = {"without": handed(statement, without), "with": handed(statement, with_one)}
        mechanisms_of = [[mechanism for _, mechanism in drawn] for drawn in worlds.values()]
        if list(map(repr, mechanisms_of[0])) != list(map(repr, mechanisms_of[1])):
            said = "neighbors are answered by other mechanisms"
            return Row(subject.part, subject.name, "ε=1", 1.0, 0.0, 1, broken=True, verdict=said, seconds=0.0)

        def run(world: str, source: BitSource, count: int) -> Any:  # noqa: ANN401 - a column or rows
            columns = [draw_of(mechanism, source)(value, count) for value, mechanism in worlds[world]]
            return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))

        loss = sum_of([mechanism.loss for mechanism in mechanisms_of[0]])
        return sampled(run, ("without", "with"), loss)(subject, budget)

    return audited


def handed(statement: str, catalog: Any) -> list[tuple[Any, Mechanism[Any, Any]]]:  # noqa: ANN401 - of a hospital
    """The exact numbers that a statement hands to mechanisms, and these."""
    from tests.support.hospital_sessions import session_with  # noqa: PLC0415 - tests are slow to import

    drawn: list[tuple[Any, Mechanism[Any, Any]]] = []
    right = Reservation.release

    def release(self: Reservation, secret: Sensitive[Any], mechanism: Mechanism[Any, Any], **said: Any) -> Any:  # noqa: ANN401 - its own
        value = secret.reveal_to_ledger()
        drawn.append((value, mechanism))
        return right(self, Sensitive.later(lambda: value, secret.sensitivity, secret.unit), mechanism, **said)

    with patch.object(Reservation, "release", release):
        session_with(catalog, limit=LARGE)[0].sql(statement, epsilon=1, purpose="audit")
    return drawn


# --- models ---------------------------------------------------------------------------------------------------


def models() -> Iterator[Subject]:
    """Every model, fitted to a few rows in one corner, and to one more in the other."""
    for number, example in enumerate(examples("learn")):
        if hasattr(example, "made"):
            name = f"{number + 1}. {example.model.__name__}"
            yield Subject("models", name, _of_model(example))


def _of_model(example: Any) -> Callable[[Subject, float], Row]:  # noqa: ANN401 - an example of the contract
    rows = np.zeros((4, example.columns))
    row = np.ones((1, example.columns))
    labels = example.classes
    few = np.full(4, labels[0]) if labels is not None else np.zeros(4)
    last = labels[-1] if labels is not None else 1.0

    def given(more: bool) -> dict[str, Any]:  # noqa: FBT001 - one of two neighbors
        found = {"X": np.vstack([rows, row]) if more else rows}
        if example.supervised:
            found["y"] = np.append(few, last) if more else few
        return found

    def fitted(more: bool) -> Any:  # noqa: ANN401, FBT001 - what is known of a model
        return numbers_of(example.made().fit(**given(more)))

    def audited(subject: Subject, budget: float) -> Row:
        loss = example.made().fit(**given(more=True)).privacy_.loss
        return sampled(fitted, (False, True), loss)(subject, budget)

    return audited


def numbers_of(model: Any) -> tuple[float, ...]:  # noqa: ANN401 - a model
    """The numbers that a fitted model shows, from its public attributes, those of the first layer of parts too."""
    found: list[float] = []
    for name, value in sorted(vars(model).items()):
        if name.endswith("_") and name not in {"privacy_", "n_features_in_", "classes_", "feature_names_in_"}:
            _add(value, found)
    if not found:
        for name, value in sorted(vars(model).items()):
            if name.startswith("_"):
                _add(value, found)
    return tuple(found[:NUMBERS])


def _add(value: Any, found: list[float], depth: int = 3) -> None:  # noqa: ANN401 - anything a model keeps
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        found += value.astype(float).ravel()[:NUMBERS].tolist()
    elif isinstance(value, int | float | np.number) and not isinstance(value, bool):
        found.append(float(value))
    elif depth and isinstance(value, list | tuple):
        for each in value:
            _add(each, found, depth - 1)
    elif depth and isinstance(value, Mapping):
        for each in value.values():
            _add(each, found, depth - 1)
    elif depth and isinstance(value, Release):
        _add(value.value, found, depth - 1)
    elif depth and hasattr(value, "__dict__") and type(value).__module__.startswith("privet.learn"):
        for _, each in sorted(vars(value).items()):
            _add(each, found, depth - 1)


PARTS: Mapping[str, Callable[[], Iterator[Subject]]] = {
    "mechanisms": mechanisms,
    "protocols": protocols,
    "statistics": statistics,
    "aggregates": aggregates,
    "models": models,
    "lattices": lattices,
    "reuse": reuse,
}
