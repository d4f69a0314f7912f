"""Arrow types: what each of our types is in a column of Arrow."""

from collections.abc import Mapping
from types import MappingProxyType

import pyarrow as pa

from privet.query.scalars.facts import Type

ARROW: Mapping[Type, pa.DataType] = MappingProxyType(
    {
        Type.BOOLEAN: pa.bool_(),
        Type.INTEGER: pa.int64(),
        Type.REAL: pa.float64(),
        Type.TEXT: pa.string(),
        Type.DATE: pa.date32(),
        Type.TIMESTAMP: pa.timestamp("us"),
    }
)
