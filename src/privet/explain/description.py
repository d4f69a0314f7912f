"""Description: what a loss means for one unit, in words, numbers and pictures."""

import json
import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from privet.core import Unit
from privet.display import Card, Chart, Column
from privet.explain.charts.beliefs import belief_chart
from privet.explain.charts.tradeoff import tradeoff_chart
from privet.explain.stated import Accusation, Belief, Level, accusations, beliefs, raised
from privet.loss import Neighbors, PrivacyLoss
from privet.loss.exact import shortest
from privet.wording.percent import percent_down, percent_up

PRIORS = (0.01, 0.1, 0.5)
ALARMS = (0.01, 0.05)
GROUPS = (2, 5)


@dataclass(frozen=True, repr=False)
class Description:
    """What was promised, made by `describe`: print it, show it in a notebook, draw it, or take its numbers.

    Args:
        what: is described, in words.
        loss: of it.
        unit: who is protected.
        delta: at which ε is told where the loss is not pure.
        gamma: the probability that nothing of this holds, because a sensitivity was sampled; 0 in general.
        years: of a release of the same kind once a year, the longest that is told.
        spent: of a ledger, what is spent so far, in words.

    Privacy: everything is read off the loss; nothing is charged. Every number is a bound, rounded against us.

    Example:
        >>> from privet import describe
        >>> from privet.mechanisms import Laplace
        >>> found = describe(Laplace(l1_sensitivity=1, scale=2))
        >>> round(found.advantage, 4), found.level.epsilon
        (0.2212, 0.5)
    """

    what: str
    loss: PrivacyLoss
    unit: Unit
    delta: Fraction
    gamma: Fraction = Fraction(0)
    years: int = 10
    spent: str = ""

    # --- numbers ----------------------------------------------------------------------------------------------

    @cached_property
    def level(self) -> Level:
        """ε, its δ, and the best attacker's gain. Of a loss that is pure, δ is 0."""
        return Level.of(self.loss, delta=0 if self.pure else self.delta)

    @property
    def pure(self) -> bool:
        """Whether some ε is never passed."""
        return math.isfinite(self.loss.epsilon(0))

    @property
    def advantage(self) -> float:
        """The best attacker's true positive rate less the false positive rate, at most."""
        return self.level.advantage

    @cached_property
    def beliefs(self) -> tuple[Belief, ...]:
        """How far beliefs of 1, 10 and 50 % can move."""
        return tuple(beliefs(self.loss, PRIORS, failure=float(self.delta)))

    @cached_property
    def accusations(self) -> tuple[Accusation, ...]:
        """What tests with 1 and 5 % false alarms find at most."""
        return tuple(accusations(self.loss, ALARMS))

    @cached_property
    def groups(self) -> tuple[tuple[int, Level], ...]:
        """What holds for several units at once, by how many they are."""
        return tuple((size, Level.of_group(self.loss, size, delta=self._told)) for size in GROUPS)

    @cached_property
    def over_years(self) -> tuple[tuple[int, Level], ...]:
        """What holds if as much is released once a year, by how many years."""
        ends = sorted({max(1, self.years // 2), self.years} - {1})
        return tuple((years, Level.of_years(self.loss, years, delta=self._told)) for years in ends)

    @property
    def _told(self) -> Fraction:
        return Fraction(0) if self.pure else self.delta

    # --- words ------------------------------------------------------------------------------------------------

    @cached_property
    def sentences(self) -> tuple[tuple[str, str], ...]:
        """What is said, each with a heading."""
        one = f"one {self.unit.name}"
        told = [
            (
                "telling",
                f"whoever guesses {self._secret} gains at most {percent_up(self.advantage)} over tossing a coin",
            ),
            ("belief", self._beliefs()),
            ("accusing", self._accusations()),
            ("together", _several(self.groups, f"{self.unit.name}s at once")),
        ]
        if self.over_years:
            told.append(("over years", f"as much once a year: {_several(self.over_years, 'years')}"))
        if self.spent:
            told.append(("so far", self.spent))
        if self.gamma:
            told.append(("but", f"with probability {percent_up(float(self.gamma))} over the data none of this holds"))
        people, other = f"people like {one}", f"where one {self.unit.name}'s data follows from another's"
        rest = (
            f"that nothing is learned about {people}: that comes from the others; and beliefs may move further {other}"
        )
        return (*told, ("not promised", rest))

    @property
    def title(self) -> str:
        """What is described, and what it promises."""
        return f"{self.what}: {_promise(self.level)} per {self.unit.name}, {self.unit.neighbors.value}"

    @property
    def _secret(self) -> str:
        if self.unit.neighbors is Neighbors.REPLACE:
            return f"which of two possible data one {self.unit.name} has"
        return f"whether one {self.unit.name}'s data is there"

    def _beliefs(self) -> str:
        moves = "; ".join(
            f"of {percent_up(each.prior)} rises to at most {percent_up(each.at_most)} and falls to at least "
            f"{percent_down(each.at_least)}"
            for each in self.beliefs
        )
        chance = self.beliefs[0].failure
        return moves + (f"; each end is passed with probability at most {raised(chance)}" if chance else "")

    def _accusations(self) -> str:
        rest = [f"at {percent_up(each.false_alarms)} at most {percent_up(each.found)}" for each in self.accusations[1:]]
        first = self.accusations[0]
        found = f"at most {percent_up(first.found)} of those who are there"
        return "; ".join([f"a test with {percent_up(first.false_alarms)} false alarms finds {found}", *rest])

    def __repr__(self) -> str:
        width = max(len(heading) for heading, _ in self.sentences)
        return "\n".join([self.title, *(f"  {heading:<{width}}  {said}" for heading, said in self.sentences)])

    def _repr_html_(self) -> str:
        """What a notebook shows: the same words as a table."""
        headings, said = zip(*self.sentences, strict=True)
        return Card(self.title, columns=(Column("", headings), Column("at worst", said))).html()

    # --- pictures and programs --------------------------------------------------------------------------------

    def chart(self) -> Chart:
        """Four panels: errors of tests, beliefs, several units at once, several years; needs `privet[charts]`."""
        chance = float(self.delta)
        panels = [tradeoff_chart(self.loss), belief_chart(self.loss, failure=chance)]
        panels.append(_bars({str(size): level for size, level in ((1, self.level), *self.groups)}, self.unit.name))
        if self.over_years:
            panels.append(_bars({str(years): level for years, level in ((1, self.level), *self.over_years)}, "year"))
        return Chart.panels(panels, title=self.title)

    def to_dict(self) -> dict[str, Any]:
        """Every number by name, as JSON knows them: None stands where there is no bound."""
        return {
            "what": self.what,
            "unit": {"name": self.unit.name, "neighbors": self.unit.neighbors.name.lower()},
            "loss": json.loads(self.loss.to_json()),
            "gamma": shortest(self.gamma),
            **_level(self.level),
            "beliefs": [asdict(each) for each in self.beliefs],
            "accusations": [asdict(each) for each in self.accusations],
            "groups": [{"size": size, **_level(level)} for size, level in self.groups],
            "years": [{"years": years, **_level(level)} for years, level in self.over_years],
            "sentences": dict(self.sentences),
        }

    def to_json(self) -> str:
        """The same as a text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)


def _level(level: Level) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in asdict(level).items()}


def _promise(level: Level) -> str:
    if math.isinf(level.epsilon):
        return "no ε holds"
    up = raised(level.epsilon)
    return f"(ε={up}, δ={raised(level.delta)})-DP" if level.delta else f"(ε={up})-DP"


def _several(levels: tuple[tuple[int, Level], ...], what: str) -> str:
    return "; ".join(
        f"{number} {what} have {_promise(level)}, a gain of at most {percent_up(level.advantage)}"
        for number, level in levels
    )


def _bars(levels: dict[str, Level], what: str) -> Chart:
    gains = {name: level.advantage for name, level in levels.items()}
    words = {"x": f"{what}s", "y": "gain over tossing a coin", "title": f"The best attacker, by {what}s"}
    return Chart.bars({"gain": gains}, **words)
