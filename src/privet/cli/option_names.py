"""Option names: sentences of the library, whose keywords are options at the command line."""

import re

OPTIONS = (
    *("epsilon", "delta", "rho", "gamma", "analyst", "key", "purpose", "confidence", "rows_per_unit"),
    *("groups_per_unit", "rows_per_group", "bounding", "automatic_bounds", "memory", "threads", "anchor"),
    *("risk", "error", "rows", "clipping", "quantile_intervals"),
)
PLAIN_TOO = ("epsilon", "delta", "rho", "gamma", *(name for name in OPTIONS if "_" in name))  # no other words are these
GIVEN = re.compile(rf"(?<![\w.-])({'|'.join(OPTIONS)})=(?=\S)")  # as in Python: delta=1e-6
IN_QUOTES = re.compile(r'("[^"]*=[^"]*")')  # what is to be typed as it is: --claim "epsilon=1"
NAMED = re.compile(
    rf"(?<![\w.\"'-])({'|'.join(PLAIN_TOO)})(?![\w\"'])(?! =)"
)  # "epsilon must be > 0"; no word of a catalog
FIRST = re.compile(
    rf"(^|: |, or | or |leave out | and )({'|'.join(OPTIONS)})(?=$|,| and | must | finds )"
)  # "key must be …", ", or error"
QUOTED = re.compile(r"(--[a-z-]+ )'([\w.+-]+)'")  # Python's quotes around what was typed
NOTHING = re.compile(r"(?:,? ?--[a-z-]+ None\b)+")  # what was not said
TYPES = {  # what only Python knows
    ' (an int, a float, a Decimal, a Fraction or text such as "0.1" or "1/3")': " such as 0.1 or 1/3",
    " a Risk or a text": " a text",
    "pass params={…}, a mapping of names to values, or a list for ?": "write :name there, and pass --param name=value",
    "it has no value; params has ": "it has no value; --param has ",
}


def with_options(sentence: str, *, keywords_only: bool = False) -> str:
    """A sentence with options in the place of Python's keywords.

    Args:
        sentence: what the library says.
        keywords_only: change `delta=1e-6` and leave the word `delta` alone, which may be a column's.

    Example:
        >>> with_options("which are shown needs a delta: pass delta=1e-6 or so")
        'which are shown needs a --delta: pass --delta 1e-6 or so'
        >>> with_options("hospital.toml: threads must be a whole number >= 1, got 0", keywords_only=True)
        'hospital.toml: --threads must be a whole number >= 1, got 0'
        >>> with_options('write --claim "epsilon=1, delta=1e-6"')
        'write --claim "epsilon=1, delta=1e-6"'
        >>> with_options("say what to spend: epsilon or rho; got epsilon=None, rho=None")
        'say what to spend: --epsilon or --rho'
        >>> with_options("automatic_bounds must be below 1; limit.epsilon and limit = { epsilon = … } are of catalogs")
        '--automatic-bounds must be below 1; limit.epsilon and limit = { epsilon = … } are of catalogs'
    """
    told = "".join(
        part if part.startswith('"') else GIVEN.sub(lambda found: f"{_option(found[1])} ", part)
        for part in IN_QUOTES.split(sentence)
    )
    told = FIRST.sub(
        lambda found: found[1] + (found[2] if _of_catalogs(found[2], sentence) else _option(found[2])), told
    )
    for python, typed in TYPES.items():
        told = told.replace(python, typed)
    if not keywords_only:
        told = "".join(
            part if part.startswith('"') else NAMED.sub(lambda found: _option(found[1]), part)
            for part in IN_QUOTES.split(told)
        )
    return QUOTED.sub(r"\1\2", NOTHING.sub("", told).removesuffix("; got"))


def _of_catalogs(name: str, sentence: str) -> bool:
    """Whether a catalog has this word too, and is what the sentence is about."""
    return ".toml: " in sentence and name not in {"memory", "threads"}


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
