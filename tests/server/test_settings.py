import re
from dataclasses import fields
from pathlib import Path

import pytest

from privet.errors import InvalidParameter
from privet.server.settings import Settings

FILE = """
catalog = "hospital.toml"
public_address = "https://Privet.example.org"
answer_after = [0.5, 2]
allowed_hosts = ["stats.example.org"]
repeats = false
"""


def test_a_file_is_read_and_flags_win(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text(FILE)
    read = Settings.read(file, port=9000, repeats=None, catalog=Path("other.toml"))
    assert (read.catalog, read.port, read.repeats) == (Path("other.toml"), 9000, False)
    assert Settings.read(file).catalog == tmp_path / "hospital.toml", "paths are relative to the file"
    assert list(read.answer_after or ()) == [0.5, 2]
    assert read.address == "https://Privet.example.org"
    assert read.hosts == {"localhost", "127.0.0.1", "::1", "stats.example.org", "privet.example.org"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("prot = 1", "did you mean port"),
        ("port = true", "port must be a whole number, got True"),
        ("port = 99999", "between 0 and 65535"),
        ("repeats = 1", "repeats must be true or false, got 1"),
        ("answer_after = [2, 1]", "seconds that grow"),
        ("answer_after = [nan]", "seconds that grow"),
        ("seconds_to_read = inf", "at least 1"),
        ("allowed_hosts = ['*']", "without ports and stars"),
        ("public_address = 'https://a.org/path?x'", "such as https://privet.example.org"),
        ("certificate = 'a.pem'", "go together"),
        ("host = '0.0.0.0'", "needs TLS"),
        ("[tls]\nx = 1", "unknown word 'tls'"),
        ("port = ", "is no TOML"),
    ],
)
def test_what_means_nothing_is_refused_in_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "server.toml"
    file.write_text(text)
    with pytest.raises(InvalidParameter, match=sentence) as refusal:
        Settings.read(file)
    assert str(refusal.value).startswith(str(file))


def test_other_machines_are_listened_to_with_tls_or_behind_a_proxy() -> None:
    assert Settings(host="0.0.0.0", behind_proxy=True).address == "http://0.0.0.0:8443"  # noqa: S104 - what is tested
    assert Settings(host="::", dev=True).address == "https://[::]:8443"


def test_every_setting_is_on_the_page_and_every_word_there_is_one() -> None:
    page = (Path(__file__).parents[2] / "docs" / "server" / "operate.md").read_text(encoding="utf-8")
    settings = page.partition("## systemd")[0]
    told = set(re.findall(r"^([a-z_]+) = |`([a-z_]+)`(?=[^|]*\|[^|]*\|[^|]*\|$)", settings, re.MULTILINE))
    words = {first or second for first, second in told} - {"privet"}
    assert words == {each.name for each in fields(Settings)}
