"""priced: the parameters about privacy that every model's constructor takes, written once."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypedDict, TypeVar

from privet.core import Ledger, Unit
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.loss.exact import Exact
from privet.loss.risk import Risk
from privet.wording.nearest import nearest

Said = ParamSpec("Said")
Model = TypeVar("Model")


class Priced(TypedDict, total=False):
    """What every model takes, see `PrivateEstimator`; all are None unless said."""

    epsilon: Exact | None
    delta: Exact | None
    rho: Exact | None
    risk: Risk | str | None
    neighbors: Neighbors | str | None
    ledger: Ledger | str | None
    unit: Unit | str | None
    rows_per_unit: int | None
    purpose: str | None


def priced(init: Callable[Concatenate[Model, Said], None]) -> Callable[Concatenate[Model, Said], None]:
    """Keep the parameters of `Priced` as attributes, and show them in the signature, where scikit-learn looks.

    Args:
        init: a constructor whose last parameter is `**_: Unpack[Priced]`.
    """
    own = [each for each in inspect.signature(init).parameters.values() if each.kind is not each.VAR_KEYWORD]
    names = tuple(Priced.__annotations__)
    shared = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names]
    known = {each.name for each in own} | set(names)

    @wraps(init)
    def made(self: Any, *args: Any, **said: Any) -> None:  # noqa: ANN401 - a model and its parameters
        for name in said:
            if name not in known:
                raise InvalidParameter(f"{type(self).__name__} does not take {name!r}{nearest(name, sorted(known))}")
        for name in names:
            setattr(self, name, said.pop(name, None))
        init(self, *args, **said)

    made.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined] # functions may have one
    return made  # type: ignore[return-value] # as its signature says
