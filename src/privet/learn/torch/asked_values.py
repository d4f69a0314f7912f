"""AskedValues: whether a network, while rows pass, asks for their values, on which its way may then depend."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

TELLS = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
INDEXED = {torch.ops.aten.index.Tensor, torch.ops.aten._unsafe_index.Tensor}  # noqa: SLF001 - torch's own names
BITS = {torch.bool, torch.uint8}  # as an index: how many numbers come out follows from the values


READ = {"tolist", "numpy", "__array__", "__dlpack__", "data_ptr", "storage", "untyped_storage"}  # whole tensors at once


class AskedValues(TorchDispatchMode):  # type: ignore[no-untyped-call] # of torch's class
    """While it is on, notes whether a number computed from the rows becomes one of Python's, or a shape.

    Args:
        rows: what passes.

    Proof: a network that asks for no value is the same list of tensor operations of the same shapes for all rows: an
        `if`, a loop or a shape can depend on values by these operations alone.
    Not covered: operations of the network's own that are not torch's, which see memory.
    """

    def __init__(self, rows: Sequence[Tensor]) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # torch's own
        self._met = {_memory(each): each for each in rows}  # kept, so that memory is not given to other tensors
        self.operation: str | None = None

    def follows(self, tree: Any) -> bool:  # noqa: ANN401 - arguments of any form
        """Whether any of these tensors was computed from the rows."""
        return any(_memory(each) in self._met for each in _tensors(tree))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ANN401 - torch's own
        """Run one operation."""
        named = kwargs or {}
        seen = self.follows((args, named))
        if seen and TELLS & set(func.tags) and not _of_public_shape(func, args):
            self.operation = self.operation or str(func.overloadpacket.__name__)
        found = func(*args, **named)
        if seen:
            for each in _tensors(found):
                self._met[_memory(each)] = each
        return found


class _Reads(TorchFunctionMode):
    """Notes what reads memory without an operation."""

    def __init__(self, asked: AskedValues) -> None:
        super().__init__()
        self._asked = asked

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ANN401 - torch's own
        name = getattr(func, "__name__", "")
        if name in READ and self._asked.operation is None and self._asked.follows(args):
            self._asked.operation = name
        return func(*args, **(kwargs or {}))


@contextmanager
def asked_values(rows: Sequence[Tensor]) -> Iterator[AskedValues]:
    """Watch what runs meanwhile."""
    asked = AskedValues(rows)
    with _Reads(asked), asked:
        yield asked


def _of_public_shape(func: Any, args: Any) -> bool:  # noqa: ANN401 - torch's own
    """Whether it is a lookup by whole numbers, whose shape is theirs."""
    return func in INDEXED and not any(each.dtype in BITS for each in _tensors(args[1]))


def _tensors(tree: Any) -> Iterator[Tensor]:  # noqa: ANN401 - arguments of any form
    return (each for each in tree_leaves(tree) if isinstance(each, Tensor))


def _memory(tensor: Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)  # noqa: SLF001 - which memory a tensor and its views have
