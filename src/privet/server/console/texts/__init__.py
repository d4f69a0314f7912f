"""Texts: what the console says, one file for each language; another language is one more file."""

from privet.server.console.texts.texts import Texts

__all__ = ["Texts"]
