"""Audit: attacks and testers: what a mechanism, a function or a model reveals at least, however it was made.

`test` runs anything on two neighboring inputs and looks for an event that one of them makes likelier; what it finds is
a `Finding`.

May import: errors, wording, loss, noise, display, core, mechanisms.
Never touches: real data, ledgers.
"""

from privet.audit.bounds import lower_epsilon
from privet.audit.finding import Finding
from privet.audit.test import test

__all__ = ["Finding", "lower_epsilon", "test"]
