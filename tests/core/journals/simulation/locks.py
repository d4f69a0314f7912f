"""Locks of the simulated kernel: what stands in for `fcntl`."""

import errno
import fcntl
import os
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.core.journals.simulation.kernel import FOREVER, Os

if TYPE_CHECKING:
    from tests.core.journals.simulation.world import World


class Fcntl:
    """Stands in for the module `fcntl`: locks of open files, on the whole and on single bytes."""

    def __init__(self, world: "Callable[[], World]", system: Os) -> None:
        self._world = world
        self._os = system

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - constants
        return getattr(fcntl, name)

    def flock(self, file: int, how: int) -> None:
        """Lock a file together, alone, or no more."""
        world = self._world()
        words = "unlock" if how & fcntl.LOCK_UN else "lock alone" if how & fcntl.LOCK_EX else "lock together"
        world.step(f"flock: {words}")
        found = self._os.file(file)
        alone = bool(how & fcntl.LOCK_EX)
        locks = found.inode.flocks
        locks.pop(found, None) if how & fcntl.LOCK_UN else None

        def free() -> bool:
            return not any(each is not found and (alone or there) for each, there in locks.items())

        if not how & fcntl.LOCK_UN:
            while not free():
                if how & fcntl.LOCK_NB:
                    raise BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK))
                world.wait("flock", free, FOREVER)
            locks[found] = alone
        world.back()

    def fcntl(self, file: int, command: int, flock: bytes) -> bytes:
        """Lock one byte, or ask who has."""
        kind, _, place, _, _ = struct.unpack("hhqqi4x", flock)
        self._world().step(f"fcntl {'look at' if command == fcntl.F_OFD_GETLK else 'set'} byte {place}")
        found = self._os.file(file)
        holder = found.inode.bytes_locked.get(place)
        if command == fcntl.F_OFD_GETLK:
            free = holder is None or holder is found
            return struct.pack("hhqqi4x", fcntl.F_UNLCK if free else fcntl.F_WRLCK, 0, place, 1, 0)
        if command != fcntl.F_OFD_SETLK:
            raise NotImplementedError("the simulated fcntl knows OFD locks only")
        if kind == fcntl.F_UNLCK:
            if holder is found:
                del found.inode.bytes_locked[place]
        elif holder not in (None, found):
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        else:
            found.inode.bytes_locked[place] = found
        self._world().back()
        return flock
