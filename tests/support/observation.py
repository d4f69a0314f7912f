"""Observation: a statement through the front door, all that an analyst can see of it, and what tells neighbors apart.

`Session.explain` and `Session.sql` (or `batch`) are asked with a real ledger, whose draws go to a tape of the audit:
in the first of two neighbors mechanisms answer as of a thousand times as many units, in the other what they answered
before. Then nothing that is seen may differ, and no secret may have moved farther than its stated sensitivity.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privet import errors
from privet.audit.difference import Difference
from privet.audit.observed import Observed, apart
from privet.audit.tape import Tape, listening
from privet.core import Ledger
from privet.loss import Guarantee
from privet.noise.for_tests import seeded_entropy_for_tests
from privet.query.session import Session

LIMIT = Guarantee(1000, "0.5")
SPENT: Mapping[str, Any] = {"epsilon": 1, "delta": "1e-6"}
BATCH = ";\n"  # between the statements of a batch
STORED = "the explanation.queries"  # what names the files of a table


@dataclass(frozen=True)
class Observation:
    """What was seen and drawn; and whether there was an answer."""

    observed: Observed
    answered: bool

    @property
    def wrong(self) -> tuple[str, ...]:
        """What must not be seen on any data: an error that is not one of ours."""
        failed = self.observed.failed
        kind = failed.partition(":")[0]
        return (failed,) if kind and not hasattr(errors, kind) else ()


def observe(session: Session, text: str, *, before: Observation | None = None, **spending: Any) -> Observation:  # noqa: ANN401 - as `Keywords`
    """Ask a statement, or a batch, with a ledger of its own, and write down all that can be seen."""
    asking = Session(session.catalog, backend=session._backend, ledger=Ledger(LIMIT, unit=session.catalog.unit))
    tape = Tape(None if before is None else before.observed.tape, seeded_entropy_for_tests(1), crowd=True)
    observed = Observed(tape)
    texts: Any = text.split(BATCH) if BATCH in text else text
    asked = {**SPENT, **spending}
    with listening() as here, observed.watching():
        here.tape = tape
        explained = asking.explain(texts, **asked)
        observed.see(str(explained), "the explanation as it is printed")
        observed.see(explained, "the explanation")
        observed.see(asking.sql(texts, **asked) if texts is text else list(asking.batch(texts, **asked)))
    observed.see((asking.ledger.spent, len(asking.ledger.entries)), "the ledger")
    folder = str(session.catalog.folder.resolve())  # where a world lies is not its own
    observed.failed = observed.failed.replace(folder, "…")
    observed.seen = {name: words.replace(folder, "…") for name, words in observed.seen.items()}
    observed.messages = {name: words.replace(folder, "…") for name, words in observed.messages.items()}
    return Observation(observed, not observed.failed)


def differences(here: Observation, there: Observation, *, stored_alike: bool = True) -> list[str]:
    """What tells two neighbors apart; nothing, if all is well.

    Args:
        here: the one that was observed first.
        there: the other, which was said the same.
        stored_alike: False if their tables lie in other files, which the text of a query names.
    """
    found = [each for each in apart(here.observed, there.observed, strict=True) if stored_alike or not _of_files(each)]
    return [*map(str, found), *here.wrong, *there.wrong]


def _of_files(each: Difference) -> bool:
    return each.kind == "answer" and each.place.startswith(STORED)
