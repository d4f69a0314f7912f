"""What DP-Auditorium says of samples: run by `audit.py` where TensorFlow is, with its source on the path.

Its hockey-stick tester with its default network and training, and its histogram tester with 64 cells, each in both
directions; a mechanism is flagged if any of the four rejects it. Time is that of the hockey-stick tester alone.
"""

# ruff: noqa: ANN401 - things of another library

import json
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np

for unused in (
    "vizier",
    "vizier.service",
    "vizier.service.clients",
    "vizier.service.pyvizier",
    "tensorflow_probability",
):
    sys.modules[unused] = MagicMock()  # its generators of inputs and its Rényi tests need them, which are not used here

from dp_auditorium.configs import privacy_property, property_tester_config  # type: ignore[import-not-found] # noqa: E402
from dp_auditorium.testers import histogram_tester, hockey_stick_tester  # type: ignore[import-not-found] # noqa: E402

CELLS = 64


def main(folder: Path) -> None:
    """Judge all of them; a first one that does not count warms the library up."""
    said = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    samples = np.load(folder / "samples.npz")
    names = list(said["claims"])
    for place, name in enumerate([names[0], *names]):
        epsilon, delta = said["claims"][name]
        claim = privacy_property.ApproximateDp(epsilon=epsilon, delta=delta)
        pairs = [(samples[f"{name}/{one}"], samples[f"{name}/{1 - one}"]) for one in (0, 1)]
        start = time.perf_counter()
        flags = [_rejects(_hockey_stick(claim), *pair, said["alpha"]) for pair in pairs]
        seconds = time.perf_counter() - start
        if pairs[0][0].shape[1] == 1:
            both = np.concatenate(pairs[0])
            cells = _histogram(claim, float(both.min()), float(both.max()) + 1e-9)
            flags += [_rejects(cells, one.ravel(), other.ravel(), said["alpha"]) for one, other in pairs]
        if place:
            print(json.dumps({"name": name, "flagged": any(flags), "seconds": seconds}), flush=True)


def _rejects(tester: Any, one: Any, other: Any, alpha: float) -> bool:
    return bool(tester.reject_property(tester.estimate_lower_bound(one, other, alpha)))


def _hockey_stick(claim: Any) -> Any:
    config = property_tester_config.HockeyStickPropertyTesterConfig(
        training_config=hockey_stick_tester.make_default_hs_training_config(), approximate_dp=claim
    )
    return hockey_stick_tester.HockeyStickPropertyTester(config, hockey_stick_tester.make_default_hs_base_model())


def _histogram(claim: Any, low: float, high: float) -> Any:
    return histogram_tester.HistogramTester(
        property_tester_config.HistogramPropertyTesterConfig(
            test_discrete_mechanism=False, histogram_size=CELLS, min_value=low, max_value=high, approximate_dp=claim
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
