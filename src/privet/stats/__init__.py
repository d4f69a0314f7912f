"""Statistics of arrays and columns, and releases of whole functions."""
