"""What stands in for `open` and for paths, in terms of the simulated kernel."""

import os
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Self

from tests.core.journals.simulation.disk import FOLDER
from tests.core.journals.simulation.kernel import Os, Status


class File:
    """What the simulated `open` gives: a file that is written."""

    def __init__(self, system: Os, number: int) -> None:
        self._os = system
        self._number = number

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._os.close(self._number)

    def write(self, data: bytes) -> int:
        """Write on."""
        return self._os.write(self._number, data)

    def flush(self) -> None:
        """It is the kernel's already."""

    def fileno(self) -> int:
        """The descriptor."""
        return self._number


def opened(system: Os) -> Callable[..., File]:
    """Stands in for `open`."""

    def opens(path: object, mode: str = "rb", *, opener: Callable[[str, int], int] | None = None) -> File:
        if mode not in ("wb", "xb"):
            raise NotImplementedError(f"the simulated open has no mode {mode!r}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | (os.O_TRUNC if mode == "wb" else os.O_EXCL)
        return File(system, system.open(path, flags) if opener is None else opener(str(path), flags))

    return opens


class SimulatedPath(PurePosixPath):
    """Stands in for `Path`; `paths` says whose it is."""

    __slots__ = ()
    _os: Os

    def exists(self) -> bool:
        """Whether there is something."""
        return self._os.exists(self)

    is_file = exists

    def is_dir(self) -> bool:
        """Whether it is the folder."""
        return str(self) == FOLDER

    def is_symlink(self) -> bool:
        """There are no links."""
        return False

    def stat(self) -> Status:
        """What is there."""
        return self._os.stat(self)

    lstat = stat

    def replace(self, other: object) -> None:
        """Give it another name."""
        self._os.replace(self, other)

    rename = replace

    def unlink(self, *, missing_ok: bool = False) -> None:
        """Remove the name."""
        if not missing_ok or self.exists():
            self._os.unlink(self)

    def read_bytes(self) -> bytes:
        """All of it."""
        return self._os.read(self)

    def resolve(self) -> Self:
        """It is the place itself."""
        return self


def paths(system: Os) -> type[SimulatedPath]:
    """The paths of one kernel."""
    return type("SimulatedPath", (SimulatedPath,), {"_os": system, "__slots__": ()})
