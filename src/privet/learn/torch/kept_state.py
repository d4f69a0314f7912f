"""KeptState: what a network holds besides parameters, to see whether rows that pass leave anything there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

DEEPEST = 4
PLAIN = (bool, int, float, complex, str, bytes, type(None))
OWN = {"_parameters", "_buffers", "_modules", "training"}  # of every module, and looked at elsewhere


@dataclass(frozen=True)
class KeptState:
    """What was held at one time, by part and name.

    Args:
        marks: of each name, a value that is another one where something was put in its place, or changed in it.
        alive: what marks speak of by its place in memory, so that nothing else takes that place.

    Not covered: what lies outside of the modules: globals, closures, files.
    """

    marks: Mapping[str, object]
    alive: list[object]

    @classmethod
    def of(cls, *parts: Any) -> "KeptState":  # noqa: ANN401 - modules, and functions, which hold nothing that is seen
        """Look at all modules."""
        alive: list[object] = []
        marks: dict[str, object] = {}
        for name, value in _held(parts):
            marks[name] = _mark(value, alive, DEEPEST)
        return cls(marks, alive)

    def changed(self, later: "KeptState") -> str | None:
        """The first name whose value is another one later; None if there is none."""
        names = [*later.marks, *(name for name in self.marks if name not in later.marks)]
        return next((each for each in names if self.marks.get(each, self) != later.marks.get(each, self)), None)


def _held(parts: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    for part in parts:
        if isinstance(part, nn.Module):
            for path, module in part.named_modules():
                for name, value in vars(module).items():
                    if name not in OWN:
                        yield f"{path}.{name}".lstrip("."), value


def _mark(value: object, alive: list[object], depth: int) -> object:
    """Equal later, if nothing was changed meanwhile."""
    if isinstance(value, PLAIN):
        return type(value), repr(value)
    alive.append(value)
    if isinstance(value, Tensor | np.ndarray):
        return id(value), getattr(value, "_version", 0), _digest(value)
    if depth:
        if isinstance(value, Mapping):
            return id(value), tuple((repr(key), _mark(each, alive, depth - 1)) for key, each in list(value.items()))
        if isinstance(value, list | tuple):
            return id(value), tuple(_mark(each, alive, depth - 1) for each in value)
        if not isinstance(value, nn.Module | type) and not callable(value) and hasattr(value, "__dict__"):
            return id(value), _mark(vars(value), alive, depth - 1)
    return id(value), _length(value)


def _digest(value: Tensor | np.ndarray[Any, Any]) -> int:
    """Of what it holds: a tensor's version counts changes in place, but not those of its `data`."""
    if isinstance(value, np.ndarray):
        return 0 if value.dtype == object else hash(value.tobytes())
    if value.layout != torch.strided or value.device.type != "cpu":
        return 0
    return hash(value.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())


def _length(value: object) -> int:
    return len(value) if isinstance(value, set | frozenset) or hasattr(value, "popleft") else 0  # type: ignore[arg-type] # a deque has one
