import pytest

from privet.local import choose_frequency_protocol

TABLE = {  # average variance of the best at a share of 1/k, by exact formulas
    (2, 0.5): ("KaryResponse", 3.918),
    (2, 5): ("KaryResponse", 0.00683),
    (4, 1): ("KaryResponse", 1.889),
    (4, 0.5): ("SubsetSelection", 9.19),
    (8, 1): ("SubsetSelection", 2.717),
    (8, 2): ("KaryResponse", 0.4454),
    (16, 1): ("SubsetSelection", 3.186),
    (32, 3): ("SubsetSelection", 0.1812),
    (64, 4): ("KaryResponse", 0.05866),
    (128, 1): ("SubsetSelection", 3.618),
    (128, 5): ("KaryResponse", 0.01931),
    (256, 5): ("SubsetSelection", 0.02338),
    (1024, 3): ("SubsetSelection", 0.2192),
}


@pytest.mark.parametrize(("case", "best"), TABLE.items())
def test_the_most_accurate_is_that_of_the_reference(case: tuple[int, float], best: tuple[str, float]) -> None:
    ranked = choose_frequency_protocol(*case).candidates
    assert ranked[0].name == best[0]
    assert ranked[0].variance == pytest.approx(best[1], rel=1e-3)


def test_short_reports_are_taken_where_they_cost_next_to_nothing() -> None:
    choice = choose_frequency_protocol(1024, 3, n=100_000)
    assert type(choice.protocol).__name__ == "ProjectiveGeometryResponse"
    assert choice.protocol.payload_bytes == 2
    own = next(each for each in choice.candidates if each.protocol is choice.protocol)
    assert own.variance <= 1.05 * choice.candidates[0].variance
    assert "within 5%" in choice.why
    assert "with 1 byte instead of 16" in choose_frequency_protocol(128, 1).why
    assert "100,000 reports" in choice.why


def test_sets_are_told_by_two_numbers_instead_of_a_bit_for_each_value() -> None:
    choice = choose_frequency_protocol(128, 3)
    assert type(choice.protocol).__name__ == "AffineResponse"
    assert choice.protocol.payload_bytes == 2
    assert choice.protocol.variance(1 / 128) <= 1.003 * choice.candidates[0].variance


@pytest.mark.parametrize(("size", "epsilon"), [(10**5, 1), (10**6, 4), (1 << 21, 8)])
def test_very_many_values(size: int, epsilon: float) -> None:
    choice = choose_frequency_protocol(size, epsilon)
    assert choice.protocol.payload_bytes < 20
    assert repr(choice) == choice.why


def test_labels_are_kept() -> None:
    assert choose_frequency_protocol(["a", "b", "c"], 2).protocol.categories.labels == ("a", "b", "c")
