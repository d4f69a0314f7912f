"""DetachedLedger: what stands in the place of a ledger in a model that was stored or sent to another process."""

from dataclasses import dataclass

from privet.errors import InvalidParameter


@dataclass(frozen=True)
class DetachedLedger:
    """A ledger is a handle and cannot be copied; a model without it predicts as before, and refuses to be fitted.

    Privacy: a second fit without the ledger would be a spend that nobody sees.
    """

    def refuse(self) -> None:
        """Raise, saying what to do."""
        raise InvalidParameter(
            "this model was copied to another process or loaded from a file, and its ledger stayed behind: set it with "
            'set_params(ledger=…); for n_jobs > 1 pass the address of its journal, ledger="sqlite:///ledger.db"'
        )
