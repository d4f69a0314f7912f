"""Statistics that are chosen by rank: quantiles."""
