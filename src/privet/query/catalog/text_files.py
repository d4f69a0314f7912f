"""Text files: what the ending of a CSV or TSV file says about it, and its bytes, unpacked."""

from typing import Any

import pyarrow as pa

COMMAS, TABS = ",", "\t"
PACKED = {".gz": "gzip", ".zst": "zstd"}  # what an ending says that a file is packed with
ENDINGS = tuple(f"{kind}{packed}" for packed in ("", *PACKED) for kind in (".csv", ".tsv"))
PIECE = 1 << 20  # bytes that are unpacked at once, whatever an archive says of its size


def between(file: str) -> str:
    """What stands between the fields of a file: its ending says so, not its rows."""
    name = file.lower()
    return TABS if any(name.endswith(f".tsv{packed}") for packed in ("", *PACKED)) else COMMAS


def packed_with(file: str) -> str | None:
    """How a file is packed; None if it is not."""
    return next((kind for ending, kind in PACKED.items() if file.lower().endswith(ending)), None)


def unpacked(file: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """A stream of a file's bytes, unpacked; it raises OSError where an archive is cut short or broken.

    Args:
        file: a path, or an open file with a name.

    Privacy: an archive says nothing of its rows but by its bytes: whether it is whole is a matter of the file. A piece
        of a fixed size is unpacked at a time, so what grows without end fills no memory.
    """
    return pa.input_stream(file, compression=packed_with(str(getattr(file, "name", file))))
