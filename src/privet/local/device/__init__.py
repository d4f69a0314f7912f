"""The device's side of a collector: what it accepts, what it has told, and when it sends; the only part that sends.

`Collection` is the public, signed description of what is collected; a collector's server reads the same class.
`Device` keeps consent, budgets and a log on the device; `Connection` posts reports, one a request.
"""

from privet.local.device.collection import Collection
from privet.local.device.connection import Connection
from privet.local.device.device import Device
from privet.local.device.report_message import ReportMessage
from privet.local.device.signature import SigningKey, verified

__all__ = ["Collection", "Connection", "Device", "ReportMessage", "SigningKey", "verified"]
