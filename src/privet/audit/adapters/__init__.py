"""Adapters: mechanisms of other libraries, run as they are used, and taken at their word.

None of those libraries is imported: what a thing is is read off what it can do. `privet.audit.test` knows OpenDP's
measurements and diffprivlib's mechanisms as they come; `fitted` runs anything that is fitted as in scikit-learn,
`optimizer_step` an optimizer of Opacus, and functions need no adapter.

Example:
    >>> class Geometric:  # as diffprivlib's mechanisms are
    ...     epsilon, delta = 1.0, 0.0
    ...     def randomise(self, value):
    ...         return value + 1
    >>> from privet.audit import adapters
    >>> adapters.adapted(Geometric()).claim
    (ε=1)-DP
"""

from privet.audit.adapters.adapted import Adapted
from privet.audit.adapters.diffprivlib import randomiser
from privet.audit.adapters.opacus import optimizer_step
from privet.audit.adapters.opendp import measurement
from privet.audit.adapters.recognised import adapted
from privet.audit.adapters.scikit_learn import fitted

__all__ = ["Adapted", "adapted", "fitted", "measurement", "optimizer_step", "randomiser"]
