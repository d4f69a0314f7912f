"""The demonstration behind `privet demo` and `make run`: an invented hospital, asked in SQL."""

from privet.demo.demonstration import run

__all__ = ["run"]
