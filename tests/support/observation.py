"""Observation: everything that an analyst can see of a statement, and what two neighbors may show differently.

A statement goes through the front door, `Session.explain` and `Session.sql`, with a real ledger; only the noise is
replaced. In the first of two neighbors it comes out as 0, in the other so that the same numbers are said. Then nothing
that is seen may differ, and no secret may have moved farther than its stated sensitivity. Secrets are told apart by
their keys as these are written, so one whose spelling follows one unit's row moves by all who share it.
"""

import contextlib
import copy
import io
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from privet import errors
from privet.core import Ledger, Mechanism, Sensitive, Sensitivity
from privet.loss import Guarantee
from privet.mechanisms import PartitionCounts, PartitionSelection, TwoRoundSelection
from privet.mechanisms.cap_choice import CapChoice
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.query.session import Session
from tests.support.exact_session import best_cap, quantiles

LARGEST = 1 << 52
LIMIT = Guarantee(1000, "0.5")
SPENT: Mapping[str, Any] = {"epsilon": 1, "delta": "1e-6"}
BATCH = ";\n"  # between the statements of a batch
UNPRINTED = {"table", "queries"}  # of an answer and an explanation: they are looked at for themselves

real_release = Ledger.release


@dataclass(frozen=True)
class Drawn:
    """One secret as the ledger revealed it, and what was said."""

    mechanism: str
    sensitivity: Sensitivity
    secret: Any
    said: Any


@dataclass
class Script:
    """Takes the place of noise: says what is exact, or what was said before.

    Args:
        said: what to say, in order; without it, what is exact.
    """

    said: Sequence[Any] | None = None
    drawn: list[Drawn] = field(default_factory=list)

    def speak(self, mechanism: Mechanism[Any, Any], moves: Sensitivity, value: Any) -> Any:  # noqa: ANN401 - any secret
        """The answer of a mechanism, which is remembered with its secret."""
        place = len(self.drawn)
        scripted = self.said is not None and place < len(self.said)
        said = self.said[place] if self.said is not None and scripted else exactly(value, mechanism)
        if isinstance(mechanism, TwoRoundSelection):  # of sets of groups, one for each unit, one comes or goes
            moves = Sensitivity(1)
        self.drawn.append(Drawn(repr(mechanism), moves, written_secret(value, mechanism), said))
        return said

    @contextlib.contextmanager
    def instead_of_noise(self) -> Iterator[None]:
        """Within it, every ledger does what ledgers do, and asks this for a sample."""

        def release(ledger: Ledger, secret: Sensitive[Any], mechanism: Mechanism[Any, Any], **how: Any) -> Any:  # noqa: ANN401 - as the method
            mute = copy.copy(mechanism)
            speaking = lambda value, _: self.speak(mechanism, secret.sensitivity, value)  # noqa: E731 - a method
            object.__setattr__(mute, "sample", speaking)
            return real_release(ledger, secret, mute, **how)

        with patch.object(Ledger, "release", release):
            yield


def exactly(value: Any, mechanism: Mechanism[Any, Any]) -> Any:  # noqa: ANN401 - any secret
    """A secret without noise, of a thousand times as many units: else no bin of a search would be full."""
    if isinstance(mechanism, PartitionSelection):
        return tuple(sorted(value, key=written))
    if isinstance(mechanism, TwoRoundSelection):
        return tuple(sorted(value(()), key=written))
    if isinstance(mechanism, PartitionCounts):
        return {key: value[key] * 1000 for key in sorted(value, key=written)}
    if isinstance(mechanism, GroupedChoice | GroupedInterval):
        return quantiles(value, mechanism)
    if isinstance(mechanism, CapChoice):
        return best_cap(value, mechanism)
    return np.clip(value, -LARGEST, LARGEST) * 1000


def written_secret(value: Any, mechanism: Mechanism[Any, Any]) -> Mapping[Any, int]:  # noqa: ANN401 - any secret
    """The coordinates of a secret: by key as it is written, or by place; how many units are in just these groups."""
    if isinstance(mechanism, TwoRoundSelection):
        sets = [tuple(sorted(map(written, each))) for each in value.groups_of_units()]
        assert all(len(each) <= mechanism.groups_per_unit for each in sets), "more groups than stated"
        return Counter(sets)
    if isinstance(mechanism, PartitionSelection | PartitionCounts):
        return {written(key): number for key, number in value.items()}
    if isinstance(mechanism, GroupedChoice | GroupedInterval):
        return {(group, at): weight for group, found in enumerate(value) for at, weight in found.items()}
    array = np.asarray(value)
    assert array.dtype == np.int64
    return {at: int(number) for at, number in np.ndenumerate(array)}


def written(value: object) -> str:
    """A value with its type: 0.0, -0.0 and 0 are three."""
    if isinstance(value, tuple | list):
        return f"({', '.join(map(written, value))})"
    return f"{type(value).__name__} {value!r}"


@dataclass(frozen=True)
class Observation:
    """What was seen, by name, each as a text; what was drawn; whether there was an answer; what is wrong by itself."""

    seen: Mapping[str, str]
    drawn: tuple[Drawn, ...]
    answered: bool
    wrong: tuple[str, ...] = ()

    @property
    def said(self) -> tuple[Any, ...]:
        """For the next of two neighbors."""
        return tuple(draw.said for draw in self.drawn)


