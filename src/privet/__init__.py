"""Privet: let others learn from data about people without exposing anyone."""

from privet.loss import Guarantee, Neighbors, PrivacyLoss

__all__ = ["Guarantee", "Neighbors", "PrivacyLoss"]
