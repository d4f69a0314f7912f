"""Statistics that count rows by cell: histograms, hierarchies, shares."""
