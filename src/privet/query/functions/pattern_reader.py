"""Pattern reader: the text of a regular expression as a `Pattern`, or a refusal that says why."""

import re
from functools import cache

from privet.query.functions.regular_pattern import (
    ASCII,
    CLASSES,
    CONTROLS,
    LONGEST,
    MOST_PLACES,
    MOST_TIMES,
    MOST_WAYS,
    SPECIAL,
    Choice,
    Group,
    Letters,
    Part,
    Pattern,
    Repeat,
    Several,
    shortest_of,
    unsure,
    wrong,
)

LINE_END = 10
COUNT = re.compile(r"\{([0-9]{1,4})(,)?([0-9]{1,4})?\}")
ANYTHING = Repeat(Letters(((LINE_END, LINE_END),), negated=True), 0, None)


@cache
def read_pattern(text: str, *, fold: bool = False, whole: bool = False) -> Pattern:
    r"""A regular expression, checked.

    Args:
        text: as it is written.
        fold: whether letters match in both cases.
        whole: whether it must match the whole text.

    Example:
        >>> read_pattern(r"\d+-[a-f]").printed()
        '[0-9]+-[a-f]'
    """
    if not text or len(text) > LONGEST or "\0" in text:
        raise wrong(f"must have 1 to {LONGEST} letters; write a shorter one")
    start, end = text.startswith("^"), text.endswith("$") and not text.endswith("\\$")
    reader = _Reader(text[start : len(text) - end], fold=fold)
    body = reader.alternatives()
    if reader.rest:
        raise wrong("has a ) without its (; write \\) for the letter")
    if isinstance(body, Choice) and (start or end or whole):
        if start or end:
            raise wrong("has ^ or $ beside alternatives; put them in parentheses: ^(a|b)$")
        body = Group(body, None)
    found = Pattern(body, start or whole, end or whole)
    check_places(found)
    return found


def check_search(pattern: Pattern) -> None:
    """Raise if looking for a pattern could take long."""
    ways, endless = 1, 0
    for many, repeated in unsure(pattern.body, frozenset(), repeated=False):
        if repeated:
            raise wrong("can match in many ways inside a repetition; make what is repeated differ from what follows")
        ways *= many or 1
        endless += many is None
    if endless > 1 or ways > MOST_WAYS:
        raise wrong(
            "can match in too many ways; split it into conditions, or make repetitions differ from what follows"
        )


def check_cut(pattern: Pattern) -> None:
    """Raise if engines could find different pieces."""
    if not pattern.plain:
        raise wrong("can match pieces of different lengths, of which engines choose different ones; make it plainer")


def trimmed(pattern: Pattern) -> Pattern:
    """The same search, without .* at open ends, where it changes nothing."""
    body = pattern.body
    parts = list(body.parts) if isinstance(body, Several) else [body]
    while len(parts) > 1 and parts[0] == ANYTHING and not pattern.start:
        parts = parts[1:]
    while len(parts) > 1 and parts[-1] == ANYTHING and not pattern.end:
        parts = parts[:-1]
    return Pattern(parts[0] if len(parts) == 1 else Several(tuple(parts)), pattern.start, pattern.end)


def check_places(pattern: Pattern) -> None:
    """Raise if it is too long when repetitions are written out."""
    if _places(pattern.body) > MOST_PLACES:
        raise wrong(f"has more than {MOST_PLACES} letters when repetitions are written out; write a shorter one")


def _places(part: Part) -> int:
    match part:
        case Letters():
            return 1
        case Several(parts) | Choice(parts):
            return sum(map(_places, parts))
        case Group(inner, _):
            return _places(inner)
        case Repeat(inner, least, most):
            return _places(inner) * max(1, least, most or 1)


