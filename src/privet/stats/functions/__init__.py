"""Any function: released as a whole, or with a sampled, smoothed or aggregated sensitivity."""
