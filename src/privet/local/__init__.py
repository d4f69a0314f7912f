"""Local privacy: values are privatized on the device, and estimated from very many reports.

A `Protocol` is the device side and the estimating side in one file: `privatize` (many devices at once, for
simulations), `report` (one device, bytes of one length), `tally` (counts that can be added, stored and made by an
engine) and `estimate` (unbiased, with standard errors and intervals). `survey/` asks people with coins. `device/` is
the one part that sends, and that remembers what was agreed to and what it cost.

May import: every room below.
Never touches: networks and storage, but for `device/`.
"""

from privet.local import survey
from privet.local.affine_response import AffineResponse
from privet.local.binary_response import BinaryResponse
from privet.local.chained_encoding import ChainedEncoding
from privet.local.chained_response import ChainedResponse
from privet.local.choose_frequency_protocol import choose_frequency_protocol
from privet.local.compare_models import compare_models
from privet.local.count_mean_sketch import CountMeanSketch
from privet.local.device_budget import DeviceBudget
from privet.local.distributed_noise import GaussianShares, LaplaceShares, SecureSum, SimulatedSecureSum
from privet.local.distribution_estimate import DistributionEstimate
from privet.local.estimate import Estimate
from privet.local.frequency_estimate import FrequencyEstimate
from privet.local.grid_mean import GridMean
from privet.local.hadamard_response import HadamardResponse
from privet.local.hadamard_sketch import HadamardSketch
from privet.local.heavy_hitters import HeavyHitters
from privet.local.kary_response import KaryResponse
from privet.local.local_hashing import LocalHashing
from privet.local.mean_estimate import MeanEstimate
from privet.local.mean_variances import mean_variances
from privet.local.memoized_device import MemoizedDevice
from privet.local.one_bit_mean import OneBitMean
from privet.local.projective_geometry_response import ProjectiveGeometryResponse
from privet.local.protocol import Protocol
from privet.local.rappor import Rappor, RapporDevice
from privet.local.rappor_estimate import RapporEstimate
from privet.local.square_wave import SquareWave
from privet.local.subset_selection import SubsetSelection
from privet.local.tally import Tally
from privet.local.unary_encoding import UnaryEncoding
from privet.local.vector_estimate import VectorEstimate
from privet.local.vector_mean import VectorMean

__all__ = [
    "AffineResponse",
    "BinaryResponse",
    "ChainedEncoding",
    "ChainedResponse",
    "CountMeanSketch",
    "DeviceBudget",
    "DistributionEstimate",
    "Estimate",
    "FrequencyEstimate",
    "GaussianShares",
    "GridMean",
    "HadamardResponse",
    "HadamardSketch",
    "HeavyHitters",
    "KaryResponse",
    "LaplaceShares",
    "LocalHashing",
    "MeanEstimate",
    "MemoizedDevice",
    "OneBitMean",
    "ProjectiveGeometryResponse",
    "Protocol",
    "Rappor",
    "RapporDevice",
    "RapporEstimate",
    "SecureSum",
    "SimulatedSecureSum",
    "SquareWave",
    "SubsetSelection",
    "Tally",
    "UnaryEncoding",
    "VectorEstimate",
    "VectorMean",
    "choose_frequency_protocol",
    "compare_models",
    "mean_variances",
    "survey",
]
