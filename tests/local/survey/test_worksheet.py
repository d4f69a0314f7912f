from privet.local.survey import TwoCoins, Warner
from privet.noise import BitSource


def test_two_yes_of_five_tell_three_and_seven_tenths(source: BitSource) -> None:
    """The exercise: a share of 0.4 yes gives 0.3 for yes and 0.7 for no."""
    found = TwoCoins().estimate(yes=2, answers=5)
    assert (found.value, found.no) == (0.3, 0.7)
    sheet = TwoCoins().worksheet(source=source)
    assert len(sheet.rows) == 5
    assert repr(sheet).splitlines()[0].split() == ["truth", "answer"]
    assert len(repr(sheet).splitlines()) == 7
    assert "told to" in sheet._repr_html_()


def test_answers_follow_what_each_person_was_told(source: BitSource) -> None:
    sheet = Warner("0.75").worksheet([1] * 40, source=source)
    assert {(words, answer) for _, words, answer in sheet.rows} == {
        ("answer truthfully", True),
        ("answer the opposite of the truth", False),
    }
    assert sheet.estimate.yes == sum(answer for *_, answer in sheet.rows)
