"""Statistics that are sums over rows: counts, means, variances."""
