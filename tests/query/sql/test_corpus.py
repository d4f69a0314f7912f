"""The golden corpus: what is answered binds, what is refused is refused with its message, and nothing is read."""

import random
import re

import pytest

from privet.errors import QueryRefused
from privet.query.plan.statement import Aggregate
from privet.query.scalars.facts import Value
from privet.query.sql import read
from tests.golden.corpus import accepted, refused
from tests.support.hospital import HOSPITAL, by_day, public_values, row_level

ACCEPTED, REFUSED = accepted(), refused()
FREE = {"public_only", "public_rows", "literals", "values"}
TOKENS = re.compile(r"\s+|\w+|'[^']*'|\"[^\"]*\"|[^\w\s]")


def nothing(table: str, column: str) -> tuple[Value, ...]:
    raise AssertionError(f"{table}.{column} was read")


def test_the_corpus_is_large() -> None:
    assert len(ACCEPTED) >= 120
    assert len(REFUSED) >= 120


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str) -> None:
    statement = read(ACCEPTED[name], HOSPITAL, values=public_values)
    assert statement.stages[-1].name == "answer"
    paid = [stage for stage in statement.stages if isinstance(stage.source, Aggregate)]
    assert bool(paid) is (name not in FREE)


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    with pytest.raises(QueryRefused) as refusal:
        read(text, HOSPITAL, values=nothing)
    assert str(refusal.value) == REFUSED[text]


def test_whatever_is_written_is_read_or_refused() -> None:
    """n = 600 corrupted statements, the same in every run: never another exception."""
    choose = random.Random(7)  # noqa: S311 - a fixed list of texts
    pool = [*ACCEPTED.values(), *REFUSED]
    words = [word for text in pool for word in TOKENS.findall(text) if word.strip()]
    catalogs = [HOSPITAL, row_level(), by_day()]
    outcomes = {True: 0, False: 0}
    for turn in range(600):
        parts = TOKENS.findall(choose.choice(pool))
        place = choose.randrange(len(parts))
        parts[place : place + choose.randrange(2)] = [" ", choose.choice(words), " "]
        try:
            read("".join(parts), catalogs[turn % 3], values=public_values)
        except QueryRefused:
            outcomes[False] += 1
        else:
            outcomes[True] += 1
    assert min(outcomes.values()) > 10
