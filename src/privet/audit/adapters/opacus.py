"""Optimizers as Opacus has them: gradients of single rows are clipped, added up, and noise is added to the sum."""

from typing import Any

import numpy as np

from privet.audit.adapters.adapted import Adapted
from privet.loss import GaussianCurve, PrivacyLoss


def optimizer_step(optimizer: Any) -> Adapted:  # noqa: ANN401 - of another library
    """One step of an optimizer: an input has a gradient for each row; what is seen is the gradient that is stepped by.

    Args:
        optimizer: with `params`, `noise_multiplier`, `clip_and_accumulate`, `add_noise` and `scale_grad`. It is used:
            give it a model of its own.

    It claims what its noise multiplier says of one step without sampling: Gaussian noise, of that many times what a
    clipped row can move.
    """
    params = list(optimizer.params)

    def step(rows: Any) -> Any:  # noqa: ANN401 - rows of numbers
        gradients = np.asarray(rows, dtype=np.float64).reshape(len(rows), -1)
        optimizer.zero_grad()
        start = 0
        for each in params:
            piece = gradients[:, start : start + each.numel()]
            each.grad_sample = each.detach().new_tensor(piece.tolist()).reshape(len(rows), *each.shape)
            start += each.numel()
        optimizer.clip_and_accumulate()
        optimizer.add_noise()
        optimizer.scale_grad()
        return np.concatenate([each.grad.detach().cpu().numpy().ravel() for each in params]).astype(np.float64)

    loss = PrivacyLoss.of(GaussianCurve(1 / float(optimizer.noise_multiplier)))
    return Adapted(f"one step of {type(optimizer).__name__}", step, loss)
