"""Measurements as OpenDP has them: called with the data, and asked by `map` what a distance of inputs costs."""

from typing import Any

from privet.audit.adapters.adapted import Adapted
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee

Promise = Guarantee | ConcentratedGuarantee
PURE, CONCENTRATED = "MaxDivergence", "ZeroConcentratedDivergence"


def measurement(called: Any, *, distance: Any = 1, delta: float | None = None) -> Adapted:  # noqa: ANN401 - of another library
    """A measurement, which claims what its map says of neighbors.

    Args:
        called: the measurement.
        distance: of neighbors, as its map takes it (`d_in`).
        delta: at which a measurement that tells a whole curve δ(ε) is taken at its word.
    """
    measure = str(called.output_measure).replace("()", "")
    promised = called.map(distance)
    return Adapted(f"OpenDP measurement ({measure})", called, _promise(promised, measure, delta))


def _promise(promised: Any, measure: str, delta: float | None) -> Promise:  # noqa: ANN401 - what the map says
    if measure == PURE:
        return Guarantee(float(promised))
    if measure == CONCENTRATED:
        return ConcentratedGuarantee(float(promised))
    if measure == f"Approximate({PURE})":
        return Guarantee(float(promised[0]), float(promised[1]))
    if hasattr(promised, "epsilon"):
        if delta is None:
            raise InvalidParameter("this measurement promises a whole curve: say at which delta, such as delta=1e-6")
        return Guarantee(float(promised.epsilon(delta)), delta)
    raise InvalidParameter(
        f"an audit knows measurements of {PURE}, of Approximate({PURE}), of {CONCENTRATED} and of curves, "
        f"got {measure}: pass a function that calls it, and say the claim"
    )
