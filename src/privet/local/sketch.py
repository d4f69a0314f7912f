"""Sketch: protocols for texts of any kind, whose values are hashed into a few buckets by functions that all know."""

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.categories import Categories
from privet.local.frequency_protocol import FrequencyProtocol
from privet.loss.exact import readable, whole

MOST_WIDE = 1 << 16
PER_DIGEST = 16  # functions that one SHA-256 is enough for
TABLE = 8  # times the devices: so many buckets of distinct values are looked up in a table, more are not
Numbers = NDArray[np.int64]


class Sketch(FrequencyProtocol):
    """What sketches share: `functions` hash functions into `width` buckets each, and the values that are looked for.

    The bucket of a value under function j is word j mod 16 of SHA-256(family, ⌊j/16⌋, value), modulo `width`, a power
    of two. What devices must know does not include the list of values: they may have any text. Who estimates says which
    values to look for, also later (`looking_for`). Two values that fall together do so for all devices with that
    function; the intervals include it, counting all that was not looked for as if it were one value.
    """

    functions: int
    width: int
    family: int
    candidates: Categories | None

    def _keep_functions(self, functions: int, width: int, family: int, candidates: Any) -> None:  # noqa: ANN401 - any list
        """Set the fields, after a check."""
        known = whole(width, "width", low=2, high=MOST_WIDE)
        if known & (known - 1):
            raise InvalidParameter(f"width must be a power of two, got {known}")
        self._keep(functions=whole(functions, "functions", high=MOST_WIDE), width=known)
        self._keep(family=whole(family, "family", low=0, high=2**32 - 1))
        self._keep(candidates=None if candidates is None else Categories(candidates))

    def looking_for(self, candidates: Any) -> Self:  # noqa: ANN401 - a list, or a number
        """The same protocol, whose estimates are of these values. Devices do not notice."""
        made = type(self).from_config(self.config)
        object.__setattr__(made, "candidates", Categories(candidates))
        return made

    @property
    def categories(self) -> Categories:  # type: ignore[override] # a field of others
        """The values that are looked for."""
        if self.candidates is None:
            raise InvalidParameter("say which values to look for: protocol.looking_for([…]).estimate(…)")
        return self.candidates

    @property
    def _function_config(self) -> dict[str, int]:
        return {"functions": self.functions, "width": self.width, "family": self.family}

    @property
    def _together(self) -> Fraction:
        """The probability that two values fall together."""
        return Fraction(1, self.width)

    @property
    def _collisions(self) -> float:
        return 1 / (self.functions * (self.width - 1))

    def _inputs(self, values: Any) -> NDArray[Any]:  # noqa: ANN401 - any column
        return texts_of(values)

    def buckets_of(self, texts: Iterable[str]) -> Numbers:
        """The bucket of each text under each function: one row a text."""
        blocks = -(-self.functions // PER_DIGEST)
        digests = b"".join(self._digest(text, block) for text in texts for block in range(blocks))
        words = np.frombuffer(digests, dtype=">u2").reshape(-1, blocks * PER_DIGEST)[:, : self.functions]
        return words.astype(np.int64) & (self.width - 1)

    def _hashed(self, functions: Numbers, texts: NDArray[Any]) -> Numbers:
        """The bucket of each text under its function."""
        distinct, which = np.unique(texts, return_inverse=True)
        if len(distinct) * self.functions <= TABLE * len(texts):
            return self.buckets_of(distinct.tolist())[which, functions]
        pairs = zip(functions.tolist(), texts.tolist(), strict=True)
        found = [self._digest(text, number // PER_DIGEST)[2 * (number % PER_DIGEST) :][:2] for number, text in pairs]
        return np.array([int.from_bytes(each, "big") for each in found], dtype=np.int64) & (self.width - 1)

    def _digest(self, text: str, block: int) -> bytes:
        return sha256(self.family.to_bytes(4, "big") + block.to_bytes(4, "big") + text.encode()).digest()

    @cached_property
    def _looked_up(self) -> Numbers:
        """The buckets of the values that are looked for."""
        return self.buckets_of(texts_of(self.categories.names).tolist())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.functions:,} × {self.width:,}, ε={readable(self.epsilon)})"


def texts_of(values: Any) -> NDArray[Any]:  # noqa: ANN401 - any column
    """Values as texts: whole numbers as they are written."""
    column = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        raise InvalidParameter("values must be a column of texts or whole numbers, one of each device")
    column = list(column)
    if not all(isinstance(each, str | int) for each in column):
        raise InvalidParameter("values must be texts or whole numbers, none missing: convert them first")
    try:
        "".join(each for each in column if isinstance(each, str)).encode()
    except UnicodeEncodeError:
        raise InvalidParameter("values must be texts that UTF-8 can write: replace lone surrogates first") from None
    return np.array([str(each) for each in column], dtype=np.object_)
