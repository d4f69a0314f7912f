"""Option names: sentences of the library, whose keywords are options at the command line."""

import re

OPTIONS = (
    *("epsilon", "delta", "rho", "gamma", "analyst", "key", "purpose", "confidence", "rows_per_unit"),
    *("groups_per_unit", "rows_per_group", "bounding", "automatic_bounds", "memory", "threads", "anchor"),
)
PLAIN_TOO = ("epsilon", "delta", "rho", "gamma", *(name for name in OPTIONS if "_" in name))  # no other words are these
GIVEN = re.compile(rf"(?<![\w.-])({'|'.join(OPTIONS)})=(?=\S)")  # as in Python: delta=1e-6
NAMED = re.compile(
    rf"(?<![\w.\"'-])({'|'.join(PLAIN_TOO)})(?![\w\"'])(?! =)"
)  # "epsilon must be > 0"; no word of a catalog
QUOTED = re.compile(r"(--[a-z-]+ )'([\w.+-]+)'")  # Python's quotes around what was typed
NOTHING = re.compile(r"(?:,? ?--[a-z-]+ None\b)+")  # what was not said


def with_options(sentence: str, *, keywords_only: bool = False) -> str:
    """A sentence with options in the place of Python's keywords.

    Args:
        sentence: what the library says.
        keywords_only: change `delta=1e-6` and leave the word `delta` alone, which may be a column's.

    Example:
        >>> with_options("which are shown needs a delta: pass delta=1e-6 or so")
        'which are shown needs a --delta: pass --delta 1e-6 or so'
        >>> with_options("say what to spend: epsilon or rho; got epsilon=None, rho=None")
        'say what to spend: --epsilon or --rho'
        >>> with_options("automatic_bounds must be below 1; limit.epsilon and limit = { epsilon = … } are of catalogs")
        '--automatic-bounds must be below 1; limit.epsilon and limit = { epsilon = … } are of catalogs'
    """
    told = GIVEN.sub(lambda found: f"{_option(found[1])} ", sentence)
    if not keywords_only:
        told = NAMED.sub(lambda found: _option(found[1]), told)
    return QUOTED.sub(r"\1\2", NOTHING.sub("", told).removesuffix("; got"))


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
