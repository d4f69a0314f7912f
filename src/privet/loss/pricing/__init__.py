"""Pricing: how delta and epsilon of a composition are computed, rounded against us."""
