"""Text templates: finding, cutting out, exchanging and padding. The rules are those of `functions/text_parts.py`."""

from collections.abc import Mapping
from types import MappingProxyType

from privet.query.functions.patterns import pattern_of, sizes
from privet.query.functions.texts import longest_joined
from privet.query.printing.dialect import Dialect, Template
from privet.query.printing.template_arguments import number_of, word_of
from privet.query.scalars.expressions import Call, facts_of

LONGEST = (1 << 31) - 1


def cut_where_longer(dialect: Dialect, call: Call, text: str, old: int, new: int) -> str:
    """What came of a text in which pieces of `old` letters became `new` letters: cut if that could be too long."""
    known = facts_of(call.arguments[0]).longest
    most = longest_joined(call.arguments[:1])
    if new <= old or (known is not None and known + known // old * (new - old) <= most):
        return text
    return dialect.first_letters(text, most)


def replaced(word: str) -> Template:
    """REPLACE, by the engine's name for it."""

    def template(dialect: Dialect, call: Call, texts: list[str]) -> str:
        sizes = [len(word_of(call.arguments[place])) for place in (1, 2)]
        return cut_where_longer(dialect, call, f"{word}({', '.join(texts)})", *sizes)

    return template


def numbered(word: str) -> Template:
    """A function whose second or third argument is a literal whole number, which engines want plain."""

    def template(_: Dialect, call: Call, texts: list[str]) -> str:
        places = [number_of(argument) for argument in call.arguments]
        plain = [text if place is None else str(min(place, LONGEST)) for text, place in zip(texts, places, strict=True)]
        return f"{word}({', '.join(plain)})"

    return template


def pattern(dialect: Dialect, call: Call, *, end: str = "$") -> str:
    """The pattern of a call as the engine writes it, with how it writes the very end of a text."""
    group = number_of(call.arguments[2]) if len(call.arguments) > 2 else 0  # noqa: PLR2004 - a text, a pattern, a group
    return dialect.quoted(pattern_of(call.arguments[1]).printed(end=end, group=group or 0))


def _matches(dialect: Dialect, call: Call, texts: list[str]) -> str:
    return f"REGEXP_MATCHES({texts[0]}, {pattern(dialect, call)})"


def _extract(dialect: Dialect, call: Call, texts: list[str]) -> str:
    return f"REGEXP_EXTRACT({texts[0]}, {pattern(dialect, call)}, {number_of(call.arguments[2])})"


def replace_all(dialect: Dialect, call: Call, texts: list[str]) -> str:
    """Every piece, in DuckDB's words and PostgreSQL's."""
    text = f"REGEXP_REPLACE({texts[0]}, {pattern(dialect, call)}, {texts[2]}, 'g')"
    return cut_where_longer(dialect, call, text, *sizes(call.arguments))


TEXT_TEMPLATES: Mapping[str, Template] = MappingProxyType(
    {
        "position": lambda _, __, texts: f"INSTR({texts[0]}, {texts[1]})",
        "split_part": numbered("SPLIT_PART"),
        "replace": replaced("REPLACE"),
        "lpad": numbered("LPAD"),
        "rpad": numbered("RPAD"),
        "right": numbered("RIGHT"),
        "trim": lambda _, __, texts: f"TRIM({', '.join(texts)})",
        "ltrim": lambda _, __, texts: f"LTRIM({', '.join(texts)})",
        "rtrim": lambda _, __, texts: f"RTRIM({', '.join(texts)})",
        "regexp_matches": _matches,
        "regexp_extract": _extract,
        "regexp_replace": replace_all,
        # DuckDB's own keeps letters together that are shown as one
        "reverse": lambda _, __, texts: f"ARRAY_TO_STRING(LIST_REVERSE(STRING_SPLIT({texts[0]}, '')), '')",
    }
)
