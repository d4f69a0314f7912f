r"""Regular pattern: the regular expressions that mean the same on every engine, and cannot take long on any row.

Letters, classes ([a-z], \d, \w, \s and the dot), groups, alternatives, greedy * + ? {m,n}, and ^ and $ around all. A
pattern is read once, and printed anew for each engine: \d is [0-9], the dot is all but a line end, $ is the very end.

Time: some engines try all ways in which a text could match. The ways to match are few where each repetition or
    alternative is told from what follows by the next letter (`plain`): then there is one way from each start, and a row
    of n letters takes some n² steps. A search may have one repetition * or + that is not told so, and a few short ones
    (`ways`), which takes as many times longer; all else is refused. Groups are repeated at most 100 times, because
    Java keeps a frame for each.

Proof that what is found is the same: some engines find the first way that matches, others the longest. In a plain
    pattern one way leads from each start, and all that differs is where it ends. Every repetition prefers to go on, no
    alternative is empty and none is empty inside another repetition: so the first way that is tried ends where the
    longest does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from privet.errors import InvalidParameter

LONGEST = 10_000  # letters of a pattern
MOST_TIMES = 100  # that something is repeated, but for * and +
MOST_PLACES = 500  # letters of a pattern with all repetitions written out
MOST_WAYS = 64
ASCII = 128  # stands for all letters from there on
EVERY = frozenset(range(ASCII + 1))
SPECIAL = set("\\^$.|?*+()[]{}")
CLASSES: dict[str, tuple[tuple[int, int], ...]] = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": ((9, 10), (12, 13), (32, 32)),
}
CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
Kinds: TypeAlias = frozenset[int]


def wrong(reason: str) -> InvalidParameter:
    """The refusal of a pattern."""
    return InvalidParameter(f"the pattern {reason}")


@dataclass(frozen=True)
class Letters:
    """One letter of some: of these ranges, or of none of them."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False

    @property
    def kinds(self) -> Kinds:
        """Which ASCII letters, and whether others, they can be: at least those that they are."""
        inside = {code for low, high in self.ranges for code in range(min(low, ASCII), min(high, ASCII) + 1)}
        return EVERY - (inside - {ASCII}) if self.negated else frozenset(inside)

    def folded(self) -> "Letters":
        """The same in both cases."""
        if any(high >= ASCII for _, high in self.ranges):
            raise wrong("ignores the case of letters beyond ASCII, which engines do not agree in; write both cases")
        both = list(self.ranges)
        for low, high in self.ranges:
            for first, gap in ((65, 32), (97, -32)):
                start, end = max(low, first), min(high, first + 25)
                both += [(start + gap, end + gap)] if start <= end else []
        return Letters(tuple(dict.fromkeys(both)), self.negated)


@dataclass(frozen=True)
class Several:
    """Parts one after another."""

    parts: "tuple[Part, ...]"


@dataclass(frozen=True)
class Choice:
    """One of several."""

    options: "tuple[Part, ...]"


@dataclass(frozen=True)
class Group:
    """What a pair of parentheses holds; numbered if it can be extracted."""

    part: "Part"
    number: int | None


@dataclass(frozen=True)
class Repeat:
    """So often; `most` is None without an end."""

    part: "Part"
    least: int
    most: int | None


Part: TypeAlias = Letters | Several | Choice | Group | Repeat


@dataclass(frozen=True)
class Pattern:
    """A regular expression that was read: `start` and `end` say whether it holds the whole text there."""

    body: Part
    start: bool
    end: bool

    @property
    def plain(self) -> bool:
        """Whether the next letter always tells how to go on."""
        return not list(unsure(self.body, frozenset(), repeated=False))

    @property
    def shortest(self) -> int:
        """How many letters a match has at least."""
        return shortest_of(self.body)

    def printed(self, *, end: str = "$", group: int = 0) -> str:
        """The pattern for an engine, which writes the very end so; only the group of this number can be extracted."""
        return f"{'^' if self.start else ''}{_printed(self.body, group)}{end if self.end else ''}"


def shortest_of(part: Part) -> int:
    """How many letters a part has at least."""
    match part:
        case Letters():
            return 1
        case Several(parts):
            return sum(map(shortest_of, parts))
        case Choice(options):
            return min(map(shortest_of, options))
        case Group(inner, _):
            return shortest_of(inner)
        case Repeat(inner, least, _):
            return least * shortest_of(inner)


def _first(part: Part) -> Kinds:
    """The letters that it can begin with."""
    match part:
        case Letters():
            return part.kinds
        case Several(parts):
            found: Kinds = frozenset()
            for each in parts:
                found |= _first(each)
                if shortest_of(each):
                    break
            return found
        case Choice(options):
            return frozenset().union(*map(_first, options))
        case Group(inner, _) | Repeat(inner, _, _):
            return _first(inner)


def unsure(part: Part, after: Kinds, *, repeated: bool) -> Iterator[tuple[int | None, bool]]:
    """Each decision that the next letter does not tell: how many ways there are (None: any), and if it is repeated."""
    match part:
        case Several(parts):
            for each in reversed(parts):
                yield from unsure(each, after, repeated=repeated)
                after = _first(each) | (after if not shortest_of(each) else frozenset())
        case Choice(options):
            firsts = [_first(option) for option in options]
            if sum(map(len, firsts)) != len(frozenset().union(*firsts)):
                yield len(options), repeated
            for option in options:
                yield from unsure(option, after, repeated=repeated)
        case Group(inner, _):
            yield from unsure(inner, after, repeated=repeated)
        case Repeat(inner, least, most):
            if most != least and _first(inner) & after:
                yield None if most is None else most - least + 1, repeated
            again = _first(inner) if most != 1 else frozenset()
            yield from unsure(inner, after | again, repeated=repeated or most != 1)


def _printed(part: Part, group: int) -> str:
    match part:
        case Letters(((low, high),), False) if low == high:
            letter = chr(low)
            return f"\\{letter}" if letter in SPECIAL else letter
        case Letters(ranges, negated):
            inside = "".join(_bracketed(low) + (f"-{_bracketed(high)}" if high > low else "") for low, high in ranges)
            return f"[{'^' if negated else ''}{inside}]"
        case Several(parts):
            return "".join(_printed(each, group) for each in parts)
        case Choice(options):
            return "|".join(_printed(option, group) for option in options)
        case Group(inner, number):
            return f"({'' if number == group and group else '?:'}{_printed(inner, group)})"
        case Repeat(inner, least, most):
            sign = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
            count = f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"
            return _printed(inner, group) + (sign or count)


def _bracketed(code: int) -> str:
    letter = chr(code)
    return (
        f"\\{letter}"
        if letter.isascii() and letter.isprintable() and not letter.isalnum() and letter != " "
        else letter
    )
