"""read_config: the protocol that a configuration describes."""

import json
from collections.abc import Mapping
from typing import Any

from privet.errors import InvalidParameter
from privet.local.affine_response import AffineResponse
from privet.local.binary_response import BinaryResponse
from privet.local.chained_encoding import ChainedEncoding
from privet.local.chained_response import ChainedResponse
from privet.local.count_mean_sketch import CountMeanSketch
from privet.local.grid_mean import GridMean
from privet.local.hadamard_response import HadamardResponse
from privet.local.hadamard_sketch import HadamardSketch
from privet.local.kary_response import KaryResponse
from privet.local.local_hashing import LocalHashing
from privet.local.one_bit_mean import OneBitMean
from privet.local.projective_geometry_response import ProjectiveGeometryResponse
from privet.local.protocol import Protocol
from privet.local.rappor import Rappor
from privet.local.square_wave import SquareWave
from privet.local.subset_selection import SubsetSelection
from privet.local.unary_encoding import UnaryEncoding
from privet.local.vector_mean import VectorMean
from privet.wording.nearest import nearest

PROTOCOLS: tuple[type[Protocol[Any]], ...] = (
    AffineResponse,
    BinaryResponse,
    CountMeanSketch,
    ChainedEncoding,
    ChainedResponse,
    GridMean,
    HadamardResponse,
    HadamardSketch,
    KaryResponse,
    LocalHashing,
    ProjectiveGeometryResponse,
    Rappor,
    OneBitMean,
    SquareWave,
    SubsetSelection,
    UnaryEncoding,
    VectorMean,
)


def read_config(config: Mapping[str, Any] | str) -> Protocol[Any]:
    """The protocol with this public configuration, given as a mapping or as its JSON.

    Example:
        >>> protocol = KaryResponse(categories=4, epsilon=1)
        >>> read_config(protocol.config) == protocol
        True
    """
    try:
        known = json.loads(config) if isinstance(config, str) else dict(config)
        name = known["protocol"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InvalidParameter('a configuration must be a mapping, or its JSON, with the word "protocol"') from None
    kinds = {kind.name: kind for kind in PROTOCOLS}
    if not isinstance(name, str) or name not in kinds:
        raise InvalidParameter(f"there is no protocol of that name{nearest(str(name), kinds)}")
    return kinds[name].from_config(known)
