"""Scalars: values of one row, and what is publicly known about them. They import no other layer of `query/`."""
