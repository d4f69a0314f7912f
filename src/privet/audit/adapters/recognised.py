"""Which adapter a thing needs, read off what it can do."""

from typing import Any

from privet.audit.adapters.diffprivlib import randomiser
from privet.audit.adapters.opacus import optimizer_step
from privet.audit.adapters.opendp import measurement

KNOWN = (
    (("randomise", "epsilon"), randomiser),
    (("output_measure", "map", "invoke"), measurement),
    (("clip_and_accumulate", "add_noise", "noise_multiplier"), optimizer_step),
)


def adapted(subject: Any) -> Any:  # noqa: ANN401 - anything
    """The subject itself, or adapted if it is of another library that is known."""
    if isinstance(subject, type):
        return subject
    for names, adapter in KNOWN:
        if all(hasattr(subject, name) for name in names):
            return adapter(subject)
    return subject
