"""The device side for browsers and Node, as an ES module without dependencies: `MODULE` is where it is."""

from pathlib import Path

MODULE = Path(__file__).with_name("privet_local.js")

__all__ = ["MODULE"]
