"""SessionSettings: what a client has SET, of Privet's own words and of those that drivers expect."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from privet.errors import InvalidParameter
from privet.loss.exact import exact
from privet.server.postgres.sqlstates import BAD_SETTING, NO_SETTING, TOO_LARGE, Refusal
from privet.wording.nearest import nearest

VERSION = "15.0 (Privet)"
OWN = "privet."
ON, OFF = ("on", "true", "yes", "1", "t"), ("off", "false", "no", "0", "f")
MOST, LONGEST_NAME, LONGEST_VALUE = 200, 63, 2_000
NUMBERS = ("epsilon", "delta", "rho", "confidence")  # passed on as they are written, so that 0.1 is a tenth
COUNTS = ("rows", "rows_per_unit", "groups_per_unit", "rows_per_group")
TEXTS = ("error", "purpose", "key", "risk", "bounding", "automatic_bounds", "clipping", "interval")
SWITCHES = {"intervals": "on", "fresh": "off", "quantile_intervals": "off"}
AUTO = "auto"
DIGITS = 10  # of a whole number, at most
WORDS: Mapping[str, str] = {
    **dict.fromkeys((*NUMBERS, *COUNTS, *TEXTS), ""),
    **SWITCHES,
}
REPORTED: Mapping[str, str] = {  # told when a connection begins, and whenever they change
    "server_version": VERSION,
    "server_encoding": "UTF8",
    "client_encoding": "UTF8",
    "application_name": "",
    "DateStyle": "ISO, MDY",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "integer_datetimes": "on",
    "standard_conforming_strings": "on",
    "is_superuser": "off",
    "session_authorization": "",
    "default_transaction_read_only": "on",
    "in_hot_standby": "off",
}
KNOWN: Mapping[str, str] = {name.lower(): value for name, value in REPORTED.items()} | {
    "search_path": '"$user", public',
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "client_min_messages": "notice",
    "transaction_isolation": "read committed",
    "transaction_read_only": "on",
    "default_transaction_isolation": "read committed",
    "default_transaction_deferrable": "off",
    "server_version_num": "150000",
    "max_identifier_length": "63",
    "max_index_keys": "32",
    "lc_collate": "C",
    "lc_ctype": "C",
    "lc_messages": "C",
    "lc_monetary": "C",
    "lc_numeric": "C",
    "lc_time": "C",
    "jit": "off",
    "row_security": "off",
    "synchronous_commit": "on",
    "xmloption": "content",
    "default_text_search_config": "pg_catalog.simple",
    "standard_conforming_strings": "on",
    "escape_string_warning": "on",
    "backslash_quote": "safe_encoding",
    "block_size": "8192",
    "ssl": "off",
    "wal_level": "minimal",
    "default_tablespace": "",
}
FIXED = {
    "server_version",
    "server_version_num",
    "server_encoding",
    "integer_datetimes",
    "is_superuser",
    "session_authorization",
    "in_hot_standby",
    "max_identifier_length",
    "block_size",
    "ssl",
    "role",
}
ONLY: Mapping[str, tuple[str, ...]] = {  # what is written the same whatever is asked for
    "client_encoding": ("utf8", "utf-8", "unicode", "sql_ascii", "default"),
    "standard_conforming_strings": ON,
    "intervalstyle": ("postgres", "default"),
    "bytea_output": ("hex", "default"),
}
QUIET = ("warning", "error", "fatal", "panic", "log")
CASED = {name.lower(): name for name in REPORTED}


@dataclass
class SessionSettings:
    """The settings of one connection.

    Args:
        said: by name in small letters, what was SET.
        defaults: what RESET goes back to, beside what holds for everybody.
    """

    said: dict[str, str] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)

    def copy(self) -> dict[str, str]:
        """What was said, to come back to."""
        return dict(self.said)

    def show(self, name: str) -> str:
        """The value of a setting."""
        low = name.lower()
        if low in self.said or low in self.defaults:
            return self.said.get(low, self.defaults.get(low, ""))
        if low.startswith(OWN) and low.removeprefix(OWN) in WORDS:
            return WORDS[low.removeprefix(OWN)]
        if low not in KNOWN:
            raise Refusal(
                f"there is no setting {name[:LONGEST_NAME]!r}{nearest(low, [*KNOWN, *own_names()])}", NO_SETTING
            )
        return KNOWN[low]

    def set(self, name: str, value: str) -> None:
        """Change a setting, if its value means something."""
        low = name.lower()
        if len(low) > LONGEST_NAME or len(value) > LONGEST_VALUE or len(self.said) >= MOST:
            raise Refusal(f"a setting has at most {LONGEST_VALUE:,} letters, and a connection {MOST}", TOO_LARGE)
        if low.startswith(OWN):
            self.said[low] = own_value(low.removeprefix(OWN), value)
            return
        if low in FIXED:
            raise Refusal(f"{low} cannot be changed", "55P02")
        if low in ONLY and value.strip("'\" ").lower() not in ONLY[low]:
            raise Refusal(f"{low} can only be {ONLY[low][0]} here", BAD_SETTING, f"leave {low} out")
        if low == "datestyle" and not value.upper().replace('"', "").startswith(
            ("ISO", "DEFAULT", "MDY", "DMY", "YMD")
        ):
            raise Refusal("dates are written as ISO writes them", BAD_SETTING, "SET datestyle = ISO")
        if low in ("datestyle", *ONLY):
            return  # what is told of them stays true
        self.said[low] = value

    def reset(self, name: str) -> None:
        """Go back to what holds if nothing is said."""
        self.show(name)
        self.said.pop(name.lower(), None)

    def every(self) -> list[tuple[str, str]]:
        """All settings with their values."""
        names = sorted({*KNOWN, *own_names(), *self.said})
        return [(CASED.get(name, name), self.show(name)) for name in names]

    def switched(self, word: str) -> bool:
        """Whether one of Privet's switches is on."""
        return self.show(f"{OWN}{word}") == "on"

    @property
    def quiet(self) -> bool:
        """Whether the client wants no notices."""
        return self.show("client_min_messages").lower() in QUIET

    @property
    def asked(self) -> dict[str, Any]:
        """The keywords of a question that were said."""
        found: dict[str, Any] = {}
        for word in (*NUMBERS, *COUNTS, *TEXTS):
            if value := self.show(f"{OWN}{word}"):
                whole = word in COUNTS and value != AUTO
                found[word] = float(exact(value, word)) if word == "confidence" else int(value) if whole else value
        if self.switched("quantile_intervals"):
            found["quantile_intervals"] = True
        return found


