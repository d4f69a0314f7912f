"""Wording: what people read: released numbers with their margins, and what somebody may have meant."""
