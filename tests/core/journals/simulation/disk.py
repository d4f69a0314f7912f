"""Disk: files whose bytes and names are lost with the power unless they were flushed."""

import itertools
import random
from collections.abc import Callable
from typing import Any, Protocol

SECTOR = 512
FOLDER = "/disk"


_DEVICES = itertools.count(1)


class Content(Protocol):
    """What a file of the database holds; it is not simulated byte by byte."""

    def sync(self) -> None:
        """All of it is durable now."""

    def lose_power(self, chance: random.Random) -> None:
        """Forget what was not flushed, or a part of it."""


class Inode:
    """A file or a folder."""

    def __init__(self, device: int, number: int) -> None:
        self.device = device
        self.number = number
        self.links = 0
        self.mode = 0o600
        self.data = bytearray()
        self.durable = b""
        self.writes: list[tuple[int, bytes]] = []  # since the last flush
        self.content: Content | None = None
        self.flocks: dict[Any, bool] = {}  # by open file: whether it is alone
        self.bytes_locked: dict[int, Any] = {}  # locks of an open file on one byte
        self.on_close: Callable[[Any], None] | None = None  # what a process loses when it closes any descriptor

    def write(self, offset: int, data: bytes) -> None:
        """Write, to be flushed later."""
        if len(self.data) < offset:
            self.data.extend(bytes(offset - len(self.data)))
        self.data[offset : offset + len(data)] = data
        self.writes.append((offset, bytes(data)))

    def sync(self) -> None:
        """Flush the bytes to the disk."""
        self.durable = bytes(self.data)
        self.writes.clear()
        if self.content is not None:
            self.content.sync()

    def lose_power(self, chance: random.Random) -> None:
        """Each sector that was written since the last flush is there or is not; locks are gone."""
        self.flocks.clear()
        self.bytes_locked.clear()
        left = bytearray(self.durable)
        for offset, data in self.writes:
            for start in range(0, len(data), SECTOR):
                if chance.random() < 0.5:
                    part = data[start : start + SECTOR]
                    place = offset + start
                    left.extend(bytes(max(0, place - len(left))))
                    left[place : place + len(part)] = part
        self.data = left
        self.durable = bytes(left)
        self.writes.clear()
        if self.content is not None:
            self.content.lose_power(chance)


class Disk:
    """One folder."""

    def __init__(self) -> None:
        self._device = next(_DEVICES)  # what a process remembers of files by their numbers does not meet another world
        self.folder = Inode(self._device, 2)
        self.names: dict[str, Inode] = {}
        self.durable_names: dict[str, Inode] = {}
        self._changes: list[tuple[str, Inode | None]] = []
        self._inodes = 2

    def make(self, name: str) -> Inode:
        """A new file; its name is durable once the folder is flushed."""
        self._inodes += 1
        inode = Inode(self._device, self._inodes)
        self.name(name, inode)
        return inode

    def name(self, name: str, inode: Inode) -> None:
        """Give a file a name, in place of whatever had it."""
        if name in self.names:
            self.names[name].links -= 1
        self.names[name] = inode
        inode.links += 1
        self._changes.append((name, inode))

    def forget(self, name: str) -> None:
        """Remove a name."""
        self.names.pop(name).links -= 1
        self._changes.append((name, None))

    def sync_names(self) -> None:
        """Flush the folder."""
        self.durable_names = dict(self.names)
        self._changes.clear()

    def lose_power(self, chance: random.Random) -> None:
        """Of the names that were changed since the last flush the first few are durable, as a log of them keeps."""
        names = dict(self.durable_names)
        for name, inode in self._changes[: int(chance.random() * (len(self._changes) + 1))]:
            if inode is None:
                names.pop(name, None)
            else:
                names[name] = inode
        self.names = names
        self.durable_names = dict(names)
        self._changes.clear()
        inodes = list(dict.fromkeys(names.values()))
        for inode in inodes:
            inode.links = sum(each is inode for each in names.values())
            inode.lose_power(chance)
