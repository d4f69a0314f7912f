"""LikeItsValue: what lets a release be used where its number or its array would be."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from privet.core.uncertainty import ScaledError, Uncertainty
from privet.errors import InvalidParameter

Number = int | float | Fraction | np.number[Any]
_INT64 = 1 << 63
Sampling = tuple[float, ...] | str  # how much samples differ, for each number; or why that is not known
LARGEST = 1e300  # of the public numbers
ROUNDED = 2.0**-51  # of the size of a float: more than what is lost where it is the result of a few operations


class LikeItsValue:
    """float, int, round, format, numpy, indexing, and arithmetic with public numbers.

    Arithmetic by a public number a gives a release whose error is known: a + X errs as X, a X by |a| times as much.
    Whatever else is done to the numbers is done to `.value`, or by `map`: the law of its error is another one.

    Privacy: all of it is post-processing of released numbers.
    Proof of the errors: |(a x + b) - (a X + b)| = |a| |x - X|. In floats, a, b, X, the product and the sum are each
        rounded by at most 2^-53 of their size: together by less than 2^-51 of |a X|, |b| and the sum, which is added.
    """

    __array_priority__ = 1000  # so that numpy asks the release how to add it to an array
    value: Any
    uncertainty: Uncertainty | None
    sampling: Sampling

    @abstractmethod
    def map(
        self, function: Callable[[Any], Any], *, uncertainty: Uncertainty | None = None, sampling: Sampling = ""
    ) -> Any:  # noqa: ANN401 - a release of anything
        """Post-process: see `Release`."""

    # --- as a number --------------------------------------------------------------------------------------------

    def __float__(self) -> float:
        return float(self._one("float"))

    def __int__(self) -> int:
        number = self._one("int")
        if not isinstance(number, int) and not float(number).is_integer():
            raise InvalidParameter("this release is not a whole number: int(round(release)) rounds it")
        return int(number)

    def __round__(self, digits: int | None = None) -> Any:  # noqa: ANN401 - an int, or a float with digits
        return round(self._one("round"), digits)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        try:
            if isinstance(self.value, np.ndarray):
                return f"[{', '.join(format(each, spec) for each in self.value.ravel().tolist())}]"
            return format(self.value, spec)
        except (TypeError, ValueError):
            raise InvalidParameter(
                f"a release of {_kind(self.value)} cannot be written as {spec!r}: format release.value instead"
            ) from None

    def __bool__(self) -> NoReturn:
        raise InvalidParameter(
            "a release is neither true nor false: test release.value, or release.interval() for what noise leaves open"
        )

    def _one(self, wanted: str) -> Any:  # noqa: ANN401 - a number of any type
        value = self.value
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, int | float | Fraction):
            return value
        raise InvalidParameter(
            f"{wanted}() takes the release of one number, and this holds {_kind(value)}: take release.value"
        )

    # --- as an array --------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: ANN401, FBT001 - numpy's own protocol
        if not isinstance(self.value, np.ndarray | np.generic | int | float | list | tuple):
            raise InvalidParameter(f"a release of {_kind(self.value)} is no array: take release.value")
        array = np.asarray(self.value, dtype=dtype)
        return array.copy() if copy or array is self.value else array  # what is handed out may be written to

    def __len__(self) -> int:
        return len(self._several("len()"))

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - a release of a part
        cells = self._several("indexing")
        try:
            part = cells[place]
        except (IndexError, KeyError, TypeError) as problem:
            if isinstance(problem, IndexError) and isinstance(place, int):
                raise  # that ends a loop
            raise InvalidParameter(f"there is no place {place!r} in this release of {len(cells)}") from None
        error = self.uncertainty if isinstance(cells, np.ndarray) else None
        plain = part.item() if isinstance(part, np.generic) else part
        return self.map(lambda _: plain, uncertainty=error, sampling=self._sampling_at(place))

    def _sampling_at(self, place: Any) -> Sampling:  # noqa: ANN401 - whatever an array takes
        """The deviations of a part."""
        if isinstance(self.sampling, str):
            return self.sampling
        return tuple(np.ravel(np.reshape(self.sampling, np.shape(self.value))[place]).tolist())

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def _several(self, wanted: str) -> Any:  # noqa: ANN401 - an array, a tuple or a list
        if isinstance(self.value, tuple | list) or (isinstance(self.value, np.ndarray) and self.value.ndim):
            return self.value
        raise InvalidParameter(
            f"{wanted} takes a release of several numbers, and this holds {_kind(self.value)}: take release.value"
        )

    # --- arithmetic with public numbers -------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:  # noqa: ANN401 - a number
        return self._moved(1, _public(other, "+"))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:  # noqa: ANN401 - a number
        return self._moved(1, -_public(other, "-"))

    def __rsub__(self, other: Any) -> Any:  # noqa: ANN401 - a number
        return self._moved(-1, _public(other, "-"))

    def __mul__(self, other: Any) -> Any:  # noqa: ANN401 - a number
        return self._moved(_public(other, "*"), 0)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:  # noqa: ANN401 - a number
        divisor = _public(other, "/")
        if not divisor:
            raise InvalidParameter("a release cannot be divided by 0")
        return self._moved(Fraction(1) / Fraction(divisor), 0, real=True)

    def __rtruediv__(self, other: Any) -> NoReturn:  # noqa: ANN401 - a number
        _public(other, "/")
        raise InvalidParameter(
            "a number divided by a release has no known error: use release.map(lambda value: number / value)"
        )

    def __neg__(self) -> Any:  # noqa: ANN401 - a release
        return self._moved(-1, 0)

    def _moved(self, factor: int | Fraction, offset: int | Fraction, *, real: bool = False) -> Any:  # noqa: ANN401 - a release
        """The release of factor × value + offset, with its error."""
        if not factor:
            raise InvalidParameter("a release times 0 is 0, and says nothing: leave it out")
        value = self._finite(factor, offset, real=real)
        law = self.uncertainty
        if law is not None and (factor != 1 or offset):
            sizes = [float(np.max(np.abs(each), initial=0.0)) for each in (self.value, value)]
            rounded = (sizes[0] * abs(float(factor)) + abs(float(offset)) + sizes[1]) * ROUNDED
            law = ScaledError(law, abs(float(factor)), rounded if np.asarray(value).dtype.kind == "f" else 0.0)
        size = abs(float(factor))
        moved = self.sampling if isinstance(self.sampling, str) else tuple(each * size for each in self.sampling)
        return self.map(lambda _: value, uncertainty=law, sampling=moved)

    def _finite(self, factor: int | Fraction, offset: int | Fraction, *, real: bool) -> Any:  # noqa: ANN401 - numbers
        try:
            with np.errstate(over="raise"):
                return _linear(self.value, factor, offset, real=real)
        except (OverflowError, FloatingPointError):
            raise InvalidParameter("the result is too large for a float: compute with release.value") from None

    def _compared(self, other: Any) -> NoReturn:  # noqa: ANN401 - anything
        del other
        raise InvalidParameter(
            "a release has noise, so it is not compared by itself: compare release.value, or release.interval() to be "
            "sure in spite of the noise"
        )

    __lt__ = __le__ = __gt__ = __ge__ = _compared


def _public(other: Any, sign: str) -> int | Fraction:  # noqa: ANN401 - whatever stands beside a release
    """The public number beside a release, exactly."""
    if isinstance(other, LikeItsValue):
        raise InvalidParameter(
            f"release {sign} release: two releases err independently and cost both losses; compute with their values, "
            "and add their losses (one.loss + other.loss)"
        )
    number = other.item() if isinstance(other, np.number) else other
    known = not isinstance(number, bool) and isinstance(number, int | float | Fraction)
    if not known or not -LARGEST < number < LARGEST:
        raise InvalidParameter(
            f"release {sign} …: only a finite public number, got {type(other).__name__}; for others use release.map"
        )
    return number if isinstance(number, int) else Fraction(number)


def _linear(value: Any, factor: int | Fraction, offset: int | Fraction, *, real: bool) -> Any:  # noqa: ANN401 - numbers
    """Factor × value + offset; whole numbers stay whole, and exact, if both are."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, int | float | Fraction) and not isinstance(plain, bool):
        exactly = Fraction(plain) * factor + offset
        whole = isinstance(plain, int) and isinstance(factor, int) and isinstance(offset, int)
        return int(exactly) if whole and not real else float(exactly)
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iufO":
        raise InvalidParameter(f"a release of {_kind(value)} is no number: compute with release.value")
    if real or not isinstance(factor, int) or not isinstance(offset, int) or value.dtype.kind == "f":
        return value.astype(np.float64) * float(factor) + float(offset)
    wide = int(np.max(np.abs(value.astype(np.object_)), initial=0)) * abs(factor) + abs(offset) >= _INT64
    cells: NDArray[Any] = value.astype(np.object_ if wide else np.int64)
    return cells * factor + offset


def _kind(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.size} numbers"
    if isinstance(value, int | float | np.generic):
        return "one number"
    return "a text" if isinstance(value, str) else f"a {type(value).__name__}"
