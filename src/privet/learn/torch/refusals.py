"""Refusals: what cannot be trained, by its type and shape, before anything else is looked at."""

from inspect import Parameter, signature
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as modules_of_torch

from privet.errors import InvalidParameter
from privet.learn.torch.network import Network

TYPES = {torch.float32, torch.float64}
WRAPPED = ("DataParallel", "DistributedDataParallel", "FullyShardedDataParallel", "OptimizedModule")


def refuse_parts(model: Any, optimizer: Any, loss: Any) -> None:  # noqa: ANN401 - whatever a caller hands over
    """Raise unless these are a network, an optimizer and a loss."""
    if not isinstance(model, nn.Module):
        raise InvalidParameter(f"model must be a torch.nn.Module, got {type(model).__name__}")
    if type(model).__name__ in WRAPPED or isinstance(model, torch.jit.ScriptModule):
        raise InvalidParameter(f"model must be the network itself, got {type(model).__name__}: pass what it wraps")
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise InvalidParameter(f"optimizer must be a torch.optim.Optimizer, got {type(optimizer).__name__}")
    if isinstance(optimizer, torch.optim.LBFGS):
        raise InvalidParameter(
            "LBFGS looks at the loss many times a step: take an optimizer that needs one gradient, SGD"
        )
    step = signature(optimizer.step).parameters.values()
    if isinstance(optimizer, torch.optim.SparseAdam) or any(each.default is Parameter.empty for each in step):
        raise InvalidParameter(
            f"{type(optimizer).__name__} needs more than one dense gradient a step: take SGD, Adam or AdamW"
        )
    if not callable(loss):
        raise InvalidParameter(f"loss must be a function of outputs and targets, got {type(loss).__name__}")
    if getattr(loss, "reduction", "none") != "none":
        raise InvalidParameter(
            f'loss must tell one number for each row, got reduction="{loss.reduction}": say reduction="none"'
        )
    if not model.training:
        raise InvalidParameter("the model is in evaluation mode: call model.train() before it is trained")
    if torch.is_autocast_enabled("cpu"):
        raise InvalidParameter("autocast is on, and rounds gradients to half of their bits: train without it")


def refuse_hooks(model: nn.Module) -> None:
    """Raise if something runs beside the network: it would see rows, or change gradients after they were clipped."""
    for name, each in model.named_parameters():
        if nn.parameter.is_lazy(each):
            raise InvalidParameter(
                f"parameter {name!r} has no shape yet: call the model once, on rows of your invention"
            )
        if each._backward_hooks or each._post_accumulate_grad_hooks:  # noqa: SLF001 - there is no other way to see them
            raise InvalidParameter(f"parameter {name!r} has hooks, which no clipped gradient goes through: remove them")
    for name, module in model.named_modules():
        if any(_runs(each) and held for each, held in vars(module).items()):
            raise InvalidParameter(
                f"{name or type(module).__name__!r} has hooks, which see the rows that pass: remove them, and write "
                "what they do into forward; for nn.utils.weight_norm take nn.utils.parametrizations.weight_norm"
            )
    if any(each.startswith("_global") and _runs(each) and held for each, held in vars(modules_of_torch).items()):
        raise InvalidParameter("hooks are registered for all modules, and see the rows that pass: remove them")


def _runs(name: str) -> bool:
    """Whether an attribute of a module holds hooks that run when rows pass."""
    return "hook" in name and ("forward" in name or "backward" in name)


def refuse_parameters(network: Network, optimizer: torch.optim.Optimizer) -> None:
    """Raise unless what is trained is of one proven type, on the CPU, and the model's own."""
    own = {id(each) for each in network.model.parameters()}
    if any(id(each) not in own for group in optimizer.param_groups for each in group["params"]):
        raise InvalidParameter("the optimizer moves parameters that are not the model's: make it of model.parameters()")
    if not network.trained:
        raise InvalidParameter("there is nothing to train: no parameter of the optimizer needs a gradient")
    for name, each in network.model.named_parameters():
        if each.device.type != "cpu":
            raise InvalidParameter(
                f"parameter {name!r} is on {each.device}: what a row adds is proven on the CPU alone; "
                "train there with model.to('cpu')"
            )
        if each.dtype not in TYPES:
            raise InvalidParameter(
                f"parameters must be float32 or float64, got {each.dtype} in {name!r}: model.float()"
            )
    if len({each.dtype for each in network.trained.values()}) > 1:
        raise InvalidParameter("parameters must be of one type: call model.float() or model.double()")
