"""The demonstration behind `privet demo` and `make run`: an invented hospital, asked in SQL.

May import: every room below.
Never touches: real data.
"""

from privet.demo.demonstration import run

__all__ = ["run"]
