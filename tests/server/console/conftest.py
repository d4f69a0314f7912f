"""One console for a whole file where nothing is spent that another test counts."""

from collections.abc import Iterator

import pytest

from tests.support.console import Hall, invented, opened


@pytest.fixture
def hall() -> Iterator[Hall]:
    with opened(invented()) as found:
        yield found
