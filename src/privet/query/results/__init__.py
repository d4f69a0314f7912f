"""Results: what a reader is given: answers, explanations, and the notes beside them."""
