"""A text is a text, in a notebook too."""

import pytest
import rich.console

from privet.query.results.on_lines import on_lines


def test_in_a_notebook_nothing_is_shown_by_the_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rich.console, "_is_jupyter", lambda: True)
    assert on_lines("40 ± 3   ") == "40 ± 3"
    assert capsys.readouterr().out == ""
