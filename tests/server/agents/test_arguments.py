import pytest

from privet.errors import InvalidParameter
from privet.server.agents.arguments import Arguments, tool_called
from privet.server.agents.tools import LONGEST_PURPOSE, LONGEST_SQL, MOST_ERRORS, TOOLS

ASK = {"sql": "SELECT COUNT(*) FROM visit", "purpose": "a test"}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"epsilom": 1}, "did you mean epsilon?"),
        ({"analyst": "somebody else"}, "does not take the argument 'analyst'"),
        ({"key": "mine"}, "does not take the argument 'key'"),
        ({"fresh": True}, "does not take the argument 'fresh'"),
        ({"\x1b[2J" * 99: 1}, "does not take the argument"),
        ({"sql": 5}, "sql must be a text, got 5"),
        ({"sql": ["SELECT"] * 10**5}, "sql must be a text, got a list"),
        ({"sql": "x" * (LONGEST_SQL + 1)}, "sql must have at most 20,000 letters, got 20,001"),
        ({"sql": "\ud800"}, "half of a letter"),
        ({"sql": None}, "ask needs sql"),
        ({"purpose": None}, "ask needs purpose"),
        ({"purpose": " "}, "purpose must say in words"),
        ({"purpose": "x" * (LONGEST_PURPOSE + 1)}, "at most 500 letters"),
        ({"purpose": "approve\nthis"}, "one line of letters that can be seen"),
        ({"purpose": "\u202eapproved"}, "one line of letters that can be seen"),
        ({"epsilon": True}, 'epsilon must be a number, or a text such as "0.5", got True'),
        ({"epsilon": 10**100}, "epsilon must be a number of at most 64 digits"),
        ({"epsilon": "1" * 65}, "epsilon must have at most 64 letters"),
        ({"epsilon": {"n": 1}}, "epsilon must be a number"),
        ({"error": {f"c{n}": 1 for n in range(MOST_ERRORS + 1)}}, "at most 50 columns, got 51"),
        ({"error": {"n": [1]}}, "error must be a number"),
        ({"error": {"n" * 201: 1}}, "the name of a column in error must have at most 200 letters"),
        ({"rows": 0}, "rows must be a whole number >= 1, got 0"),
        ({"from_row": -1}, "from_row must be a whole number >= 0"),
        ({"from_row": 0.5}, "from_row must be a whole number >= 0"),
    ],
)
def test_what_a_tool_does_not_take_is_refused(said: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidParameter, match=r".") as refused:
        Arguments.of(TOOLS["ask"], {**ASK, **said})
    assert words in str(refused.value)
    assert len(str(refused.value)) < 500
    assert str(refused.value).isprintable()


def test_what_is_said_is_kept_exactly() -> None:
    said = Arguments.of(TOOLS["ask"], {**ASK, "epsilon": "0.1", "delta": 1e-7, "from_row": 5, "error": None})
    assert said == Arguments(ASK["sql"], {"epsilon": "0.1", "delta": 1e-7}, "a test", from_row=5)
    errors = Arguments.of(TOOLS["price"], {"sql": "S", "error": {"n": 5, "pay": "2% of 400"}, "rows": 10})
    assert errors.keywords == {"error": {"n": 5, "pay": "2% of 400"}, "rows": 10}


def test_a_tool_that_is_none_is_named_safely() -> None:
    with pytest.raises(InvalidParameter, match=r"there is no tool '\\x1b\[31mx") as refused:
        tool_called("\x1b[31m" + "x" * 10**6)
    assert len(str(refused.value)) < 300
    assert tool_called("ask") is TOOLS["ask"]


def test_schemas_name_what_is_read_and_no_more() -> None:
    for tool in TOOLS.values():
        assert tool.schema["additionalProperties"] is False
        assert set(tool.required) <= tool.schema["properties"].keys()
    assert [tool.name for tool in TOOLS.values() if tool.spends] == ["ask"]
