"""Commands: what changes a connection and asks nothing: SET, SHOW, BEGIN, COMMIT, ROLLBACK and their like."""

from dataclasses import dataclass, field

from privet.server.postgres.rows import Rows, rows_of_texts
from privet.server.postgres.session_settings import SessionSettings
from privet.server.postgres.sqlstates import ABORTED, NO_SAVEPOINT, NOT_SUPPORTED, SYNTAX, Refusal
from privet.server.postgres.words import Word, Written

IDLE, OPEN, FAILED = b"I", b"T", b"E"
ENDS = ("COMMIT", "END", "ROLLBACK", "ABORT")
ALONE = {"BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE"}
NAMES = ALONE | {"SET", "RESET", "SHOW", "DISCARD", "DEALLOCATE", "CLOSE", "UNLISTEN", "LISTEN"}
MOST_SAVEPOINTS = 100
OTHERWISE = ("CHARACTERISTICS", "TRANSACTION", "CONSTRAINTS", "ROLE", "AUTHORIZATION", "TIME", "NAMES")
NOBODY = (["NONE"], ["DEFAULT"])


@dataclass(frozen=True)
class Done:
    """A command is done: what to call it, and rows if it has some; a warning goes before both."""

    tag: str
    rows: Rows | None = None
    warning: tuple[str, str] | None = None


