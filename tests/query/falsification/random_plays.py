# ruff: noqa: S608 - statements that are made for tests
"""Random plays: statements whose parts are put together by chance, aimed at edges: NULL, zeros, overflow, odd texts."""

import random
from collections.abc import Callable
from dataclasses import dataclass

NUMBERS = ("whole", "big", "huge", "cents", "pay", "free", "small", "0.0", "-1", "0.5", "1000000007", "-0.0", "3")
TEXTS = ("kind", "word", "town", "'a'", "'0'", "''", "'-0'")
DAYS, MOMENTS = ("day", "late"), ("moment", "seen")
OF_NUMBERS = (
    *(
        "({0} + {1})",
        "({0} - {1})",
        "({0} * {1})",
        "({0} / {1})",
        "({0} % {1})",
        "(- {0})",
        "ABS({0})",
        "ROUND({0}, 1)",
    ),
    *(
        "FLOOR({0})",
        "CEIL({0})",
        "SQRT({0})",
        "SIGN({0})",
        "LN({0})",
        "EXP({0})",
        "POWER({0}, {1})",
        "CLIP({0}, -5, 5)",
    ),
    *("CAST({0} AS BIGINT)", "CAST({0} AS DOUBLE)", "COALESCE({0}, {1})", "NULLIF({0}, {1})", "LEAST({0}, {1})"),
    "GREATEST({0}, {1})",
)
OF_TEXTS = (
    "LOWER({0})",
    "UPPER({0})",
    "TRIM({0})",
    "SUBSTRING({0}, 2, 3)",
    "({0} || {1})",
    "COALESCE({0}, {1})",
    "NULLIF({0}, {1})",
)


@dataclass(frozen=True)
class RandomPlays:
    """Writes statements; the same for the same seed."""

    chance: random.Random

    def statement(self) -> str:
        """A SELECT over the tables of `worlds`."""
        depth = self.chance.choice((1, 2, 2, 3))
        shapes: tuple[Callable[[int], str], ...] = (
            self._keyed,
            self._distinct,
            self._summed,
            self._keyed_within,
            self._first_of_each,
            self._joined,
            self._ranked,
        )
        return self.chance.choice(shapes)(depth)

    # --- statements ---

    def _keyed(self, depth: int) -> str:
        key = self._value(depth)
        return f"SELECT {key} AS k, COUNT(*) AS n FROM t GROUP BY {key}"

    def _distinct(self, depth: int) -> str:
        return f"SELECT COUNT(DISTINCT {self._value(depth)}) AS n FROM t"

    def _summed(self, depth: int) -> str:
        return f"SELECT SUM(CLIP({self.number(depth)}, -9, 9)) AS n FROM t WHERE {self.condition(depth)}"

    def _keyed_within(self, depth: int) -> str:
        most = self.chance.choice((self.number, self.day))(depth)
        return f"SELECT k, COUNT(*) AS n FROM (SELECT id, MAX({most}) AS k FROM t GROUP BY id) AS q GROUP BY k"

    def _first_of_each(self, depth: int) -> str:
        place = f"ROW_NUMBER() OVER (PARTITION BY id ORDER BY {self._value(depth)}) AS r"
        inner = f"SELECT id, {self._value(1)} AS k, {place} FROM t"
        return f"SELECT COUNT(*) AS n FROM ({inner}) AS q WHERE r = 1 AND k IS NOT NULL"

    def _joined(self, _: int) -> str:
        added = self.chance.choice(("a.pay", "b.free", "a.whole"))
        where = self.chance.choice(("a.kind = b.kind", "a.pay < b.pay", "a.word <> b.word"))
        joined = f"FROM t AS a JOIN t AS b USING (id) WHERE {where}"
        return f"SELECT a.kind AS k, SUM(CLIP({added}, 0, 10)) AS n {joined} GROUP BY a.kind"

    def _ranked(self, depth: int) -> str:
        numbers = self.number(depth), self.number(1)
        return f"SELECT MEDIAN(CLIP({numbers[0]}, 0, 100)) AS m, AVG(CLIP({numbers[1]}, 0, 1)) AS a FROM t"

    # --- expressions ---

    def number(self, depth: int) -> str:
        """Of numbers, texts and days."""
        if depth == 0:
            return self.chance.choice(NUMBERS)
        text = f"{self.text(depth - 1)}"
        day = self.day(depth - 1)
        others = [self.number(depth - 1) for _ in range(2)]
        patterns = (
            *OF_NUMBERS,
            f"LENGTH({text})",
            f"CAST({text} AS BIGINT)",
            f"CAST({text} AS DOUBLE)",
            f"YEAR({day})",
            f"DATE_DIFF('day', {day}, late)",
            f"CASE WHEN {self.condition(depth - 1)} THEN {{0}} ELSE {{1}} END",
        )
        return self.chance.choice(patterns).format(*others)

    def text(self, depth: int) -> str:
        """Of texts, numbers and days."""
        if depth == 0:
            return self.chance.choice(TEXTS)
        others = [self.text(depth - 1) for _ in range(2)]
        patterns = (
            *OF_TEXTS,
            f"CAST({self.number(depth - 1)} AS VARCHAR)",
            f"CAST({self.day(depth - 1)} AS VARCHAR)",
            f"CASE WHEN {self.condition(depth - 1)} THEN {{0}} END",
        )
        return self.chance.choice(patterns).format(*others)

    def day(self, depth: int) -> str:
        """Of days, moments and texts."""
        if depth == 0:
            return self.chance.choice(DAYS)
        one = self.day(depth - 1)
        return self.chance.choice(
            (
                f"DATE_TRUNC('{self.chance.choice(('week', 'month', 'year'))}', {one})",
                f"CAST({self.chance.choice(MOMENTS)} AS DATE)",
                f"({one} + {self.chance.choice(('1', '-40', 'whole', 'CAST(pay AS BIGINT)'))})",
                f"CAST({self.text(depth - 1)} AS DATE)",
                f"CASE WHEN {self.condition(depth - 1)} THEN {one} END",
            )
        )

    def condition(self, depth: int) -> str:
        """True, false or NULL."""
        number = self.number(max(depth, 0))
        return self.chance.choice(
            (
                f"{number} > {self.number(max(depth, 0))}",
                f"{self.text(max(depth, 0))} = {self.chance.choice(TEXTS)}",
                f"{self.text(max(depth, 0))} LIKE '%{self.chance.choice('ae_')}%'",
                f"{self.chance.choice(DAYS)} > DATE '2024-01-01'",
                f"{number} IS NULL",
                f"{number} IN (0, 1, 2)",
                f"NOT ({number} = 0)",
            )
        )

    def _value(self, depth: int) -> str:
        return self.chance.choice((self.number, self.text, self.day))(depth)
