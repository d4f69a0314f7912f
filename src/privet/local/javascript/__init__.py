"""The device side for browsers and Node, as ES modules without dependencies.

`MODULE` makes reports; `DEVICE` keeps consent, budget and log, and sends, as `privet.local.device.Device` does.
"""

from pathlib import Path

MODULE = Path(__file__).with_name("privet_local.js")
DEVICE = Path(__file__).with_name("privet_device.js")

__all__ = ["DEVICE", "MODULE"]
