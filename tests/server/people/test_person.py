"""Names: what looks like one name is one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import InvalidParameter
from privet.server.people.person import SCOPES, Person, Role, TokenScope, folded, named


@pytest.mark.parametrize(
    "name", ["ada", "Ada Lovelace", "ada@example.org", "O'Brien-Smith", "Ærø", "Жанна", "山田", "a1_2.3"]
)
def test_names_of_people_are_names(name: str) -> None:
    assert named(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", " ada", "ada ", "a" * 65, "ada\n", "a\0b", "a\u200bb", "\u202eada", "\ud800"),
        *("ａｄａ", "ﬁn", "adа", "раypal", "a\u0301da", "ada\u00ad", "\u00a0ada", "ada\tb"),
    ],
)
def test_names_that_are_empty_or_could_be_taken_for_others_are_refused(name: str) -> None:
    with pytest.raises(InvalidParameter):
        named(name)


@pytest.mark.parametrize("pair", [("Ada", "ada"), ("STRASSE", "straße"), ("ΣΊΣΥΦΟΣ", "Σίσυφος"), ("K", "\u212a")])
def test_upper_and_lower_case_are_one(pair: tuple[str, str]) -> None:
    assert folded(pair[0]) == folded(pair[1])


@settings(max_examples=30)
@given(st.text(max_size=20))
def test_what_is_folded_stays_so(name: str) -> None:
    assert folded(folded(name)) == folded(name)


def test_roles_may_what_they_may() -> None:
    assert SCOPES[Role.ANALYST] == {TokenScope.ASK, TokenScope.READ}
    assert not SCOPES[Role.AUDITOR] & {TokenScope.ASK, TokenScope.OWN}
    assert Person("ada").scopes == SCOPES[Role.ANALYST]
