"""The currency: one immutable privacy loss from which every notion of privacy is read."""
