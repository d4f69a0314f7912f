"""Checkpoint: where a training is, in a file from which a later run goes on."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from privet.core.journals.anchor import sync_folder
from privet.errors import InvalidParameter
from privet.learn.centered_rows import LEAST_SPREAD, LONGEST_APART, Centered
from privet.learn.row_clipping import LONGEST, SHORTEST
from privet.noise import Entropy

State = Mapping[str, NDArray[Any]]
PRESENT, WHERE = "present_", "where_"  # what names of arrays in the file begin with


class Checkpoint:
    """The file of one training: the key of its plan in the ledger, what the plan was made for, and its last state.

    Args:
        path: where it is; the first run makes it, with a key that nobody else has.
        question: what the training is, as a hash of public parameters; the file of another training is refused.
        width: how many numbers its rows have.

    Privacy: it holds public and released numbers alone, so who reads it learns nothing new. Nothing hangs on what it
        says either: every step follows from a state that is public anyway, and steps are counted in the ledger.
    """

    def __init__(self, path: str | os.PathLike[str], question: str, *, width: int) -> None:
        self.path, self.question, self.width = Path(path), question, width
        self.where: Centered | None = None
        self.present: State | None = None
        self.key = Entropy().words(2).tobytes().hex()
        if not self.path.exists():
            if not self.path.parent.is_dir():
                raise InvalidParameter(f"checkpoint must be a file in a folder that is there: make {self.path.parent}")
            with suppress(FileExistsError):  # somebody else's was first, whose key counts
                self._write(new=True)
        self._read()

    def keep_where(self, where: Centered) -> None:
        """Keep what the first release said."""
        self.where = where
        self._write()

    def keep(self, state: State) -> None:
        """Keep the state that was reached, in place of the last one."""
        self.present = state
        self._write()

    def _write(self, *, new: bool = False) -> None:
        """Write all or nothing: a run that is killed meanwhile leaves the file as it was."""
        held: dict[str, Any] = {"key": np.array(self.key), "question": np.array(self.question)}
        if self.where is not None:
            where = {"middle": self.where.middle, "spread": self.where.spread, "count": self.where.count}
            held |= {WHERE + name: np.array(value) for name, value in where.items()}
        held |= {PRESENT + name: value for name, value in (self.present or {}).items()}
        fresh = self.path.with_name(f"{self.path.name}{'.' + self.key if new else ''}.part")
        with fresh.open("wb") as file:
            np.savez(file, **held)
            file.flush()
            os.fsync(file.fileno())
        if new:
            try:
                os.link(fresh, self.path)  # fails where there is a file
            finally:
                fresh.unlink()
        else:
            fresh.replace(self.path)
        sync_folder(self.path.parent)

    def _read(self) -> None:
        try:
            with self.path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                held = {name: file[name] for name in file.files}
            key, question = str(held["key"]), str(held["question"])
        except (AttributeError, TypeError, OSError, ValueError, KeyError, EOFError, BadZipFile) as problem:
            raise InvalidParameter(f"{self.path} is not the checkpoint of a training: name another file") from problem
        if question != self.question:
            raise InvalidParameter(
                f"{self.path} is the checkpoint of another training: go on with its parameters, or name another file"
            )
        self.key = key
        where = {name.removeprefix(WHERE): value for name, value in held.items() if name.startswith(WHERE)}
        if where:
            self.where = self._where(where)
        found = {name.removeprefix(PRESENT): value for name, value in held.items() if name.startswith(PRESENT)}
        self.present = found or None

    def _where(self, held: State) -> Centered:
        """Where the rows lie, if the file says it in numbers that a release can have."""
        shapes = {name: value.shape for name, value in held.items() if value.dtype == np.float64}
        if shapes.keys() == {"middle", "spread", "count"} and [shapes["spread"], shapes["count"]] == [(), ()]:
            found = Centered(held["middle"], float(held["spread"]), float(held["count"]))
            spread, count = LEAST_SPREAD <= found.spread <= LONGEST_APART, 1 <= found.count < np.inf
            if shapes["middle"] == (self.width,) and (np.abs(found.middle) <= 1).all() and spread and count:
                return found
        raise self._misfit()

    @property
    def begun(self) -> bool:
        """Whether something was drawn for it."""
        return self.where is not None or self.present is not None

    def refuse_misfit(self, first: State, *, steps: int) -> None:
        """Refuse a state that no training of so many steps reaches from the first one."""
        present = self.present
        if present is None:
            return
        fits = present.keys() == first.keys() and all(
            present[name].shape == value.shape and present[name].dtype == value.dtype for name, value in first.items()
        )
        if not fits or not all(np.isfinite(value).all() for value in present.values()):
            raise self._misfit()
        if not (1 <= present["steps"] <= steps and SHORTEST <= present["length"] <= LONGEST):
            raise self._misfit()

    def _misfit(self) -> InvalidParameter:
        return InvalidParameter(f"{self.path} does not hold a state of this training: name another file")

    def __repr__(self) -> str:
        return f"Checkpoint({str(self.path)!r})"


def plain(value: Any) -> Any:  # noqa: ANN401 - a parameter of any kind
    """The same in lists, numbers and texts, whose words tell all of it; an array's alone would leave out its middle.

    Example:
        >>> plain({"bounds": (np.zeros(2), range(2)), "steps": 3})
        [['bounds', [[0.0, 0.0], [0, 1]]], ['steps', 3]]
    """
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return [[plain(name), plain(each)] for name, each in sorted(value.items(), key=repr)]
    return [plain(each) for each in value] if isinstance(value, list | tuple | range) else value
