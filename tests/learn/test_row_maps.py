"""Public maps of rows: what they are, exact and the same wherever a row stands, and never longer than 1."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import correlate2d

from privet.learn import fourier_map, scattering, scattering_map
from privet.learn.features import Ball, Box
from privet.learn.fourier_map import FourierMap
from privet.learn.morlet_waves import averages, morlet_waves
from privet.learn.row_map import BITS, RowMap
from privet.learn.scattering import AGAIN_BITS, KEPT_BITS, LEVELS, WHOLE_BITS, Scattering
from privet.learn.scattering_map import ScatteringMap
from privet.learn.wave_answers import EXACT_BITS
from privet.learn.whole_numbers import waves_of

RANDOM = np.random.default_rng(11)
EVIL = (np.nan, np.inf, -np.inf, -0.0, 1e308, 5e-324)
MAPS: dict[str, RowMap] = {
    "fourier in a box": FourierMap(Box.of((0, 1), width=120), 120, 33, 0.7),
    "fourier in a ball": FourierMap(Ball(Fraction(3)), 120, 40, 9.0),
    "scattering": ScatteringMap(Box.of((0, 1), width=120), (10, 12, 1), 2, 4),
    "of colors": ScatteringMap(Box.of((0, 1), width=120), (8, 5, 3), 1, 3),
}


def rows_of(count: int) -> NDArray[np.float64]:
    """Rows of 120 numbers, some that are made to break, and some that are equally bright everywhere."""
    rows = RANDOM.uniform(-0.2, 1.2, size=(count, 120)) ** 3
    rows[RANDOM.random(rows.shape) < 0.05] = RANDOM.choice(EVIL)
    rows[0], rows[1], rows[2], rows[3] = 0.0, np.nan, np.inf, -1e308
    rows[4] = np.resize(EVIL, 120)
    rows[5, 1:] = 0.0
    return rows


@pytest.mark.parametrize("name", MAPS)
def test_mapped_rows_are_never_longer_than_declared(name: str) -> None:
    """In whole numbers, so without rounding."""
    mapped, rows = MAPS[name], rows_of(80)
    whole = mapped.whole(rows)
    assert whole.shape == (80, mapped.width)
    lengths = (whole.astype(np.int64) ** 2).sum(axis=1)
    assert lengths.max() <= 4**BITS
    assert lengths[10:].min() > 0.9 * 4**BITS  # they are not short either
    assert np.abs(whole).max() <= mapped.longest * 2**BITS
    assert (mapped.unit(whole) * 2**BITS == whole).all()


@pytest.mark.parametrize("name", MAPS)
def test_a_mapped_row_is_the_same_alone_and_among_others(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped, rows = MAPS[name], rows_of(70)
    alone = np.vstack([mapped.whole(rows[at : at + 1]) for at in range(70)])
    for block in (1 << 12, 32, 7):
        for module in (fourier_map, scattering, scattering_map):
            monkeypatch.setattr(module, "BLOCK", block)
        assert (mapped.whole(rows) == alone).all()
        assert (mapped.whole(rows[13:]) == alone[13:]).all()


@pytest.mark.parametrize("scales", [1, 2, 3])
def test_scattering_is_the_same_to_the_last_of_51_bits(scales: int) -> None:
    """Before it is rounded to 15 bits: an order of additions that mattered would be seen here."""
    transform = Scattering(14, 12, scales, 3)
    levels = RANDOM.integers(0, 256, size=(40, 168)).astype(np.uint8)
    (_, together), *_ = transform.of(levels)
    for at in range(40):
        for _, alone in transform.of(levels[at : at + 1]):
            assert (together[at] == alone[0]).all()
    assert together.max() < 2.0**WHOLE_BITS
    assert (together == np.rint(together)).all()


@pytest.mark.parametrize("scales", [2, 3])
def test_no_partial_sum_of_scattering_needs_more_bits_than_its_float_has(scales: int) -> None:
    """The worst image for each wave; and the answers to it are the same in whole numbers of 64 bits."""
    transform = Scattering(20, 20, scales, 8)
    for each in transform._first:
        assert LEVELS * np.abs(each.bands).sum(axis=0).max() <= 2**EXACT_BITS
    for each in transform._second.values():
        assert 2**AGAIN_BITS * np.abs(each.bands).sum(axis=0).max() <= 2**EXACT_BITS
    for down, right in transform._hills:
        assert 2**KEPT_BITS * down.sum(axis=1).max() * right.sum(axis=1).max() <= 2.0**WHOLE_BITS
    bands, column = transform._first[0].bands, 37
    worst = np.where(bands[:, column] > 0, np.float32(LEVELS), np.float32(0))
    assert (worst @ bands == (worst.astype(np.int64) @ bands.astype(np.int64))).all()


def test_scattering_is_what_its_definition_says() -> None:
    """Against complex waves in float64, one correlation after the other, on mirrored images."""
    side, angles, scales = 16, 4, 2
    image = RANDOM.integers(0, 256, size=(side, side)).astype(np.float64)
    ((_, found),) = Scattering(side, side, scales, angles).of(image.astype(np.uint8).reshape(1, -1))

    def answers(picture: NDArray[np.float64], octave: int) -> list[NDArray[np.float64]]:
        parts = morlet_waves(angles, octave, 1 << 20).astype(np.float64)
        parts /= np.abs(parts).sum(axis=(1, 2)).max()
        reach = parts.shape[1] // 2
        wide = np.pad(picture, reach, mode="reflect")
        waves = [np.abs(correlate2d(wide, parts[at] + 1j * parts[angles + at], mode="valid")) for at in range(angles)]
        return [each[:: 2**octave, :: 2**octave] for each in waves]

    def averaged(picture: NDArray[np.float64], scale: int) -> NDArray[np.float64]:
        apart = 2 ** (scales - scale)
        hill = averages(len(picture), apart, 0.4 * apart, 1 << 30) / 2**30
        return np.asarray(hill @ picture @ hill.T).ravel()

    first = [answers(image / 256, octave) for octave in range(scales)]
    expected = [averaged(image / 256, 0), *(averaged(each, 0) for each in first[0])]
    expected += [averaged(each, 1) for each in first[1]]
    expected += [averaged(again, 1) * 2 for each in first[0] for again in answers(each, 1)]
    far = np.abs(found[0] * 2.0**-WHOLE_BITS - expected).max(axis=1)
    assert far[:9].max() < 2e-4 < 0.003 * np.mean(expected[1:9])
    assert far[9:].max() < 1e-3 < 0.03 * np.mean(expected[9:])


def test_products_of_fourier_rows_are_near_the_kernel() -> None:
    mapped = FourierMap(Box.of((-1, 1), width=5), 5, 4096, 0.8)
    rows = RANDOM.uniform(-1, 1, size=(30, 5))
    waves = mapped.unit(mapped.whole(rows))
    kernel = np.exp(-0.8 * ((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    assert np.abs(waves @ waves.T - kernel).max() < 6 / math.sqrt(4096)


def test_turns_are_exact() -> None:
    mapped = FourierMap(Box.of((-1, 1), width=60), 60, 9, 300.0)
    unit = mapped.columns.unit(RANDOM.uniform(-1.5, 1.5, size=(3, 60)))
    turns = unit @ mapped.frequencies
    for row, found in zip(unit, turns, strict=True):
        for wave, number in zip(mapped.frequencies.T, found, strict=True):
            assert sum(Fraction(x) * Fraction(w) for x, w in zip(row, wave, strict=True)) == Fraction(number)


def test_waves_are_near_cos_and_sin_and_the_same_in_any_place() -> None:
    turns = RANDOM.uniform(-9, 9, size=1000)
    found = waves_of(turns)
    assert all(np.abs(each).max() <= 1.0 for each in found)
    assert np.abs(found[0] - np.cos(2 * np.pi * (turns - np.rint(turns)))).max() < 2.0**-44
    assert np.abs(found[1] - np.sin(2 * np.pi * (turns - np.rint(turns)))).max() < 2.0**-44
    assert (np.hstack([waves_of(turns[at : at + 1]) for at in range(1000)]) == found).all()
