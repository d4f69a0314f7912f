"""Network: the user's network with its loss, as a function from rows to one loss each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from privet.errors import InvalidParameter
from privet.learn.torch.layers import Places

Batch: TypeAlias = Sequence[Tensor]  # what the network is given, and the targets last; rows in the first dimension
Loss: TypeAlias = Callable[[Any, Tensor], Tensor]
PER_ROW = (
    'loss must return one loss for each row, and not their mean or sum: say reduction="none", as in '
    'CrossEntropyLoss(reduction="none")'
)


@dataclass(frozen=True)
class Network:
    """What is trained.

    Args:
        model: called with everything but the targets.
        loss: of what the model returns and the targets: one number a row, or several, whose mean counts.
        trained: its parameters that the optimizer moves, by name; a shared one once.
        modes: which of its modules train; others, such as frozen parts, stay in evaluation.
    """

    model: nn.Module
    loss: Loss
    trained: Mapping[str, nn.Parameter]
    modes: Mapping[nn.Module, bool]

    @classmethod
    def of(cls, model: nn.Module, loss: Loss, optimizer: torch.optim.Optimizer) -> "Network":
        """What this optimizer trains, as it is now: parameters that need no gradient now are never trained."""
        moved = {id(each) for group in optimizer.param_groups for each in group["params"]}
        trained = {name: each for name, each in model.named_parameters() if each.requires_grad and id(each) in moved}
        return cls(model, loss, trained, {module: module.training for module in model.modules()})

    @cached_property
    def places(self) -> Places:
        """Where each parameter lies in the flat vector of all."""
        return Places.of(list(self.trained.values()))

    def losses(self, batch: Batch, parameters: Mapping[str, Tensor] | None = None) -> Tensor:
        """One loss for each row; with other parameters, where some are given."""
        *inputs, target = batch
        if parameters is None:
            outputs = self.model(*inputs)
        else:
            outputs = torch.func.functional_call(self.model, dict(parameters), tuple(inputs))
        found: Any = self.loss(outputs, target)
        if not isinstance(found, Tensor) or found.ndim == 0 or len(found) != len(target):
            raise InvalidParameter(PER_ROW)
        return found.flatten(1).mean(1) if found.ndim > 1 else found

    @contextmanager
    def training(self) -> Iterator[None]:
        """As it was when it was handed over, whatever a caller has made of it between two steps."""
        before = {module: module.training for module in self.modes}
        self.set_modes()
        try:
            with torch.inference_mode(mode=False), torch.enable_grad():
                yield
        finally:
            for module, was in before.items():
                module.training = was

    def set_modes(self) -> None:
        """Let every module train, or not, as when it was handed over."""
        for module, trains in self.modes.items():
            module.training = trains
