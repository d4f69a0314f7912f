"""Words: a text of SQL as words and signs; what stands in quotes or comments stays together. Statements are cut here.

Nothing is decided here: whatever is cut wrongly is refused by whoever reads it.
"""

import re
from dataclasses import dataclass

from privet.server.postgres.sqlstates import SYNTAX, TOO_LARGE, Refusal

PIECE = re.compile(
    r"""
    (?P<space>\s+|--[^\n]*)
  | (?P<comment>/\*)
  | (?P<dollar>\$(?:[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)?\$)
  | (?P<parameter>\$\d+)
  | (?P<text>[eE]'(?:[^'\\]|\\.|'')*' | (?:[bBxXnN]|[uU]&)?'(?:[^']|'')*')
  | (?P<name>(?:[uU]&)?"(?:[^"]|"")*")
  | (?P<word>[^\W\d][\w$]*)
  | (?P<number>\d[\w.]*)
  | (?P<sign>::|:=|<=|>=|<>|!=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
COMMENT = re.compile(r"/\*|\*/")
MOST = 50_000  # words of one message
MOST_STATEMENTS = 1_000


@dataclass(frozen=True)
class Word:
    """A word, sign, text in quotes or number.

    Args:
        kind: word, name (in double quotes), text (in single ones), number, parameter or sign.
        text: as it is written.
        start: where it begins.
        end: where it ends.
    """

    kind: str
    text: str
    start: int
    end: int

    @property
    def upper(self) -> str:
        """A keyword, in capitals; signs and what is in quotes as they are."""
        return self.text.upper() if self.kind == "word" else self.text

    @property
    def value(self) -> str:
        """What a text, a name or a word says, without its quotes."""
        if self.kind == "name":
            return self.text[self.text.index('"') + 1 : -1].replace('""', '"')
        if self.kind == "text" and self.text.startswith("$"):
            tag = self.text.index("$", 1) + 1
            return self.text[tag:-tag]
        if self.kind == "text":
            return self.text[self.text.index("'") + 1 : -1].replace("''", "'")
        return self.text.lower() if self.kind == "word" else self.text


def words_of(text: str) -> list[Word]:
    """The words of a text, without spaces and comments.

    Example:
        >>> [word.text for word in words_of("SET a = 'b; c' -- d")]
        ['SET', 'a', '=', "'b; c'"]
    """
    found = []
    place = 0
    while place < len(text):
        piece = PIECE.match(text, place)
        if piece is None or piece.lastgroup is None:  # pragma: no cover - the last kind takes anything
            raise Refusal("this cannot be read as SQL", SYNTAX, place=place + 1)
        kind, end = piece.lastgroup, piece.end()
        if kind == "comment":
            end = _comment_end(text, place)
        elif kind == "dollar":
            end = text.find(piece[0], end) + len(piece[0])
            kind = "text"
            if end < piece.end():
                raise Refusal("a text in dollar quotes does not end", SYNTAX, place=place + 1)
        elif kind == "sign" and piece[0] in "'\"":
            raise Refusal("a quote is opened and never closed", SYNTAX, place=place + 1)
        if kind not in ("space", "comment"):
            found.append(Word(kind, text[place:end], place, end))
            if len(found) > MOST:
                raise Refusal(f"a message has at most {MOST:,} words", TOO_LARGE)
        place = end
    return found


def _comment_end(text: str, start: int) -> int:
    """Comments stand inside of one another."""
    depth = 0
    for sign in COMMENT.finditer(text, start):
        depth += 1 if sign[0] == "/*" else -1
        if depth == 0:
            return sign.end()
    raise Refusal("a comment does not end", SYNTAX, place=start + 1)


@dataclass(frozen=True)
class Written:
    """One statement: its text, and its words, whose places are those in the text."""

    text: str
    words: tuple[Word, ...]

    def is_(self, *keywords: str) -> bool:
        """Whether it begins with these."""
        return [word.upper for word in self.words[: len(keywords)]] == list(keywords)

    def after(self, place: int) -> str:
        """The text behind so many words."""
        return self.text[self.words[place].start :] if place < len(self.words) else ""


def written(text: str) -> list[Written]:
    """The statements of a text, which semicolons separate; those without a word are left out.

    Example:
        >>> [each.text for each in written("SELECT 1; ; SELECT ';' /* ; */")]
        ['SELECT 1', "SELECT ';'"]
    """
    found: list[Written] = []
    mine: list[Word] = []
    for word in [*words_of(text), Word("sign", ";", len(text), len(text))]:
        if word.text != ";" or word.kind != "sign":
            mine.append(word)
            continue
        if mine:
            start = mine[0].start
            moved = [Word(each.kind, each.text, each.start - start, each.end - start) for each in mine]
            found.append(Written(text[start : mine[-1].end], tuple(moved)))
            if len(found) > MOST_STATEMENTS:
                raise Refusal(f"a message has at most {MOST_STATEMENTS:,} statements", TOO_LARGE)
        mine = []
    return found
