"""The theorems of the field by name, for teaching and comparison; what Privet charges is `PrivacyLoss`."""
