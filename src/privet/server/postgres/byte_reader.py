"""ByteReader: the numbers and texts in the body of one message."""

from typing import TypeVar

HALF, WORD = 2, 4  # bytes of the two kinds of numbers
NULL = 0xFFFFFFFF
T = TypeVar("T")


class MalformedError(Exception):
    """What came is no message; the text is one of ours and holds nothing of what came."""


class BrokenTextError(Exception):
    """A text is no UTF-8.

    Args:
        kind: the letter of its message; 0 of the first.
    """

    def __init__(self, kind: int = 0) -> None:
        super().__init__()
        self.kind = kind


class ByteReader:
    """Reads a body from its beginning to its end.

    Args:
        body: of one message.
        start: where to begin.

    Raises:
        MalformedError: whenever there is less, or at the end more, than the message says.
    """

    def __init__(self, body: bytes, start: int = 0) -> None:
        self._body = body
        self._at = start

    def take(self, length: int) -> bytes:
        """So many bytes."""
        if length > len(self._body) - self._at:
            raise MalformedError("a message ends before it should")
        self._at += length
        return self._body[self._at - length : self._at]

    def letter(self) -> bytes:
        """One byte."""
        return self.take(1)

    def half(self) -> int:
        """A whole number of two bytes."""
        return int.from_bytes(self.take(HALF))

    def word(self) -> int:
        """A whole number of four bytes."""
        return int.from_bytes(self.take(WORD))

    def count(self, size: int) -> int:
        """How many things follow, of at least `size` bytes each: no more than there is room for."""
        number = self.half()
        if number * size > len(self._body) - self._at:
            raise MalformedError("a message ends before it should")
        return number

    def text(self) -> str:
        """A text that ends with the letter 0."""
        end = self._body.find(0, self._at)
        if end < 0:
            raise MalformedError("a text does not end")
        found = self.take(end - self._at)
        self._at += 1
        try:
            return found.decode()
        except UnicodeDecodeError:
            raise BrokenTextError from None

    def value(self) -> bytes | None:
        """A value after its length; None for NULL."""
        length = self.word()
        return None if length == NULL else self.take(length)

    def rest(self) -> bytes:
        """All that is left."""
        return self.take(len(self._body) - self._at)

    def end(self) -> None:
        """Refuse what stands behind the end."""
        if self._at != len(self._body):
            raise MalformedError("a message does not end where it should")

    def whole(self, read: T) -> T:
        """What was read, if that was all."""
        self.end()
        return read
