"""Chance: what a network draws while rows pass, such as dropout, from seeds that no row has a say in."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

LARGEST = 1 << 62


@contextmanager
def drawn_from(seed: int) -> Iterator[None]:
    """Let torch draw from this seed meanwhile; afterwards the caller's draws go on where they were.

    Privacy: how often rows pass depends on the sample, and rows that fail make others pass again. Without this, what is
        drawn for others would change with it, and the state that the caller finds would tell.
    """
    before = torch.get_rng_state()
    torch.default_generator.manual_seed(seed % LARGEST)
    try:
        yield
    finally:
        torch.set_rng_state(before)


def seed_of_pass() -> int:
    """The seed that the present pass began with."""
    return torch.default_generator.initial_seed()
