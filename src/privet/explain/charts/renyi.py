"""renyi_chart: what losses reveal, by order."""

from collections.abc import Mapping

import numpy as np

from privet.display import Chart
from privet.errors import InvalidParameter
from privet.explain.charts.named_losses import named_losses
from privet.loss import PrivacyLoss

POINTS = 99


def renyi_chart(losses: PrivacyLoss | Mapping[str, PrivacyLoss], *, most: float = 50.0) -> Chart:
    """The Rényi divergence of each loss at orders from 1 to `most`.

    A pure loss stays below its ε at every order; that of a Gaussian is a straight line without an end, so "always less
    than 1", as Ferrari's thesis says of its figure 3.1, is true of no Gaussian.

    Args:
        losses: one, or several by name.
        most: the largest order, above 1.

    Example:
        >>> from privet.mechanisms import Gaussian, Laplace
        >>> renyi_chart({"Laplace 2": Laplace(1, 2).loss, "Gaussian 2": Gaussian(1, 2).loss})
        Chart(2 lines: Laplace 2, Gaussian 2)
    """
    if not 1 < most < 1e6:  # noqa: PLR2004 - nobody draws more
        raise InvalidParameter(f"most must lie above 1 and below a million, got {most}")
    orders = np.linspace(1, most, POINTS)
    lines = {name: (orders, [loss.renyi(float(a)) for a in orders]) for name, loss in named_losses(losses).items()}
    return Chart.lines(lines, x="order", y="Rényi divergence (nats)", title="What is revealed, by order")
