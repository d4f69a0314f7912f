"""Golden vectors: configurations, values, random bytes, and the reports that every language must make of them.

`python -m tests.local.javascript.vectors` writes them anew; only a new protocol or case is a reason to.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.local import (
    AffineResponse,
    BinaryResponse,
    HadamardResponse,
    KaryResponse,
    Protocol,
    SubsetSelection,
    UnaryEncoding,
    survey,
)
from privet.noise.for_tests import SeededEntropyForTests, seeded_entropy_for_tests

STORED = Path(__file__).parents[2] / "golden" / "local_reports.json"
PROTOCOLS: list[tuple[Protocol[Any], list[Any]]] = [
    (BinaryResponse(epsilon=1), [False, True]),
    (BinaryResponse(flip_zero="0.1", flip_one="0.3"), [False, True]),
    (KaryResponse(categories=5, epsilon=1), [0, 4]),
    (KaryResponse(categories=["no", "yes", "maybe", "ü"], epsilon="0.3"), ["no", "ü"]),
    (KaryResponse(categories=1000, epsilon=6), [0, 999]),
    (UnaryEncoding(categories=20, epsilon=1), [0, 19]),
    (UnaryEncoding(categories=9, epsilon=4), [3, 8]),
    (SubsetSelection(categories=16, epsilon=1), [0, 15]),
    (SubsetSelection(categories=["a", "b", "c"], epsilon="0.5"), ["a", "c"]),
    (AffineResponse(categories=["a", "b", "ü"], epsilon=3), ["a", "ü"]),
    (AffineResponse(categories=10, epsilon=1), [0, 9]),
    (AffineResponse(categories=4096, epsilon=1), [0, 4095]),
    (HadamardResponse(categories=7, epsilon=1), [0, 6]),
    (HadamardResponse(categories=300, epsilon=2), [0, 299]),
]
DESIGNS = [
    survey.TwoCoins(),
    survey.Warner.calibrated(epsilon=1),
    survey.MirroredQuestion("2/3"),
    survey.ForcedResponse("2/3", yes="1/4"),
    survey.UnrelatedQuestion("2/3", prevalence="1/3"),
    survey.Disguised("0.7", "0.1"),
    survey.Crosswise("0.25"),
]
EACH = 12


class Recorded:
    """A source that remembers what it gave."""

    def __init__(self, source: SeededEntropyForTests) -> None:
        self.source = source
        self.given = b""

    def words(self, count: int) -> NDArray[np.uint64]:
        words = self.source.words(count)
        self.given += words.astype("<u8").tobytes()
        return words


def vectors() -> Iterator[dict[str, Any]]:
    """All of them, from Python."""
    for place, (protocol, values) in enumerate(PROTOCOLS):
        for turn in range(EACH):
            for value in values:
                source = Recorded(seeded_entropy_for_tests(1000 * place + turn))
                report = protocol.report(value, entropy=source)
                yield {"config": protocol.config, "value": value, "random": source.given.hex(), "report": report.hex()}
    for place, design in enumerate(DESIGNS):
        for turn in range(EACH):
            source = Recorded(seeded_entropy_for_tests(50_000 + 1000 * place + turn))
            told = int(design.instruct(1, source=source)[0])
            says = list(design.instructions[told].says)
            yield {"config": design.config, "random": source.given.hex(), "instruction": told, "answers": says}


def text() -> str:
    """As they are stored: one a line."""
    return "[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in vectors()) + "\n]\n"


if __name__ == "__main__":
    STORED.write_text(text(), encoding="utf-8")