class _Reader:
    """What is left of a pattern while it is read."""

    def __init__(self, text: str, *, fold: bool) -> None:
        self.rest = text
        self._fold = fold
        self._groups = 0

    def alternatives(self) -> Part:
        options = [self._several()]
        while self.rest.startswith("|"):
            self._take("|")
            options.append(self._several())
        if len(options) == 1:
            return options[0]
        if not all(map(shortest_of, options)):
            raise wrong("has an alternative that can be empty; write ? behind the parentheses")
        return Choice(tuple(options))

    def _several(self) -> Part:
        parts: list[Part] = []
        while self.rest and self.rest[0] not in "|)":
            parts.append(self._repeated(self._one()))
        return parts[0] if len(parts) == 1 else Several(tuple(parts))

    def _one(self) -> Part:
        letter = self._next()
        if letter == "(":
            return self._group()
        if letter == "[":
            return self._folded(self._bracket())
        if letter == ".":
            return Letters(((LINE_END, LINE_END),), negated=True)
        if letter == "\\":
            return self._folded(self._escaped())
        if letter in SPECIAL:
            raise wrong(f"has a {letter} in a place where it has no meaning here; write \\{letter} for the letter")
        return self._folded(Letters(((ord(letter), ord(letter)),)))

    def _folded(self, letters: Letters) -> Letters:
        return letters.folded() if self._fold else letters

    def _group(self) -> Part:
        number = None
        if self.rest.startswith("?:"):
            self._take("?:")
        elif self.rest.startswith("?"):
            raise wrong("begins a group with (?, which engines read differently; write ( or (?:")
        else:
            self._groups += 1
            number = self._groups
        inner = self.alternatives()
        if not self.rest.startswith(")"):
            raise wrong("has a ( without its ); write \\( for the letter")
        self._take(")")
        return Group(inner, number)

    def _escaped(self) -> Letters:
        letter = self._next()
        if letter.lower() in CLASSES:
            return Letters(CLASSES[letter.lower()], negated=letter.isupper())
        code = ord(self._letter(letter))
        return Letters(((code, code),))

    @staticmethod
    def _letter(letter: str) -> str:
        """The letter behind a backslash."""
        if letter in CONTROLS:
            return CONTROLS[letter]
        if letter.isalnum() or not letter.isascii():
            raise wrong(f"has \\{letter}, which has no one meaning on every engine; use \\d, \\w, \\s or a class [a-z]")
        return letter

    def _bracket(self) -> Letters:
        negated = self.rest.startswith("^")
        self._take("^" if negated else "")
        ranges: list[tuple[int, int]] = []
        while not self.rest.startswith("]") or not ranges:
            if self.rest.startswith("[:"):
                raise wrong("has a class [:name:], which engines read differently; write [a-z]")
            first = self._member(ranges)
            if first is None:
                continue
            last = first
            if self.rest.startswith("-") and not self.rest.startswith("-]"):
                self._take("-")
                ends: list[tuple[int, int]] = []
                last = self._member(ends) or -1
                if last < first or last >= ASCII:
                    raise wrong("has a range that is not from a lower ASCII letter to a higher one; list its letters")
            ranges.append((first, last))
        self._take("]")
        return Letters(tuple(dict.fromkeys(ranges)), negated)

    def _member(self, ranges: list[tuple[int, int]]) -> int | None:
        """A letter of a class; None if it is a class of its own, which is added."""
        letter = self._next()
        if letter != "\\":
            return ord(letter)
        letter = self._next()
        if letter in CLASSES:
            ranges.extend(CLASSES[letter])
            return None
        return ord(self._letter(letter))

    def _repeated(self, part: Part) -> Part:
        times = self._times()
        if times is None:
            return part
        least, most = times
        if self.rest[:1] in {"?", "+", "*"} or COUNT.match(self.rest):
            raise wrong("has two signs of repetition in a row, which engines read differently; use parentheses")
        if not shortest_of(part):
            raise wrong("repeats what can be empty; leave one of the repetitions out")
        if isinstance(part, Group) and most is None:
            raise wrong(f"repeats a group without an end; write {{{least},{MOST_TIMES}}}")
        if least > MOST_TIMES or (most is not None and not least <= most <= MOST_TIMES) or most == 0:
            raise wrong(f"repeats something more than {MOST_TIMES} times, or never; write {{1,{MOST_TIMES}}}")
        return Repeat(part, least, most)

    def _times(self) -> tuple[int, int | None] | None:
        sign = self.rest[:1]
        if sign in {"*", "+", "?"}:
            self._take(sign)
            return (1 if sign == "+" else 0, 1 if sign == "?" else None)
        found = COUNT.match(self.rest)
        if found is None:
            return None
        self._take(found[0])
        least = int(found[1])
        return (least, int(found[3]) if found[3] else None if found[2] else least)

    def _next(self) -> str:
        if not self.rest:
            raise wrong("ends in the middle; write its last part")
        letter, self.rest = self.rest[0], self.rest[1:]
        return letter

    def _take(self, text: str) -> None:
        self.rest = self.rest[len(text) :]