def own_names() -> list[str]:
    """The names of Privet's own settings."""
    return [f"{OWN}{word}" for word in WORDS]


def own_value(word: str, value: str) -> str:
    """The value of one of Privet's settings, as it is kept; "" takes it back."""
    if word not in WORDS:
        raise Refusal(f"there is no setting privet.{word[:LONGEST_NAME]}{nearest(word, WORDS)}", NO_SETTING)
    said = value.strip()
    if word in SWITCHES:
        if said.lower() not in (*ON, *OFF):
            raise Refusal(f"privet.{word} is on or off", BAD_SETTING)
        return "on" if said.lower() in ON else "off"
    if word in COUNTS and said not in ("", AUTO) and not (said.isascii() and said.isdecimal() and len(said) < DIGITS):
        raise Refusal(f"privet.{word} is a whole number", BAD_SETTING, f"SET privet.{word} = 3")
    if word in NUMBERS and said:
        try:
            number = exact(said, f"privet.{word}")
        except InvalidParameter as problem:
            raise Refusal(str(problem), BAD_SETTING, f"SET privet.{word} = '0.1'") from None
        if number < 0 or (word == "confidence" and not 0 < number < 1):
            raise Refusal(f"privet.{word} is out of its range", BAD_SETTING, f"SET privet.{word} = '0.1'")
    return said
