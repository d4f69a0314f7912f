"""Divergences: how far apart two distributions are, for finite ones and by quadrature."""
