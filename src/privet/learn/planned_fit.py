"""PlannedFit: a ledger for one fit inside a search: it tells what the fit would cost, or lets just that be spent."""

from collections.abc import Callable, Iterable
from typing import Any, NoReturn, TypeVar

from privet.core import Ledger, Mechanism, Release, Sensitive, Unit
from privet.core.reservation import Reservation
from privet.core.reserved_loss import reserved_loss
from privet.errors import InvalidParameter
from privet.loss import Guarantee, PrivacyLoss

In = TypeVar("In")
Out = TypeVar("Out")
LARGE = Guarantee(10**9, "0.999999")


class PriceFound(Exception):  # noqa: N818 - it is no error
    """A fit came to its charge."""

    def __init__(self, loss: PrivacyLoss) -> None:
        super().__init__("a fit was asked for its price outside of a search")
        self.loss = loss


class PlannedFit(Ledger):
    """In memory, for one fit: what is spent here was paid for by the search, in the ledger of the search.

    Args:
        unit: who is protected.
        planned: what the fit may cost, once and not otherwise; None ends the fit at its charge, with its price.

    Privacy: every fit charges before it reads a row, so a fit that ends at its charge has read nothing. What a run of a
        search was priced at is what it costs: another loss, or a second one, is refused.
    """

    def __init__(self, unit: Unit, planned: PrivacyLoss | None = None) -> None:
        super().__init__(LARGE, unit=unit)
        self._planned = planned
        self._spent_once = False

    def release(  # noqa: D102 - as a ledger's
        self,
        secret: Sensitive[In],
        mechanism: Mechanism[In, Out],
        *,
        purpose: str,
        **more: Any,  # noqa: ANN401 - as it is asked
    ) -> Release[Out]:
        self._allow(mechanism.loss.under(self.unit.neighbors))
        return super().release(secret, mechanism, purpose=purpose, **more)

    def reserve(  # noqa: D102 - as a ledger's
        self,
        plan: PrivacyLoss | Iterable[Mechanism[Any, Any]],
        *,
        purpose: str,
        **more: Any,  # noqa: ANN401 - as it is asked
    ) -> Reservation:
        mechanisms = plan if isinstance(plan, PrivacyLoss) else tuple(plan)
        self._allow(reserved_loss(mechanisms, purpose=purpose, unit=self.unit))
        return super().reserve(mechanisms, purpose=purpose, **more)

    def recall(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401, D102 - as a ledger's
        raise InvalidParameter("a fit within a search keeps no answers by keys")

    def _allow(self, loss: PrivacyLoss) -> None:
        """Let the planned loss pass, once."""
        if self._planned is None:
            raise PriceFound(loss)
        if self._spent_once or loss != self._planned:
            raise InvalidParameter("a fit within a search must cost what it was priced at, once")
        self._spent_once = True


def priced_at(fit: Callable[[Ledger], object], unit: Unit) -> PrivacyLoss:
    """The loss of a fit, found by letting it come to its charge and no further: no row is read.

    Args:
        fit: fits a model that charges the ledger it is given.
        unit: who is protected.
    """
    try:
        fit(PlannedFit(unit))
    except PriceFound as found:
        return found.loss
    raise InvalidParameter("a search needs a model whose fit charges a ledger before it reads a row: a Privet model")
