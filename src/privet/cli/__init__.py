"""The command line: parses arguments, calls the rooms below, and prints errors as one sentence.

May import: every room below.
Never touches: formulas.
"""

from privet.cli.main import app

__all__ = ["app"]
