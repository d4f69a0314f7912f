"""Worksheet: a class's randomized answers beside the invented truths, with what they tell."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet.local.survey.survey_estimate import SurveyEstimate

WORDS = {True: "yes", False: "no"}


@dataclass(frozen=True, repr=False)
class Worksheet:
    """A sheet with two columns, the truth and the answer, and below them what the answers tell.

    Args:
        rows: truth, instruction and answer of each person; the truths are invented.
        estimate: what the answers tell.

    Example:
        >>> from privet.local import survey
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> survey.TwoCoins().worksheet([1, 0, 0, 1, 0], source=seeded_entropy_for_tests(2))
        truth  answer
        yes    yes
        no     no
        no     no
        yes    yes
        no     no
        answered yes: 0.4, so truly yes: 0.3 and truly no: 0.7
    """

    rows: tuple[tuple[bool, str, bool], ...]
    estimate: "SurveyEstimate"

    def __repr__(self) -> str:
        lines = ["truth  answer", *(f"{WORDS[truth]:5}  {WORDS[answer]}" for truth, _, answer in self.rows)]
        return "\n".join([*lines, self._summary()])

    def _repr_html_(self) -> str:
        """What a notebook shows: the instruction that was drawn, too."""
        from privet.display import Card, Column  # noqa: PLC0415 - for notebooks

        columns = (
            Column("truth", [WORDS[truth] for truth, _, _ in self.rows]),
            Column("told to", [words for _, words, _ in self.rows]),
            Column("answer", [WORDS[answer] for *_, answer in self.rows]),
        )
        return Card("worksheet", columns=columns, lines=(self._summary(),)).html()

    def _summary(self) -> str:
        found = self.estimate
        share = found.yes / found.answers
        return f"answered yes: {share:.4g}, so truly yes: {found.value:.4g} and truly no: {found.no:.4g}"
