"""Remembered: the last ones, up to a size."""

from privet.server.desk.remembered import Remembered


def test_what_was_not_used_for_longest_is_forgotten() -> None:
    kept: Remembered[str] = Remembered(10)
    for name in "abc":
        kept.put(name, name, 3)
    assert kept.get("a") == "a"
    kept.put("d", "d", 3)
    assert [kept.get(name) for name in "abcd"] == ["a", None, "c", "d"]
    kept.put("a", "larger", 10)
    assert [kept.get(name) for name in "acd"] == ["larger", None, None]
    kept.put("e", "too large", 11)
    assert kept.get("e") is None
    assert kept.get("a") == "larger"
    kept.put("a", "small", 1)
    kept.put("f", "fits beside it", 9)
    assert (kept.get("a"), kept.get("f")) == ("small", "fits beside it")
    kept.clear()
    assert kept.get("a") is None
