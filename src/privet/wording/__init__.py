"""Wording: what people read: what they may have meant, numbers with margins, texts that are safe on a screen.

May import: errors.
Never touches: data, prices.
"""
