"""Privet: let others learn from data about people without exposing anyone."""
