"""Loss JSON: a privacy loss, by the parameters of its curves."""

import json
import re
from collections.abc import Iterable
from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.errors import InvalidParameter
from privet.loss.curve import LossCurve
from privet.loss.exact import shortest

if TYPE_CHECKING:
    from privet.loss.privacy_loss import PrivacyLoss


def name_of(kind: type[LossCurve]) -> str:
    """The name of a curve in JSON: GaussianCurve is "gaussian"."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__.removesuffix("Curve")).lower()


def to_json(loss: "PrivacyLoss") -> str:
    """One line of JSON, the same for equal losses."""
    return json.dumps(_plain(loss))


def from_json(text: str, curves: Iterable[type[LossCurve]]) -> "PrivacyLoss":
    """The loss written by `to_json`."""
    known = {name_of(kind): kind for kind in (*_known(), *curves)}
    try:
        loss = _restored(json.loads(text), known)
    except (ValueError, TypeError, KeyError) as problem:
        raise InvalidParameter(f"not the JSON of a privacy loss: {problem}") from problem
    from privet.loss.privacy_loss import PrivacyLoss  # noqa: PLC0415 - losses are made of facts, and facts of losses

    if not isinstance(loss, PrivacyLoss):
        raise InvalidParameter(f"not the JSON of a privacy loss: {text[:60]!r}")
    return loss


def described(loss: "PrivacyLoss") -> str:
    """The facts for people: gaussian(mu=0.31) × 40 + laplace(epsilon=1)."""
    lines = []
    for curve, times in loss.parts:
        known: dict[str, object] = getattr(curve, "__dataclass_fields__", {})
        inside = ", ".join(f"{name}={_text(getattr(curve, name))}" for name in known)
        lines.append(name_of(type(curve)) + (f"({inside})" if inside else "") + (f" × {times}" if times > 1 else ""))
    return " + ".join(sorted(lines)) or "nothing"


def _text(value: object) -> str:
    if isinstance(value, Fraction):
        return shortest(value)
    if isinstance(value, tuple):
        return f"({', '.join(_text(x) for x in value)})"
    return repr(value)


def _fields(curve: LossCurve) -> "list[Any]":
    try:
        return list(fields(curve))  # type: ignore[arg-type] # checked by fields itself
    except TypeError:
        raise InvalidParameter(f"{type(curve).__name__} must be a frozen dataclass to be written down") from None


def _plain(value: object) -> Any:  # noqa: ANN401 - JSON
    """Numbers, texts, lists and dictionaries for everything a curve may hold."""
    if isinstance(value, Fraction):
        text = shortest(value)
        return text if "/" in text else json.loads(text)
    if isinstance(value, LossCurve):
        return {"curve": name_of(type(value))} | {f.name: _plain(getattr(value, f.name)) for f in _fields(value)}
    if isinstance(value, tuple):
        return [_plain(x) for x in value]
    if isinstance(value, int | float | str):
        return value
    parts: frozenset[tuple[LossCurve, int]] = value.parts  # type: ignore[attr-defined] # what remains is a loss
    return {"loss": sorted((_plain(curve) | {"times": n} for curve, n in parts), key=json.dumps)}


def _restored(value: Any, known: dict[str, type[LossCurve]]) -> Any:  # noqa: ANN401 - JSON
    """What `_plain` was given."""
    if isinstance(value, list):
        return tuple(_restored(x, known) for x in value)
    if not isinstance(value, dict):
        return Fraction(value) if isinstance(value, str) else value
    if "loss" in value:
        from privet.loss.privacy_loss import PrivacyLoss  # noqa: PLC0415 - losses are made of facts, and facts of losses

        return PrivacyLoss(frozenset((_restored(x, known), int(x["times"])) for x in value["loss"]))
    kind = known.get(value["curve"])
    if kind is None:
        names = ", ".join(sorted(known))
        raise InvalidParameter(f"unknown curve {value['curve']!r}; known are {names}: name others with curves=")
    rest = {k: _restored(x, known) for k, x in value.items() if k not in ("curve", "times")}
    return kind(**rest)


def _known() -> tuple[type[LossCurve], ...]:
    from privet.loss.curves import (  # noqa: PLC0415 - curves may hold losses
        allocated,
        best_of,
        combined,
        concentrated,
        finite,
        gaussian,
        group,
        laplace,
        naming,
        objective,
        pure,
        replaced_sample,
        sampled,
        shuffled,
    )

    return (
        pure.ApproximateCurve,
        pure.ExponentialCurve,
        laplace.LaplaceCurve,
        laplace.PermuteAndFlipCurve,
        laplace.DiscreteLaplaceCurve,
        gaussian.GaussianCurve,
        gaussian.DiscreteGaussianCurve,
        finite.FiniteCurve,
        finite.RandomizedResponseCurve,
        finite.KaryResponseCurve,
        naming.NamingCurve,
        objective.PerturbedObjectiveCurve,
        concentrated.ConcentratedCurve,
        concentrated.RenyiBoundCurve,
        combined.WorstOfCurve,
        combined.ParallelCurve,
        combined.ReplacedCurve,
        combined.ReversedCurve,
        combined.MixtureCurve,
        combined.TabulatedCurve,
        group.GroupCurve,
        sampled.SampledCurve,
        allocated.AllocatedCurve,
        replaced_sample.ReplacedSampleCurve,
        best_of.BestOfCurve,
        best_of.BestOfPoissonCurve,
        shuffled.ShuffledCurve,
        shuffled.ShuffledKaryCurve,
        shuffled.ShuffledResponseCurve,
    )
