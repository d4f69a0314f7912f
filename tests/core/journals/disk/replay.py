"""Power losses, replayed: run in a process that was started with the shim, which wrote down what programs did."""

import hashlib
import itertools
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

from tests.core.journals.disk.checks import complaints
from tests.core.journals.disk.platter import Platter
from tests.core.journals.disk.programs import PROGRAMS, Fact
from tests.core.journals.disk.shim import Event
from tests.core.journals.disk.sweep import Fault, Sweep, answer_each

LIES: dict[str, Callable[[str], bool]] = {  # which syncs are only pretended
    "": lambda _: False,
    "everything": lambda _: True,
    "the log": lambda path: path.endswith("-wal"),
    "the anchor": lambda path: ".anchor" in path,
    "the folder": lambda path: ".db" not in path,
}


def losses(
    trace: Sequence[Event], platter: Platter, facts: Sequence[Fact], each: int
) -> Iterator[tuple[int, list[Fact], dict[str, bytes]]]:
    """After every event: what was told until then, and some states of the disk if the power is lost at that moment."""
    told = list(facts)
    seen = set[bytes]()
    for number, event in enumerate(trace):
        if event.kind == "mark":
            told.append(json.loads(event.path))
        else:
            platter.happen(event)
        for state in (platter.nothing(), platter.everything(), *(platter.after_a_loss() for _ in range(each))):
            digest = hashlib.sha256(repr((len(told), sorted(state.items()))).encode()).digest()
            if digest not in seen:
                seen.add(digest)
                yield number, list(told), state


class Replay:
    """Programs that are run once, and the power losses they may have met."""

    def __init__(self, place: Path, asked: Fact) -> None:
        self._sweep = Sweep(place, asked.get("planted", ""))
        self._place = place / "replayed"
        self._asked = asked
        self.states = 0

    def found(self, program: str, seed: int, fault: Fault | None) -> Iterator[str]:
        """What does not hold after the losses of one run."""
        files, facts, trace = self._sweep.trace(program, fault)
        platter = Platter(files, Random(seed), LIES[self._asked.get("lie", "")])  # noqa: S311 - which states to try
        for number, told, state in losses(trace, platter, facts, self._asked["each"]):
            self._place.mkdir()
            for name, data in state.items():
                (self._place / name).write_bytes(data)
            for complaint in complaints(self._place, told):
                happened = trace[number]
                yield f"{program}, seed {seed}, after {number} ({happened.kind} {happened.path}): {complaint}"
            shutil.rmtree(self._place)
            self.states += 1

    def failed_syncs(self, program: str) -> Iterator[Fault]:
        """Every sync of a program that may fail."""
        for number, event in enumerate(self._sweep.calls_of(program)):
            if event.kind == "sync":
                yield Fault(program, number, 5, lasting=False)


def replayed(asked: Fact, place: Path) -> Fact:
    """Replay losses as asked, and say how many and what was found.

    Args:
        asked: "programs" (all if left out), "seeds", how many states for "each" event, about what the disk is to "lie",
            what is "planted", and whether "syncs" fail, one at a time.
        place: an empty folder.
    """
    replay = Replay(place, asked)
    found = list[str]()
    for program in asked.get("programs", PROGRAMS):
        faults = list(replay.failed_syncs(program)) if asked.get("syncs") else [None]
        for fault, seed in itertools.product(faults, asked["seeds"]):
            found += replay.found(program, seed, fault)
    return {"states": replay.states, "found": found}


if __name__ == "__main__":
    answer_each(replayed)