def observe(session: Session, text: str, *, before: Observation | None = None, **spending: Any) -> Observation:  # noqa: ANN401 - as `Keywords`
    """Ask a statement, or a batch, with a ledger of its own, and write down all that can be seen."""
    asking = Session(session.catalog, backend=session._backend, ledger=Ledger(LIMIT, unit=session.catalog.unit))
    script = Script(None if before is None else before.said)
    seen: dict[str, str] = {}
    noise = io.StringIO()
    answered = False
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stderr(noise):
        warnings.simplefilter("always")
        try:
            seen |= explained(asking, text, spending)
            with script.instead_of_noise():
                seen |= answers(asking, text, spending)
            answered = True
        except Exception as problem:  # noqa: BLE001 - whatever it is, an analyst sees it
            seen |= failed(problem)
    seen["spent"] = repr(asking.ledger.spent)
    seen["entries"] = str(
        [(each.kind, each.mechanism, repr(each.loss), repr(each.cost)) for each in asking.ledger.entries]
    )
    seen["warnings"] = str([str(each.message) for each in warned])
    seen["stderr"] = noise.getvalue()
    folder = str(session.catalog.folder.resolve())  # where a world lies is not its own
    told = {name: words.replace(folder, "…") for name, words in seen.items()}
    return Observation(told, tuple(script.drawn), answered, unforeseen(told))


def answers(session: Session, text: str, spending: Mapping[str, Any]) -> dict[str, str]:
    """What is paid for."""
    if BATCH not in text:
        answer = session.sql(text, **{**SPENT, **spending})
        return shown(answer.table) | {f"answer.{name}": value for name, value in parts(answer).items()}
    seen: dict[str, str] = {}
    for place, answer in enumerate(session.batch(text.split(BATCH), **{**SPENT, **spending})):
        each = shown(answer.table) | parts(answer)
        seen |= {f"answer {place}.{name}": value for name, value in each.items()}
    return seen


def explained(session: Session, text: str, spending: Mapping[str, Any]) -> dict[str, str]:
    """What is told for free."""
    if BATCH in text:
        return {"explain": str(session.explain(text.split(BATCH), **{**SPENT, **spending}))}
    found = session.explain(text, **{**SPENT, **spending})
    facts = {f"explain.{name}": value for name, value in parts(found).items()}
    return facts | {"explain": str(found), "explain.queries": "\n".join(found.queries)}


def parts(found: Any) -> dict[str, str]:  # noqa: ANN401 - an answer or an explanation
    """Every field of it."""
    return {each.name: repr(getattr(found, each.name)) for each in fields(found) if each.name not in UNPRINTED}


def shown(table: pa.Table) -> dict[str, str]:
    """A table: types, rows as they are written, in their order."""
    return {"schema": str(table.schema), "rows": written([tuple(row.values()) for row in table.to_pylist()])}


def failed(problem: Exception) -> dict[str, str]:
    """An error, and those that it names as its reasons."""
    why = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    told = "" if why is None else f" from {type(why).__name__}: {why}"
    return {"failed": f"{type(problem).__name__}: {problem}{told}"}


def unforeseen(seen: Mapping[str, str]) -> tuple[str, ...]:
    """What must not be seen on any data: an error that is not one of ours."""
    kind = seen.get("failed", "").partition(":")[0]
    return (seen["failed"],) if kind and not hasattr(errors, kind) else ()


# --- two neighbors ---


def differences(here: Observation, there: Observation, *, stored_alike: bool = True) -> list[str]:
    """What tells two neighbors apart; nothing, if all is well.

    Args:
        here: the one, without noise.
        there: the other, with the noise that says the same.
        stored_alike: False if their tables lie in other files, which the text of a query names.
    """
    apart = [
        f"{name}: {here.seen.get(name, 'nothing')[:300]} | {there.seen.get(name, 'nothing')[:300]}"
        for name in {**here.seen, **there.seen}
        if here.seen.get(name) != there.seen.get(name) and (stored_alike or name != "explain.queries")
    ]
    apart += [*here.wrong, *there.wrong]
    if [draw.mechanism for draw in here.drawn] != [draw.mechanism for draw in there.drawn]:
        return [*apart, "other noise is drawn"]
    for one, other in zip(here.drawn, there.drawn, strict=True):
        if one.sensitivity != other.sensitivity:
            apart.append("sensitivities differ")
        apart += farther(one.secret, other.secret, one.sensitivity)
    return apart


def farther(here: Mapping[Any, int], there: Mapping[Any, int], stated: Sensitivity) -> Iterator[str]:
    """Norms of a move that are beyond what is stated; all in whole numbers."""
    moves = {cell: abs(here.get(cell, 0) - there.get(cell, 0)) for cell in {*here, *there}}
    moved = [move for move in moves.values() if move]
    if max(moved, default=0) > stated.per_cell:
        worst = max(moves, key=lambda cell: moves[cell])
        yield f"{worst} moves from {here.get(worst, 0)} to {there.get(worst, 0)}, by more than {stated.per_cell}"
    if sum(moved) > stated.l1:
        yield f"L1 moves by {sum(moved)}, more than {stated.l1}"
    if Fraction(sum(move * move for move in moved)) > stated.l2**2:
        yield "L2"
    if len(moved) > stated.cells:
        yield f"{len(moved)} numbers move, more than {stated.cells}"
