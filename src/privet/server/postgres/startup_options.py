"""StartupOptions: what a client says of its settings in its first message."""

import re
from collections.abc import Iterator, Mapping

from privet.server.postgres.session_settings import SessionSettings
from privet.server.postgres.sqlstates import BAD_SETTING, Refusal

ELSEWHERE = {"user", "database", "replication", "options"}
WORD = re.compile(r"(?:\\.|\S)+", re.DOTALL)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def settings_of(said: Mapping[str, str]) -> SessionSettings:
    """The settings of a connection, as it begins: what RESET goes back to.

    Args:
        said: names and values of the first message; "options" holds some as -c name=value.

    Example:
        >>> settings_of({"user": "ada", "options": "-c privet.epsilon=0.1"}).show("privet.epsilon")
        '0.1'
    """
    settings = SessionSettings()
    given = [(name, value) for name, value in said.items() if name not in ELSEWHERE and not name.startswith("_pq_.")]
    try:
        for name, value in (*options_of(said.get("options", "")), *given):
            settings.set(name, value)
    except Refusal as problem:
        problem.fatal = True
        raise
    return SessionSettings(defaults=settings.said)


def options_of(text: str) -> Iterator[tuple[str, str]]:
    """The settings in a command line: -c name=value, -cname=value, --name=value."""
    words = [ESCAPED.sub(r"\1", word) for word in WORD.findall(text)]
    while words:
        word = words.pop(0)
        if word == "-c" and words:
            word = words.pop(0)
        elif word.startswith(("-c", "--")):
            word = word[2:]
        else:
            raise Refusal("of options only -c name=value is known", BAD_SETTING, fatal=True)
        name, same, value = word.partition("=")
        if not same:
            raise Refusal("an option is written as -c name=value", BAD_SETTING, fatal=True)
        yield name.replace("-", "_"), value
