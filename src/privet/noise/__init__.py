"""Exact noise, fast: the only room that draws random bits."""

from privet.noise.entropy import BitSource, Entropy

__all__ = ["BitSource", "Entropy"]
