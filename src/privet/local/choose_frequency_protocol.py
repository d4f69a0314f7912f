"""choose_frequency_protocol: the most accurate protocol for so many values at this ε."""

import math
from dataclasses import dataclass
from typing import Any

from privet.local.affine_response import MOST as MOST_AFFINE
from privet.local.affine_response import AffineResponse
from privet.local.categories import Categories
from privet.local.frequency_protocol import FrequencyProtocol
from privet.local.hadamard_response import HadamardResponse
from privet.local.kary_response import MOST as MOST_KARY
from privet.local.kary_response import KaryResponse
from privet.local.local_hashing import LocalHashing
from privet.local.projective_geometry_response import ProjectiveGeometryResponse
from privet.local.subset_selection import SubsetSelection
from privet.local.unary_encoding import UnaryEncoding
from privet.loss.exact import Exact, readable, whole

CLOSE = 1.05  # protocols whose variance is within 5 % of the best count as equally good: then the smallest report wins
LINE = 2  # dimensions of a space whose hyperplanes are single points
MOST_BITS = 4096  # values up to which a report may be a bit for each


@dataclass(frozen=True)
class Candidate:
    """A protocol that was considered.

    Args:
        protocol: the protocol.
        variance: of one report's part in a share, averaged over values that are all equally frequent.
    """

    protocol: FrequencyProtocol
    variance: float

    @property
    def name(self) -> str:
        """What it is called."""
        return type(self.protocol).__name__


@dataclass(frozen=True)
class Choice:
    """The protocol that was chosen, and why.

    Args:
        protocol: the protocol.
        candidates: all that were considered, the most accurate first.
        reports: how many there will be, if that was said.
    """

    protocol: FrequencyProtocol
    candidates: tuple[Candidate, ...]
    reports: int | None

    @property
    def why(self) -> str:
        """In a sentence or two."""
        best = self.candidates[0]
        own = next(each for each in self.candidates if each.protocol is self.protocol)
        size = f"{len(self.protocol.categories):,} values at ε={readable(self.protocol.epsilon)}"
        said = f"{own.name} for {size}: variance {own.variance:.4g} a report"
        if own is best:
            said += ", the smallest"
        else:
            size_of = self.protocol.payload_bytes
            bytes_of = f"{size_of:,} {'byte' if size_of == 1 else 'bytes'} instead of {best.protocol.payload_bytes:,}"
            said += f", within 5% of the smallest ({best.name}, {best.variance:.4g}), with {bytes_of}"
        others = ", ".join(f"{each.name} {each.variance:.4g}" for each in self.candidates if each is not own)
        return f"{said}; {others}." + self._error

    @property
    def _error(self) -> str:
        if self.reports is None:
            return ""
        own = next(each for each in self.candidates if each.protocol is self.protocol)
        return f" With {self.reports:,} reports a rare value's share has a standard error of {self._share(own):.2g}."

    def _share(self, own: Candidate) -> float:
        return math.sqrt(own.protocol.variance() / (self.reports or 1))

    def __repr__(self) -> str:
        return self.why


def choose_frequency_protocol(domain_size: Any, epsilon: Exact, n: int | None = None) -> Choice:  # noqa: ANN401 - a number or a list
    """Return the most accurate protocol, by its exact variance; of almost equal ones the one with the shortest reports.

    Args:
        domain_size: k, or the list of values; see `Categories`.
        epsilon: what a report may cost, from a millionth to 20.
        n: how many reports there will be, if the error shall be told. It does not change the choice.

    Nothing but the number of values and ε decides. Protocols whose variance is within 5 % of the best count as equally
    good. Reports of one bit for each value are not considered for more than 4,096 values.

    Example:
        >>> choose_frequency_protocol(8, 3).protocol
        KaryResponse(8 categories, ε=3)
        >>> print(choose_frequency_protocol(1024, 3, n=100_000).why.split(",")[1])
        024 values at ε=3: variance 0.2238 a report
    """
    known = Categories(domain_size)
    reports = None if n is None else whole(n, "n")
    share = 1 / len(known)
    ranked = sorted(
        (Candidate(protocol, protocol.variance(share)) for protocol in _considered(known, epsilon)),
        key=lambda each: (each.variance, each.protocol.payload_bytes),
    )
    good = [each for each in ranked if each.variance <= CLOSE * ranked[0].variance]
    return Choice(min(good, key=lambda each: each.protocol.payload_bytes).protocol, tuple(ranked), reports)


def _considered(known: Categories, epsilon: Exact) -> list[FrequencyProtocol]:
    """Local hashing comes last: where others are equally good, they need no reports kept and no passes over values."""
    found: list[FrequencyProtocol] = []
    if len(known) <= MOST_KARY:
        found.append(KaryResponse(known, epsilon))
    if len(known) <= MOST_AFFINE:
        maps = AffineResponse(known, epsilon)
        found += [maps] if maps.chosen > 1 else []  # so are maps with sets of one
    if len(known) <= MOST_BITS:
        sets = SubsetSelection(known, epsilon)
        found += [sets] if sets.chosen > 1 else []  # sets of one value are k-ary responses
        found.append(UnaryEncoding(known, epsilon))
    found.append(HadamardResponse(known, epsilon))
    points = ProjectiveGeometryResponse(known, epsilon)
    found += [points] if points.space.dimension > LINE else []  # on a line they are k-ary responses, too
    return [*found, LocalHashing(known, epsilon)]
