import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import HeavyHitters
from privet.noise import BitSource


@pytest.mark.whole
def test_the_most_frequent_of_a_thousand_are_found(source: BitSource) -> None:
    """60,000 devices, Zipf 1.5, ε = 4, where the reference finds at least 93 % of the first eight."""
    letters = "abcdefgh"
    names = ["".join(letters[number * 1367 // 8**place % 8] for place in range(4)) for number in range(1_000)]
    shares = np.arange(1.0, 1001.0) ** -1.5
    counts = np.floor(shares / shares.sum() * 60_000).astype(int)
    hitters = HeavyHitters(epsilon=4, length=4, step=2, alphabet=letters)
    found = hitters.find(hitters.privatize(np.repeat(names, counts), entropy=source), most=32, confidence=0.9999)
    assert set(names[:6]) <= set(found.names)
    assert set(found.names) <= set(names), "nothing that nobody has"
    low, high = found.interval(simultaneous=True)
    truth = np.array([counts[names.index(name)] / counts.sum() for name in found.names])
    assert ((low <= truth) & (truth <= high)).all()
    assert len(found.names) == found.table.num_rows


def test_all_bytes_are_tried_where_no_alphabet_is_given(source: BitSource) -> None:
    hitters = HeavyHitters(epsilon=6, length=4, step=1)
    found = hitters.find(hitters.privatize(["ü!"] * 3_000 + ["a"] * 3_000 + ["bcdefg"] * 3_000, entropy=source))
    assert set(found.names) == {"ü!", "a", "bcde"}


def test_nothing_is_found_where_all_are_different(source: BitSource) -> None:
    hitters = HeavyHitters(epsilon=1, length=2, alphabet="abcdefgh")
    texts = [f"{one}{other}" for one in "abcdefgh" for other in "abcdefgh"] * 5
    assert hitters.find(hitters.privatize(texts, entropy=source)).names == ()


def test_reports_have_one_length_and_come_back(source: BitSource) -> None:
    hitters = HeavyHitters(epsilon=1, length=8)
    reports = hitters.privatize(["a", "long text of many letters"] * 50, entropy=source)
    rows = hitters.encode(reports)
    assert rows.shape == (100, hitters.payload_bytes)
    assert np.array_equal(hitters.decode([bytes(row) for row in rows]), reports)
    assert len(hitters.report("x", entropy=source)) == hitters.payload_bytes
    assert hitters.epsilon <= 1
    for forged in (b"\xff" * hitters.payload_bytes, b""):
        with pytest.raises(InvalidParameter):
            hitters.find([forged])


@pytest.mark.parametrize(
    "words",
    [
        {"length": 3, "step": 2},
        {"length": 0},
        {"length": 4, "step": 3},
        {"length": 4, "alphabet": "aa"},
        {"length": 4, "alphabet": "ü"},
        {"length": 4, "alphabet": "a\0"},
    ],
)
def test_what_cannot_be_searched_is_refused(words: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter):
        HeavyHitters(epsilon=1, **words)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "forged", [[[1, 2], [3]], [], None, [b""], [None], np.zeros((2, 5), np.uint8), [[0, 2**70, 0]]]
)
def test_forged_reports_are_refused(forged: object) -> None:
    hitters = HeavyHitters(epsilon=4, length=2)
    with pytest.raises(InvalidParameter):
        hitters.find(forged)
    with pytest.raises(InvalidParameter, match="rows of 10 bytes"):
        hitters.decode(np.zeros((2, 5), np.uint8))
