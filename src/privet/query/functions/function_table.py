"""Function table: every function a query can call, by name. What is not here never reaches an engine."""

from collections.abc import Mapping
from types import MappingProxyType

from privet.query.functions.arithmetic import ARITHMETIC
from privet.query.functions.casts import CASTS
from privet.query.functions.curves import CURVES
from privet.query.functions.logic import LOGIC
from privet.query.functions.patterns import PATTERNS
from privet.query.functions.rule import Rule
from privet.query.functions.text_parts import TEXT_PARTS
from privet.query.functions.texts import TEXTS
from privet.query.functions.times import TIMES

FUNCTIONS: Mapping[str, Rule] = MappingProxyType(
    LOGIC | ARITHMETIC | CURVES | CASTS | TEXTS | TEXT_PARTS | PATTERNS | TIMES
)
