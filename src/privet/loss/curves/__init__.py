"""Curves: what is known about each kind of mechanism, one family a file."""
