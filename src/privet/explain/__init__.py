"""Explain: what privacy means and costs: pictures, and in `theorems/` the theorems of the field beside each other.

May import: errors, wording, display, loss, core, mechanisms, postprocessing.
Never touches: data. Nothing is charged by a formula from here.
"""

from privet.display import Chart

__all__ = ["Chart"]
