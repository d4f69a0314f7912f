"""What somebody may have meant: the nearest known word, or all of them."""

import pytest

from privet.wording.nearest import nearest

WORDS = ["epsilon", "delta", "rho"]


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        ("epsilom", WORDS, ": did you mean epsilon?"),
        ("EPSILON", WORDS, ": did you mean epsilon?"),
        ("dleta", WORDS, ": did you mean delta?"),
        ("budget", WORDS, ": known are delta, epsilon, rho"),
        ("anything", [], ": there is none"),
    ],
)
def test_the_nearest_word_is_named(word: str, known: list[str], said: str) -> None:
    assert nearest(word, known) == said
