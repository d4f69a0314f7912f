"""BoundedSteps: a parser that gives up, where trying one way after the other would take for ever."""

PER_WORD = 50  # steps; ordinary statements take less than two
AT_LEAST = 1_000


class TooManyStepsError(Exception):
    """The parser went back too often."""


class BoundedSteps:
    """Put before a parser of sqlglot, counts its steps.

    Nested lists and the like are read twice at each depth, so that forty brackets would take years. Which texts are
    refused follows from the text alone, on every machine alike.
    """

    _tokens_size: int
    _steps = 0

    def _advance(self, times: int = 1) -> None:
        self._steps += 1
        if self._steps > PER_WORD * self._tokens_size + AT_LEAST:
            raise TooManyStepsError
        super()._advance(times)  # type: ignore[misc] # of the parser that it is put before