@dataclass
class Commands:
    """The state of one connection: its settings, and whether it is in a transaction.

    Args:
        settings: what was SET.

    Nothing is ever written to the data, so a transaction only groups what was SET: ROLLBACK takes it back.
    """

    settings: SessionSettings
    status: bytes = IDLE
    _before: dict[str, str] = field(default_factory=dict)
    _local: dict[str, str | None] = field(default_factory=dict)
    _savepoints: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def failed(self) -> None:
        """Something went wrong: a transaction waits for its ROLLBACK."""
        if self.status == OPEN:
            self.status = FAILED

    def refuse_in_failed(self, statement: Written) -> None:
        """In a transaction that failed, nothing but its end is done."""
        first = statement.words[0].upper
        if self.status == FAILED and first not in ENDS:
            raise Refusal("this transaction has failed: nothing is done before its end", ABORTED, "send ROLLBACK")

    def run(self, statement: Written) -> Done:  # noqa: PLR0911 - one return for each command
        """Do what a command says."""
        words = statement.words
        match words[0].upper:
            case "BEGIN" | "START":
                return self._begin(words)
            case "COMMIT" | "END":
                return self._ended(keep=self.status != FAILED)
            case "ROLLBACK" | "ABORT":
                return self._rolled_back(words)
            case "SAVEPOINT":
                return self._savepoint(_name(words, 1))
            case "RELEASE":
                return self._released(_name(words, 2 if _is(words, 1, "SAVEPOINT") else 1))
            case "SET":
                return self._set(words)
            case "RESET":
                return self._reset(words)
            case "SHOW":
                return self._show(words)
        tag = {"DISCARD": "DISCARD ALL", "CLOSE": "CLOSE CURSOR ALL", "DEALLOCATE": "DEALLOCATE ALL"}
        if words[0].upper == "DISCARD":
            self.settings.said.clear()
        return Done(tag.get(words[0].upper, words[0].upper))

    # --- transactions ---

    def _begin(self, words: tuple[Word, ...]) -> Done:
        tag = "START TRANSACTION" if words[0].upper == "START" else "BEGIN"
        if self.status != IDLE:
            return Done(tag, warning=("there is already a transaction in progress", "25001"))
        self.status = OPEN
        self._before = self.settings.copy()
        return Done(tag)

    def _ended(self, *, keep: bool) -> Done:
        tag = "COMMIT" if keep else "ROLLBACK"
        if self.status == IDLE:
            return Done(tag, warning=("there is no transaction in progress", "25P01"))
        if not keep:
            self.settings.said = dict(self._before)
        elif self._local:
            for name, value in self._local.items():
                if value is None:
                    self.settings.said.pop(name, None)
                else:
                    self.settings.said[name] = value
        self.status = IDLE
        self._local.clear()
        self._savepoints.clear()
        return Done(tag)

    def _rolled_back(self, words: tuple[Word, ...]) -> Done:
        place = next((place for place, word in enumerate(words) if word.upper == "TO"), None)
        if place is None:
            return self._ended(keep=False)
        name = _name(words, place + (2 if _is(words, place + 1, "SAVEPOINT") else 1))
        at = self._found(name)
        self.settings.said = dict(self._savepoints[at][1])
        del self._savepoints[at + 1 :]
        self.status = OPEN
        return Done("ROLLBACK")

    def _savepoint(self, name: str) -> Done:
        if self.status == IDLE:
            raise Refusal("SAVEPOINT is said within a transaction", "25P01", "send BEGIN first")
        if len(self._savepoints) >= MOST_SAVEPOINTS:
            raise Refusal(f"a transaction has at most {MOST_SAVEPOINTS} savepoints", "54000")
        self._savepoints.append((name, self.settings.copy()))
        return Done("SAVEPOINT")

    def _released(self, name: str) -> Done:
        del self._savepoints[self._found(name) :]
        return Done("RELEASE")

    def _found(self, name: str) -> int:
        for place in range(len(self._savepoints) - 1, -1, -1):
            if self._savepoints[place][0] == name:
                return place
        raise Refusal("there is no such savepoint", NO_SAVEPOINT)

    # --- settings ---

    def _set(self, words: tuple[Word, ...]) -> Done:
        place = 1
        local = _is(words, 1, "LOCAL")
        if local or _is(words, 1, "SESSION"):
            place = 2
        if self._set_otherwise(words, place):
            return Done("SET")
        name, place = _dotted(words, place)
        if not (_is(words, place, "=") or _is(words, place, "TO")) or place + 1 >= len(words):
            raise Refusal("SET is written as SET privet.epsilon = '0.1'", SYNTAX)
        low = name.lower()
        if local and self.status != IDLE:
            self._local.setdefault(low, self.settings.said.get(low))
        if len(words) == place + 2 and words[place + 1].upper == "DEFAULT":
            self.settings.reset(name)
        else:
            self.settings.set(name, _values(words[place + 1 :]))
        if not local:
            self._local.pop(low, None)
        return Done("SET")

    def _set_otherwise(self, words: tuple[Word, ...], place: int) -> bool:
        """What is SET in words of its own; whether it was that."""
        first = words[place].upper if place < len(words) else ""
        if first in ("ROLE", "AUTHORIZATION") and [each.upper for each in words[place + 1 :]] not in NOBODY:
            raise Refusal("nobody becomes somebody else here", "42501", "sign in with the other name")
        if first == "TIME" and _is(words, place + 1, "ZONE"):
            self.settings.set("timezone", _values(words[place + 2 :]))
        elif first == "NAMES":
            self.settings.set("client_encoding", _values(words[place + 1 :]) or "utf8")
        return first in OTHERWISE

    def _reset(self, words: tuple[Word, ...]) -> Done:
        if _is(words, 1, "ALL"):
            self.settings.said.clear()
        elif _is(words, 1, "SESSION") or _is(words, 1, "ROLE"):
            pass
        else:
            self.settings.reset(_dotted(words, 1)[0])
        return Done("RESET")

    def _show(self, words: tuple[Word, ...]) -> Done:
        if _is(words, 1, "ALL"):
            every = self.settings.every()
            texts = [[name for name, _ in every], [value for _, value in every], ["" for _ in every]]
            return Done("SHOW", rows_of_texts(("name", "setting", "description"), texts))
        said = " ".join(word.upper for word in words[1:])
        spelled = {"TRANSACTION ISOLATION LEVEL": "transaction_isolation", "TIME ZONE": "TimeZone"}
        name = spelled[said] if said in spelled else _dotted(words, 1)[0]
        return Done("SHOW", rows_of_texts((name,), [[self.settings.show(name)]]))


def _is(words: tuple[Word, ...], place: int, keyword: str) -> bool:
    return place < len(words) and words[place].upper == keyword


def _name(words: tuple[Word, ...], place: int) -> str:
    if place != len(words) - 1 or words[place].kind not in ("word", "name"):
        raise Refusal("one name is expected here", SYNTAX)
    return words[place].value[:63]


def _dotted(words: tuple[Word, ...], place: int) -> tuple[str, int]:
    """A name with dots in it, and the place behind it."""
    parts = []
    while place < len(words) and words[place].kind in ("word", "name"):
        parts.append(words[place].value)
        place += 1
        if not _is(words, place, "."):
            break
        place += 1
    if not parts:
        raise Refusal("the name of a setting is expected here", SYNTAX, "SHOW ALL lists them")
    return ".".join(parts), place


def _values(words: tuple[Word, ...]) -> str:
    """The value of a setting: a text, a number or names with commas."""
    if len(words) == 1:
        return words[0].value if words[0].kind != "word" else words[0].text
    if any(word.kind == "parameter" or word.text in "();" for word in words):
        raise Refusal("the value of a setting is a text or a number", NOT_SUPPORTED)
    shown = [", " if word.text == "," else word.value for word in words]
    return "".join(shown).strip()
