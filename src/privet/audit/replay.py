"""replay: a computation on two neighbors, the second of which is said what the first was said."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, Self, overload

from privet.audit.difference import KINDS, Difference, short
from privet.audit.domain import Domain
from privet.audit.looks import UNSEEN, failure
from privet.audit.observed import Observed, apart, steps
from privet.audit.progress import Progress
from privet.audit.replayed import Replayed
from privet.audit.runs import name_of
from privet.audit.tape import Listening, Tape, listening
from privet.core import Ledger, Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee, Promise
from privet.noise import BitSource

LARGE = Guarantee(10**9, "0.9")
PERSON = Unit("person")
MOST = 60  # differences that are kept
FIRST = "the first run"
Run = Callable[..., Any]


class Played:
    """One run of a replay.

    Args:
        ledger: a new one in memory, of a limit that nothing reaches.
        observed: what is seen.
    """

    def __init__(self, ledger: Ledger, observed: Observed) -> None:
        self.ledger = ledger
        self._observed = observed

    def see(self, value: Any, name: str = "the answer") -> None:  # noqa: ANN401 - anything
        """Look at what the run gives: all of it is compared with that of the first run, bit by bit.

        Args:
            value: anything that an observer is shown: numbers, tables, releases, models.
            name: what it is called, where several things are seen.
        """
        self._observed.see(value, name)


class Replaying:
    """A replay that is open. Its first run is looked at; each run after it is said the same, and compared with it.

    Example:
        >>> from privet import Unit, mean
        >>> from privet.audit import replay
        >>> with replay(unit=Unit("person")) as replaying:
        ...     for ages in ([20, 30, 40], [20, 30, 40, 1000]):
        ...         with replaying.run() as run:
        ...             run.see(mean(ages, bounds=(0, 100), epsilon=1, ledger=run.ledger))
        >>> replaying.found.violated
        False
    """

    def __init__(
        self,
        *,
        unit: Unit = PERSON,
        limit: Promise = LARGE,
        crowd: bool = False,
        source: BitSource | None = None,
        name: str = "the computation",
    ) -> None:
        self._unit, self._limit, self._name = unit, limit, name
        self._crowd, self._source = crowd, source
        self._stack = ExitStack()
        self._listening: Listening | None = None
        self._first: Observed | None = None
        self._found = Comparing()
        self._runs = 0

    def __enter__(self) -> Self:
        """From here on ledgers in memory speak to the replay."""
        self._listening = self._stack.enter_context(listening())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ledgers draw noise again."""
        self._listening = None
        self._stack.close()
        if kind is None and self._runs < 2:  # noqa: PLR2004 - two neighbors
            raise InvalidParameter(
                f"a replay compares runs, and there {'was one' if self._runs else 'was none'}: "
                "run the computation once for each neighbor, each within `with replaying.run() as run`"
            )

    @contextmanager
    def run(self, name: str = "") -> Iterator[Played]:
        """One run: the first is looked at, each later one is compared with it. A failure ends the run, and is seen.

        Args:
            name: what is special about this neighbor, for the witness.
        """
        if self._listening is None:
            raise InvalidParameter("this replay is not open: write `with privet.audit.replay() as replaying`")
        tape = Tape(None if self._first is None else self._first.tape, self._source, crowd=self._crowd)
        observed = Observed(tape)
        ledger = Ledger(self._limit, unit=self._unit)
        self._listening.tape = tape
        try:
            with observed.watching():
                yield Played(ledger, observed)
        finally:
            self._listening.tape = None
        if tape.problem is not None and not isinstance(tape.problem, Exception):
            raise tape.problem
        self._runs += 1
        if self._first is None:
            self._first, self._first_name = observed, name or FIRST
        else:
            self._found.add(self._first, observed, (self._first_name, name or f"run {self._runs}"))

    @property
    def found(self) -> Replayed:
        """What tells the runs apart."""
        return self._found.replayed(self._name)


