"""Engines: one file each behind one small interface."""
