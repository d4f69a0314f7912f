"""Reachable: what the frames of an exception hold, and what that holds in turn."""

import gc
import types
from collections.abc import Iterator

GLOBAL = (types.ModuleType, type, types.FrameType, types.CodeType, types.BuiltinFunctionType)


def reachable(problem: BaseException) -> Iterator[object]:
    """Everything that can be found from the frames of Privet in a traceback, but for modules and classes."""
    step = problem.__traceback__
    seen = set[int]()
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        queue: list[object] = list(step.tb_frame.f_locals.values()) if "/src/privet/" in file else []
        while queue:
            each = queue.pop()
            if id(each) in seen or isinstance(each, GLOBAL):
                continue
            seen.add(id(each))
            yield each
            if isinstance(each, types.FunctionType):  # not what is global for it
                queue += [cell.cell_contents for cell in each.__closure__ or ()]
            else:
                queue += gc.get_referents(each)
        step = step.tb_next
