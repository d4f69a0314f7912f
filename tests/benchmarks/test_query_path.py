"""The path of one question can be counted."""

import pytest
from query_path import main, room


def test_the_path_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    words = capsys.readouterr().out.split()
    assert words[1::2][:2] == ["files,", "rooms,"]
    assert int(words[0]) > int(words[2]) > 1


def test_folders_of_query_are_rooms() -> None:
    files = ("query/session.py", "query/sql/parsing.py", "core/journals/sql.py", "errors.py")
    assert [room(path) for path in files] == ["query", "query/sql", "core", "errors.py"]
