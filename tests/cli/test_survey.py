"""`privet survey` and `privet collect`, as people type them."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from privet.cli import app
from privet.server.collect import collector_config, open_collector
from privet.server.collector.store import Kept
from tests.support.collecting import NO, YES, message


def typed(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def test_a_survey_is_made_answered_shown_and_closed(tmp_path: Path) -> None:
    store, picture = str(tmp_path / "survey.db"), tmp_path / "code.svg"
    made = typed(
        *("survey", "new", "Have you ever copied in an exam?", "--design", "forced", "--epsilon", "1.1"),
        *("--store", store, "--qr", str(picture), "--address", "https://survey.example/"),
    )
    assert made.exit_code == 0, made.output
    link = re.search(r"take part {3}https://survey\.example/survey/([0-9a-f]{32})\n", made.output)
    assert link is not None
    assert "ε=1.1000" in made.output
    assert "█" in made.output or "▀" in made.output, "a code for phones"
    assert ET.parse(picture).getroot().tag.endswith("svg")  # noqa: S314 - our own
    name = link[1]
    assert "too few answers" in typed("survey", "result", name[:6], "--store", store).output
    collector = open_collector(store)
    facts = collector.entries[0].collection
    collector.store.keep([Kept.of(message(facts, value)) for value in [YES] * 30 + [NO] * 70])
    assert "100 answers" in typed("survey", "result", name, "--store", store).output
    closed = typed("survey", "close", name[:8], "--store", store)
    assert re.search(r"yes: \d+\.\d%, from \d+\.\d% to \d+\.\d% \(95 %\)", closed.output)
    assert typed("survey", "close", name, "--store", store).exit_code == 1
    assert f"{name}  closed" in typed("survey", "list", "--store", store).output
    assert typed("survey", "delete", name, "--store", store).exit_code == 0
    assert f"{name}  deleted" in typed("survey", "list", "--store", store).output


def test_the_classroom_needs_no_question(tmp_path: Path) -> None:
    store = str(tmp_path / "survey.db")
    made = typed("survey", "new", "--design", "classroom", "--language", "de", "--store", store)
    assert "in einer Prüfung abgeschrieben" in made.output
    assert "ε=1.0986" in made.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("new", "Ever?", "--design", "forsed"), "did you mean"),
        (("new", "Ever?", "--epsilon", "1"), "real coins have ε = ln 3"),
        (("new", ""), "1 to 4,000 letters"),
        (("new", "Ever?", "--language", "fr"), "en or de"),
        (("result", "00"), "no survey whose id begins so"),
    ],
)
def test_mistakes_are_one_sentence(words: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    done = typed("survey", *words, "--store", str(tmp_path / "survey.db"))
    assert done.exit_code == 1
    assert sentence in done.output
    assert done.output.count("\n") == 1


def test_tokens_are_made_where_the_reports_are(tmp_path: Path) -> None:
    store = str(tmp_path / "survey.db")
    made = typed("collect", store, "--token", "read")
    assert made.output.startswith("privet_collect_")
    assert typed("collect", store, "--token", "all").exit_code == 1
    config = collector_config(open_collector(store), host="127.0.0.1", port=0, rate=None)
    assert (config.access_log, config.server_header, config.date_header, config.proxy_headers) == (False,) * 4
