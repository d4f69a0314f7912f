"""One language is one file: every text that a page says is in it, and nothing else is."""

import re

from privet.server.console.pages import FOLDER
from privet.server.console.texts import Texts
from privet.server.console.texts.texts import FOLDER as TEXTS

SAID = re.compile(r"""\bt(?:\.plain)?\(\s*f?["']([a-z]+\.[a-z0-9_]+)["'{]""")
NAMED = re.compile(r"""["']([a-z]+\.[a-z0-9_]+)["']""")
MADE = (
    "type.",
    "role.",
    "nav.",
    "tip.",
    "epsilon.say_",
    "setup.",
    "invite.",
    "help.",
    "error.",
    "owner.cat_",
    "price.use_",
    "tables.",
)


def sources() -> str:
    files = [*FOLDER.rglob("*.py"), *FOLDER.rglob("*.html")]
    return "\n".join(each.read_text(encoding="utf-8") for each in files)


def test_every_text_that_is_said_is_there_and_every_text_is_said() -> None:
    names = Texts("en").names
    said = set(SAID.findall(sources()))
    assert said <= names | {each for each in said if any(name.startswith(each) for name in names)}
    assert len(said) > 150
    quoted = set(NAMED.findall(sources()))
    assert {each for each in names - said - quoted if not each.startswith(MADE)} == set()


def test_every_language_has_the_same_names_and_blanks() -> None:
    english = Texts("en")
    for file in TEXTS.glob("*.toml"):
        assert Texts(file.stem).names == english.names, file.name


def test_no_template_has_words_of_its_own() -> None:
    words = re.compile(r">\s*([A-Z][a-z]+ [a-z]+[^<{]*)<")
    found = {each.name: words.findall(each.read_text(encoding="utf-8")) for each in (FOLDER / "templates").iterdir()}
    assert {name: each for name, each in found.items() if each} == {}
