"""Networks of the user's own, of torch: `private_training` plans the training, and a loop or `run` makes its steps.

The only door to torch. What a unit adds to a step follows from its own rows, in exact whole steps.

May import: errors, loss, noise, core, mechanisms, wording, asking.
Never touches: drawing noise, SQL.
"""

try:
    import torch  # noqa: F401 - asked for here, so that one sentence says what is missing
except ModuleNotFoundError:  # pragma: no cover - the tests have it
    raise ModuleNotFoundError("privet.learn.torch needs torch: install it with pip install 'privet[torch]'") from None

from privet.learn.torch.network_canaries import NetworkCanaries
from privet.learn.torch.private_training import private_training
from privet.learn.torch.training import PrivateTraining

__all__ = ["NetworkCanaries", "PrivateTraining", "private_training"]
