"""The zoo: mechanisms that are broken in known ways, published or met in libraries, and right ones as controls.

Every specimen says what is wrong with it, what it claims, what it truly reveals, and which two inputs show it. Try an
auditor of your own on it: it must flag what is broken, and nothing else. `ledgered` holds computations that are broken
although all their noise goes through a ledger, which `privet.audit.replay` finds without chance.

Example:
    >>> from privet.audit import zoo
    >>> specimen = zoo.SPECIMENS["svt5"]
    >>> specimen.wrong, specimen.audit(trials=10_000).violated
    ('the answers have no noise', True)
"""

from collections.abc import Mapping
from types import MappingProxyType

from privet.audit.zoo import additive, ledgered, local, selection, sparse_vector
from privet.audit.zoo.specimen import Specimen

SPECIMENS: Mapping[str, Specimen] = MappingProxyType(
    {**additive.SPECIMENS, **selection.SPECIMENS, **sparse_vector.SPECIMENS, **local.SPECIMENS}
)
BROKEN = tuple(name for name, specimen in SPECIMENS.items() if specimen.broken)
CONTROLS = tuple(name for name, specimen in SPECIMENS.items() if not specimen.broken)

__all__ = ["BROKEN", "CONTROLS", "SPECIMENS", "Specimen", "ledgered"]
