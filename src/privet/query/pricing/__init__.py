"""Pricing: mechanisms for every number of a plan, and one composed price. Nothing is read, and nothing charged."""
