import json

import pytest

from privet import errors
from privet.query.remote.problems import KINDS, OTHER, Kind, error_of, kind_of, problem_of


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_an_error_comes_back_with_its_sentence(kind: Kind) -> None:
    error = kind.error("the budget: put the ledger back")
    again = error_of(json.loads(json.dumps(problem_of(error))))
    assert (type(again), str(again)) == (type(error), str(error))


def test_every_error_has_a_kind() -> None:
    named = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.PrivetError)]
    assert {kind_of(each).error for each in named} == set(named)
    assert len({kind.name for kind in KINDS}) == len(KINDS)


def test_what_is_not_known_is_the_root() -> None:
    assert type(error_of({"type": "about:blank", "detail": "no"})) is errors.PrivetError
    assert kind_of(errors.PrivetError) is OTHER
