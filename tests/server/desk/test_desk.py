"""The desk: what it asks, what it brings back, and for whom."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from privet.errors import InvalidParameter, KeyReused, NotAllowed, QueryRefused
from privet.query.results.answer import Answer
from privet.server.desk import Asked, AskedBatch, Asker, Desk
from privet.server.people import Role, TokenScope
from tests.support.desks import a_desk
from tests.support.desks_on_disk import comer, desk_in
from tests.support.slow_catalogs import of_many_people

COUNT = "SELECT COUNT(*) AS n FROM patient"
MEAN = "SELECT AVG(age) AS mean FROM patient"


@pytest.fixture
def desk() -> Iterator[Desk]:
    with a_desk() as opened:
        yield opened


def spent(desk: Desk, asker: Asker) -> Fraction | float:
    return desk.budget(asker).spent.epsilon


def test_an_equal_question_of_the_same_analyst_is_free(desk: Desk) -> None:
    ada, bob = comer(desk, "ada"), comer(desk, "bob")
    first = desk.ask(ada, COUNT, epsilon=1)
    again = desk.ask(ada, "SELECT COUNT(*) AS n\n FROM patient;", epsilon="1.0")
    other = desk.ask(bob, COUNT, epsilon=1)
    assert (again.repeated, again.number, again.answer.rows) == (True, first.number, first.answer.rows)
    assert (other.repeated, other.number != first.number) == (False, True)
    assert spent(desk, ada) == spent(desk, bob) == 1
    assert desk.ask(ada, COUNT, epsilon=1).remaining == first.remaining.less(other.answer.spent)


def test_whatever_is_said_otherwise_makes_another_question(desk: Desk) -> None:
    ada = comer(desk, "ada")
    desk.ask(ada, COUNT, epsilon=1)
    for changed in (
        {"epsilon": 2},
        {"epsilon": 1, "confidence": 0.9},
        {"epsilon": 1, "purpose": "a report"},
        {"epsilon": 1, "rows_per_unit": 2},
        {"epsilon": 1, "weights": {"n": 2}},
    ):
        assert not desk.ask(ada, COUNT, **changed).repeated, changed


def test_spaces_in_texts_and_comments_are_words() -> None:
    with a_desk() as desk:
        ada = comer(desk, "ada")
        one = desk.ask(ada, "SELECT COUNT(*) AS n FROM patient WHERE town = 'a  b'", epsilon=1)
        assert not desk.ask(ada, "SELECT COUNT(*) AS n FROM patient WHERE town = 'a b'", epsilon=1).repeated
        assert desk.ask(ada, "SELECT COUNT(*) AS n FROM patient WHERE town = 'a  b' ;", epsilon=1).number == one.number


def test_fresh_asks_anew_and_is_what_later_ones_find(desk: Desk) -> None:
    ada = comer(desk, "ada")
    first = desk.ask(ada, COUNT, epsilon=1)
    second = desk.ask(ada, COUNT, epsilon=1, fresh=True)
    assert (second.repeated, second.number != first.number, spent(desk, ada)) == (False, True, 2)
    desk._answers.clear()
    assert desk.ask(ada, COUNT, epsilon=1).number == second.number
    assert desk.stored(ada, first.number).repeated


def test_the_owner_turns_repeats_off() -> None:
    with a_desk(repeats=False) as desk:
        ada = comer(desk, "ada")
        numbers = {desk.ask(ada, COUNT, epsilon=1).number for _ in range(2)}
        assert (len(numbers), spent(desk, ada)) == (2, 2)
        keyed = [desk.ask(ada, COUNT, epsilon=1, key="k") for _ in range(2)]
        assert ([each.repeated for each in keyed], spent(desk, ada)) == ([False, True], 3)


def test_a_key_belongs_to_one_question_and_its_answer_is_found_without_it(desk: Desk) -> None:
    ada, bob = comer(desk, "ada"), comer(desk, "bob")
    first = desk.ask(ada, COUNT, epsilon=1, key="k")
    desk._answers.clear()
    assert desk.ask(ada, COUNT, epsilon=1, key="k").number == first.number
    assert desk.ask(ada, COUNT, epsilon=1).number == first.number
    assert desk.ask(ada, COUNT, epsilon=1, key="another").number == first.number
    assert spent(desk, ada) == 1
    for key in ("k", "another"):
        with pytest.raises(KeyReused, match="another question"):
            desk.ask(ada, MEAN, epsilon=1, key=key)
    assert not desk.ask(bob, MEAN, epsilon=1, key="k").repeated  # everybody has keys of their own
    assert spent(desk, ada) == 1


def test_a_key_of_a_refused_question_is_free_again(desk: Desk) -> None:
    ada = comer(desk, "ada")
    with pytest.raises(QueryRefused):
        desk.ask(ada, "SELECT nothing FROM patient", epsilon=1, key="k")
    assert not desk.ask(ada, COUNT, epsilon=1, key="k").repeated
    assert [each.text for each in desk.history(ada)] == [COUNT]


def test_keys_that_are_none_are_refused(desk: Desk) -> None:
    for key in ("", " ", "a\nb", "\ud800", "k" * 201, 7):
        with pytest.raises(InvalidParameter, match="key must be a text"):
            desk.ask(comer(desk, "ada"), COUNT, epsilon=1, key=key)  # type: ignore[arg-type]


def test_a_batch_is_paid_for_once(desk: Desk) -> None:
    ada = comer(desk, "ada")
    first = desk.batch(ada, {"n": COUNT, "m": MEAN}, epsilon=1)
    again = desk.batch(ada, {"n": f" {COUNT} ", "m": MEAN}, epsilon=1)
    assert (again.repeated, again.number, again.answers["n"].rows) == (True, first.number, first.answers["n"].rows)
    assert not desk.batch(ada, [COUNT, MEAN], epsilon=1).repeated
    kept = desk.stored(ada, first.number)
    assert isinstance(kept, AskedBatch)
    assert (kept.texts, kept.answers["m"].rows) == ((COUNT, MEAN), first.answers["m"].rows)
    with pytest.raises(InvalidParameter, match="a batch is a list"):
        desk.batch(ada, COUNT, epsilon=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="one SELECT"):
        desk.ask(ada, [COUNT], epsilon=1)  # type: ignore[arg-type]


def test_answers_outlive_the_process_and_cost_nothing_then(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        ada = comer(desk, "ada")
        first = desk.ask(ada, COUNT, epsilon=1, purpose="a report")
        version = desk.version
    with desk_in(tmp_path) as desk:
        ada = comer(desk, "ada")
        again = desk.ask(ada, COUNT, epsilon=1, purpose="a report")
        kept = desk.stored(ada, first.number)
        assert isinstance(kept, Asked)
        assert (again.repeated, again.number, again.at, desk.version) == (True, first.number, first.at, version)
        assert (kept.text, kept.purpose, kept.answer.rows) == (COUNT, "a report", first.answer.rows)
        assert [(each.number, each.state) for each in desk.history(ada)] == [(first.number, "answered")]
        assert spent(desk, ada) == 1


def test_nobody_sees_what_others_asked_or_whether_they_did(desk: Desk) -> None:
    ada, bob = comer(desk, "ada"), comer(desk, "bob")
    number = desk.ask(ada, COUNT, epsilon=1, key="k").number
    said = set()
    for guess in (number, "0" * 32, number.upper(), number[:-1], "", "\ud800", "' OR 1=1 --", f"{number}\n"):
        with pytest.raises(NotAllowed) as refused:
            desk.stored(bob, guess)
        said.add(str(refused.value))
        assert not desk.cancel(bob, guess)
    assert len(said) == 1
    assert desk.history(bob) == ()
    assert desk.stored(ada, number).number == number


def test_numbers_cannot_be_computed_without_the_installations_secret() -> None:
    numbers = []
    for _ in range(2):
        with a_desk() as desk:
            numbers.append(desk.ask(comer(desk, "ada"), COUNT, epsilon=1, key="k").number)
    assert numbers[0] != numbers[1]


def test_public_questions_cost_nothing_and_can_be_opened_again(tmp_path: Path) -> None:
    with desk_in(tmp_path, of_many_people(tmp_path, people=10)) as desk:
        ada = comer(desk, "ada")
        desk.people.change("ada", needs_approval=True)
        asked = desk.ask(ada, "SELECT SUM(beds) AS beds FROM clinic", epsilon=1)
        desk._answers.clear()
        kept = desk.stored(ada, asked.number)
        assert isinstance(kept, Asked)
        assert asked.answer.rows == kept.answer.rows == [{"beds": 30}]
        assert spent(desk, ada) == 0


@pytest.mark.parametrize("scopes", [frozenset(), frozenset({TokenScope.READ}), frozenset({TokenScope.OWN})])
def test_who_may_only_look_spends_nothing(desk: Desk, scopes: frozenset[TokenScope]) -> None:
    person = desk.people.add("ada")
    asker = Asker(person, scopes, "http")
    for act in (
        lambda: desk.ask(asker, COUNT, epsilon=1),
        lambda: desk.batch(asker, [COUNT], epsilon=1),
        lambda: desk.request(asker, COUNT, epsilon=1),
        lambda: desk.owner(asker),
    ):
        with pytest.raises(NotAllowed):
            act()
    if TokenScope.READ in scopes:
        assert desk.tables(asker)
        assert desk.history(asker) == ()
    else:
        for look in (desk.tables, desk.budget, desk.history, desk.running, desk.requests):
            with pytest.raises(NotAllowed):
                look(asker)
    assert spent(desk, comer(desk, "ada")) == 0


def test_a_token_gives_no_more_than_its_person_may(desk: Desk) -> None:
    auditor = desk.people.add("audrey", role=Role.AUDITOR)
    with pytest.raises(NotAllowed):
        desk.ask(Asker(auditor, frozenset(TokenScope), "http"), COUNT, epsilon=1)
    closed = desk.people.add("carl")
    desk.people.deactivate("carl")
    with pytest.raises(NotAllowed):
        desk.tables(Asker(desk.people.named("carl") or closed, frozenset(TokenScope), "http"))


def test_explanations_do_not_name_files(desk: Desk) -> None:
    ada = comer(desk, "ada")
    one = desk.explain(ada, COUNT, epsilon=1)
    several = desk.explain(ada, [COUNT, MEAN], epsilon=1)
    assert one.queries == ()
    assert set(several.queries) == {""}
    assert spent(desk, ada) == 0


def test_long_statements_are_refused_before_anything_is_done_with_them() -> None:
    with a_desk(largest_statement=100) as desk:
        ada = comer(desk, "ada")
        long = f"{COUNT} -- {'x' * 100}"
        half = f"{COUNT} -- {'x' * 20}"
        for act in (
            lambda: desk.ask(ada, long, epsilon=1),
            lambda: desk.batch(ada, [half, half], epsilon=1),
            lambda: desk.explain(ada, long, epsilon=1),
            lambda: desk.request(ada, long, epsilon=1),
        ):
            with pytest.raises(InvalidParameter, match="at most 100 letters"):
                act()
        assert not desk.ask(ada, half, epsilon=1).repeated


def test_an_answer_is_the_sessions_own(desk: Desk) -> None:
    asked = desk.ask(comer(desk, "ada"), MEAN, epsilon=50)
    assert isinstance(asked.answer, Answer)
    assert abs(asked.answer.rows[0]["mean"] - 44) < 2
    assert asked.purpose == MEAN