class Comparing:
    """Adds up what pairs of runs show.

    Args:
        strict: as for `apart`.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self._strict = strict
        self.pairs = self.draws = 0
        self.differences: list[Difference] = []
        self.shares: dict[str, float] = {}
        self.notes: dict[str, None] = {}
        self.failed: Counter[str] = Counter()

    def add(self, one: Observed, other: Observed, witness: tuple[str, str], subject: str = "") -> bool:
        """Compare two runs; whether something tells them apart."""
        self.pairs += 1
        if one.failed and one.failed == other.failed:
            because = "" if one.tape.problem is None else f" (because of {failure(one.tape.problem)})"
            self.failed[one.failed + because] += 1
        for place, words in one.seen.items():
            if words.endswith(UNSEEN):
                self.notes[f"{place}: a {words}"] = None
        found = [each.of(subject, witness) for each in apart(one, other, strict=self._strict)]
        self.differences += found[: MOST - len(self.differences)]
        for words, step in steps(one.tape, other.tape):
            if not step.compared:
                self.notes[f"{short(words)}: what it was given is not compared, because nobody knows how"] = None
                continue
            self.draws += 1
            self.shares[words] = max(step.share, self.shares.get(words, 0.0))
            if step.covered and not self._strict:
                said = f"moved {step.moved}, declared {step.declared}; its loss holds for that too"
                self.notes.setdefault(f"{short(words)}: {said}")
        return bool(found)

    def replayed(self, subject: str) -> Replayed:
        """What was found so far."""
        order = list(KINDS)
        first = sorted(self.differences, key=lambda each: order.index(each.kind))
        failed = [
            f"both neighbors fail in {times:,} of {self.pairs:,} pairs: {short(why)}"
            for why, times in self.failed.items()
        ]
        notes = (*failed, *self.notes)
        return Replayed(subject, self.pairs, self.draws, tuple(first), dict(self.shares), notes)


@overload
def replay(
    run: None = None,
    *,
    unit: Unit | None = None,
    limit: Promise = LARGE,
    crowd: bool = False,
    source: BitSource | None = None,
    name: str | None = None,
) -> Replaying: ...
@overload
def replay(
    run: Run,
    *,
    pair: Sequence[Any] | None = None,
    domain: Domain | None = None,
    unit: Unit | None = None,
    limit: Promise = LARGE,
    crowd: bool = False,
    source: BitSource | None = None,
    name: str | None = None,
    progress: bool | None = None,
) -> Replayed: ...
def replay(  # noqa: PLR0913 - what a replay is made of, each by name
    run: Run | None = None,
    *,
    pair: Sequence[Any] | None = None,
    domain: Domain | None = None,
    unit: Unit | None = None,
    limit: Promise = LARGE,
    crowd: bool = False,
    source: BitSource | None = None,
    name: str | None = None,
    progress: bool | None = None,
) -> Replayed | Replaying:
    """Run a computation on neighbors with the same noise, and see whether anything tells them apart.

    The first neighbor's mechanisms draw; the second's answer what they answered of the first. Then every number handed
    to a mechanism may move by no more than was declared, the same draws must be made with the same parameters, and all
    else that is seen must be equal: answers, types, keys, order, failures, warnings, prints, logs and charges.

    Args:
        run: a function of the data. One with a parameter `ledger` is given a new one in memory; any other may open
            ledgers of its own in memory. Without a function, what is returned is a context: see `Replaying`.
        pair: two neighboring inputs.
        domain: where neighbors are looked for if no pair is given: what inputs may be.
        unit: who is protected by the ledger that is handed over; `Unit("person")` by default, or with a domain one of
            its relation of neighbors.
        limit: of that ledger; large by default.
        crowd: whether mechanisms answer as of a thousand times as many units, so that small groups are named, too.
        source: where the first neighbor's noise comes from; the operating system by default.
        name: what the computation is called.
        progress: True to show how far it is from two seconds on, False never to; by default on terminals.

    Privacy: run it on invented inputs, never on data: what it returns shows what it was given. It refuses ledgers
        that are kept.
    Proof: of what it shows: if all else is equal given the same answers, what is seen is a function of the answers
        alone (post-processing), and the loss is what the mechanisms' is, if their inputs move as declared. Docs:
        decision 43.
    Not covered: pairs that are not tried, answers that did not come up, time, randomness of the computation's own
        (it looks like a difference), secrets that are functions or objects and answers that are generators or closures
        (a note says so, but for closures), and what is written past Python: by other programs, to files.

    Example:
        >>> from privet import quantile
        >>> def middle(rows, ledger):
        ...     return quantile(rows, 0.5, bounds=(0, 9), epsilon=1, ledger=ledger)
        >>> replay(middle, pair=([1], [1, 5])).verdict
        'no violation found in 1 pair of neighbors: 1 secret moved by at most 1 of what was declared, and all else was \
equal'
    """
    if run is None:
        if pair is not None or domain is not None:
            raise InvalidParameter("a replay without a function takes no pair: run each neighbor within the context")
        more = {} if name is None else {"name": name}
        return Replaying(unit=unit or PERSON, limit=limit, crowd=crowd, source=source, **more)
    pairs = _pairs(pair, domain)
    known = unit or (PERSON if domain is None else Unit("row", domain.neighbors))
    takes = _takes_ledger(run)
    called = name_of(run) if name is None else name
    found, watch = Comparing(), Progress(len(pairs), shown=progress)
    try:
        for one, other in pairs:
            replaying = Replaying(unit=known, limit=limit, crowd=crowd, source=source, name=called)
            replaying._found = found  # noqa: SLF001 - its own kin
            with replaying:
                for data in (one, other):
                    with replaying.run(short(repr(data))) as here:
                        here.see(run(data, ledger=here.ledger) if takes else run(data))
            watch.step(1)
    finally:
        watch.end()
    return found.replayed(called)


def _pairs(pair: Sequence[Any] | None, domain: Domain | None) -> list[tuple[Any, Any]]:
    if (pair is None) == (domain is None) or (pair is not None and len(pair) != 2):  # noqa: PLR2004 - two neighbors
        raise InvalidParameter(
            "a replay needs two neighboring inputs, or the domain in which to look for them: "
            "write pair=(data, neighbor) or domain=Domain(bounds=(0, 1))"
        )
    return list(domain.pairs()) if domain is not None else [(pair[0], pair[1])] if pair is not None else []


def _takes_ledger(run: Run) -> bool:
    if not callable(run):
        raise InvalidParameter(
            f"a replay needs a function of the data, got {type(run).__name__}: pass the function itself, not its answer"
        )
    try:
        return "ledger" in inspect.signature(run).parameters
    except (TypeError, ValueError):  # some functions written in C do not say
        return False
