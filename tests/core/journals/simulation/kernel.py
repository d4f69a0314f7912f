"""The simulated operating system: what stands in for `os`."""

import errno
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.core.journals.simulation.disk import FOLDER, Inode

if TYPE_CHECKING:
    from tests.core.journals.simulation.tasks import Process
    from tests.core.journals.simulation.world import World

CALL = 20e-6  # seconds that a system call takes
FLUSH = 500e-6  # that a flush takes
FOREVER = float("inf")


class OpenFile:
    """What a descriptor stands for."""

    def __init__(self, inode: Inode, process: "Process") -> None:
        self.inode = inode
        self.process = process
        self.position = 0

    def drop_locks(self) -> None:
        """Its own locks go with it; and all of this process's POSIX locks on the file, whoever made them."""
        self.inode.flocks.pop(self, None)
        for place in [place for place, file in self.inode.bytes_locked.items() if file is self]:
            del self.inode.bytes_locked[place]
        if self.inode.on_close is not None:
            self.inode.on_close(self.process)


class Status:
    """What `stat` tells."""

    def __init__(self, inode: Inode) -> None:
        self.st_dev = inode.device
        self.st_ino = inode.number
        self.st_nlink = inode.links
        self.st_mode = 0o100000 | inode.mode
        self.st_size = len(inode.data)
        self.st_uid = os.getuid()
        self.st_gid = os.getgid()


def _problem(number: int, path: object = None) -> OSError:
    return OSError(number, os.strerror(number), path)


class Os:
    """Stands in for the module `os`; names that are no calls are the real ones."""

    REAL = frozenset({"path", "stat_result", "PathLike", "fspath", "strerror", "environ", "getuid", "geteuid"})

    def __init__(self, world: "Callable[[], World]") -> None:
        self._world = world
        self._numbers = 100

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - constants of every kind
        if name.isupper() or name in self.REAL:
            return getattr(os, name)
        raise NotImplementedError(f"the simulated os has no {name}: add it to Os in {__name__}")

    def getpid(self) -> int:
        """The number of the process that runs."""
        task = self._world().current
        return 0 if task is None else task.process.number

    def register_at_fork(self, **_: object) -> None:
        """Nobody forks here."""

    def open(self, path: object, flags: int, mode: int = 0o777) -> int:
        """Open a file of the one folder, or the folder."""
        name = str(path)
        task = self._world().step(f"open {_short(name)}")
        disk = self._world().disk
        if name == FOLDER:
            inode = disk.folder
        elif name in disk.names:
            if flags & os.O_CREAT and flags & os.O_EXCL:
                raise _problem(errno.EEXIST, name)
            inode = disk.names[name]
        elif flags & os.O_CREAT:
            inode = disk.make(name)
            inode.mode = mode & ~0o022
        else:
            raise _problem(errno.ENOENT, name)
        if flags & os.O_TRUNC:
            inode.data.clear()
        self._numbers += 1
        task.process.files[self._numbers] = OpenFile(inode, task.process)
        self._world().back()
        return self._numbers

    def close(self, file: int) -> None:
        """Close a descriptor."""
        task = self._world().step("close")
        found = task.process.files.pop(file, None)
        if found is None:
            raise _problem(errno.EBADF)
        found.drop_locks()
        self._world().back()

    def file(self, file: int) -> OpenFile:
        """What a descriptor of the running process stands for."""
        found = self._world().running().process.files.get(file)
        if found is None:
            raise _problem(errno.EBADF)
        assert isinstance(found, OpenFile)
        return found

    def exists(self, path: object) -> bool:
        """Whether there is something at a path."""
        self._world().running()
        return str(path) == FOLDER or str(path) in self._world().disk.names

    def stat(self, path: object) -> Status:
        """What is at a path."""
        self._world().running()
        name = str(path)
        inode = self._world().disk.names.get(name)
        if inode is None:
            if name == FOLDER:
                return Status(self._world().disk.folder)
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        return Status(inode)

    lstat = stat

    def fstat(self, file: int) -> Status:
        """What a descriptor leads to."""
        return Status(self.file(file).inode)

    def read(self, path: object) -> bytes:
        """All that is at a path: for paths, which read so."""
        self._world().running()
        if str(path) not in self._world().disk.names:
            raise _problem(errno.ENOENT, str(path))
        return bytes(self._world().disk.names[str(path)].data)

    def pread(self, file: int, count: int, offset: int) -> bytes:
        """Read at a place."""
        return bytes(self.file(file).inode.data[offset : offset + count])

    def pwrite(self, file: int, data: bytes, offset: int) -> int:
        """Write at a place."""
        self._world().step(f"pwrite at {offset}")
        self.file(file).inode.write(offset, data)
        self._world().back()
        return len(data)

    def write(self, file: int, data: bytes) -> int:
        """Write at the end of what this descriptor wrote."""
        self._world().step("write")
        found = self.file(file)
        found.inode.write(found.position, data)
        found.position += len(data)
        return len(data)

    def fsync(self, file: int) -> None:
        """Flush a file, or the names of the folder."""
        self._world().step("fsync", FLUSH)
        inode = self.file(file).inode
        if inode is self._world().disk.folder:
            self._world().disk.sync_names()
        else:
            inode.sync()
        self._world().back()

    fdatasync = fsync

    def fchmod(self, file: int, mode: int) -> None:
        """Change who may read a file."""
        self._world().step("fchmod")
        self.file(file).inode.mode = mode

    def chmod(self, path: object, mode: int) -> None:
        """Change who may read a file."""
        self._world().step(f"chmod {_short(path)}")
        self._world().disk.names[str(path)].mode = mode

    def link(self, path: object, other: object) -> None:
        """Give a file a second name."""
        self._world().step(f"link {_short(path)} as {_short(other)}")
        if str(other) in self._world().disk.names:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(other))
        self._world().disk.name(str(other), self._world().disk.names[str(path)])
        self._world().back()

    def replace(self, path: object, other: object) -> None:
        """Give a file another name, in place of the one that had it."""
        self._world().step(f"rename {_short(path)} to {_short(other)}")
        disk = self._world().disk
        inode = disk.names.get(str(path))
        if inode is None:
            raise _problem(errno.ENOENT, str(path))
        disk.name(str(other), inode)
        disk.forget(str(path))
        self._world().back()

    rename = replace

    def unlink(self, path: object) -> None:
        """Remove a name."""
        self._world().step(f"unlink {_short(path)}")
        if str(path) not in self._world().disk.names:
            raise _problem(errno.ENOENT, str(path))
        self._world().disk.forget(str(path))
        self._world().back()

    remove = unlink


def _short(path: object) -> str:
    return str(path).removeprefix(FOLDER).removeprefix("/") or "the folder"
