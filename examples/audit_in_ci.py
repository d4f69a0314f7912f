"""A check for your own repository: audits every mechanism that is listed, and ends with 1 if one breaks its claim.

List what you have in AUDITS: a function (or a mechanism of Privet, OpenDP or diffprivlib), two neighboring inputs or
the domain to look for them in, and what is claimed. Inputs are invented: an audit is not a release.
"""

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privet import audit
from privet.mechanisms import DiscreteLaplace, Gaussian
from privet.noise import BitSource


def noisy_count(rows: Sequence[int], source: BitSource, count: int) -> NDArray[np.int64]:
    """Put your own function here. This one counts rows, so often at once as the audit asks."""
    return np.asarray(DiscreteLaplace(1, 1).sample([len(rows)] * count, source), dtype=np.int64)


AUDITS: list[dict[str, object]] = [
    {"subject": noisy_count, "pair": ([1, 1], [1, 1, 1]), "claim": "epsilon=1"},
    {"subject": Gaussian(1, 2), "pair": (0.0, 1.0), "claim": "mu=0.5"},
]


def main() -> int:
    """Run them all, and say what was found."""
    broken = 0
    for each in AUDITS:
        found = audit.test(**each, trials=50_000, stop_early=True)  # type: ignore[arg-type] # words of a table
        print(found, end="\n\n")
        broken += found.violated
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
