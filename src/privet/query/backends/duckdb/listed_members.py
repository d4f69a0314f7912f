"""Listed members: the lists of a table, taken apart in arrays. There may be millions of members in all."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from privet.query.measures.members import Numbers


def listed(table: pa.Table) -> Iterator[tuple[tuple[Any, ...], Numbers]]:
    """The keys of each group, as Python has them, and its list.

    Args:
        table: any number of keys, then a list of whole numbers.

    Example:
        >>> table = pa.table({"k1": ["a", None], "members": [[3, 1], [2]]})
        >>> [(keys, members.tolist()) for keys, members in listed(table)]
        [(('a',), [3, 1]), ((None,), [2])]
    """
    for chunk in table.to_batches():
        lists = chunk.column(chunk.num_columns - 1)
        numbers = np.asarray(lists.flatten().to_numpy(zero_copy_only=False), dtype=np.int64)
        sizes = np.asarray(lists.value_lengths().to_numpy(zero_copy_only=False), dtype=np.int64)
        parts = np.split(numbers, np.cumsum(sizes)[:-1])
        keys = [column.to_pylist() for column in chunk.columns[:-1]]
        for number, part in enumerate(parts[: chunk.num_rows]):
            yield tuple(column[number] for column in keys), part
