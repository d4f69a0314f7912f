"""A disk in memory that can lose its power: what was synced is there, and of the rest whatever happened to arrive.

The model is Linux's: writes go to pages in memory, in order; each sector of a page that was not synced holds what the
page held at some moment since the last sync, whichever moment that was, each sector for itself; so does the size of the
file. Names (creations, links, renames, removals) are lost unless their folder was synced, in order or one by one. A
sync that fails leaves pages that nobody writes again (they count as clean), and on the disk either of the two.
"""

from collections.abc import Callable, Mapping
from pathlib import PurePath
from random import Random

from tests.core.journals.disk.shim import Event

PAGE, SECTOR = 4096, 512
INDEX = "-shm"  # the log's index, which is mapped: what is written there is not seen, so after a loss it is anything


class File:
    """The bytes of a file: in memory, and on the disk."""

    def __init__(self, data: bytes = b"") -> None:
        self.cache = self.disk = data
        self._sizes = [len(data)]  # since the last sync, oldest first
        self._pages: dict[int, list[bytes]] = {}  # of each page that is not synced: what it held, the disk's first

    def write(self, at: int, data: bytes) -> None:
        grown = self.cache.ljust(at, b"\0")
        self._become(grown[:at] + data + grown[at + len(data) :], at, at + len(data))

    def truncate(self, size: int) -> None:
        before = len(self.cache)
        self._become(self.cache[:size].ljust(size, b"\0"), min(size, before), max(size, before))

    def _become(self, data: bytes, start: int, end: int) -> None:
        self.cache = data
        self._sizes.append(len(data))
        for page in range(start // PAGE, -(-end // PAGE)):
            self._pages.setdefault(page, [_page(self.disk, page)]).append(_page(data, page))

    def sync(self) -> None:
        self._settle(lambda versions: versions[-1], len(self.cache))

    def fail_to_sync(self, chance: Random) -> None:
        self._settle(chance.choice, chance.choice(self._sizes))

    def _settle(self, choice: Callable[[list[bytes]], bytes], size: int) -> None:
        self.disk = _with(self.disk, {page: choice(versions) for page, versions in self._pages.items()}, size)
        self._pages = {}
        self._sizes = [size]

    def after_a_loss(self, chance: Random, sector: int) -> bytes:
        """What the disk may hold if the power is lost now."""
        if not self._pages:
            return self.disk[: chance.choice(self._sizes)]
        late = chance.choice((0.0, 0.5, 0.9, 1.0))  # how likely a sector is the newest

        def arrived(versions: list[bytes]) -> bytes:
            picked = (
                versions[-1] if chance.random() < late else chance.choice(versions) for _ in range(0, PAGE, sector)
            )
            return b"".join(
                version[at : at + sector] for at, version in zip(range(0, PAGE, sector), picked, strict=True)
            )

        size = self._sizes[-1] if chance.random() < late else chance.choice(self._sizes)
        return _with(self.disk, {page: arrived(versions) for page, versions in self._pages.items()}, size)


class Platter:
    """One folder on a disk.

    Args:
        files: what is there and safe.
        chance: what happens to be lost.
        lies: says of a path whether the disk only pretends to sync it.
    """

    def __init__(
        self, files: Mapping[str, bytes], chance: Random, lies: Callable[[str], bool] = lambda _: False
    ) -> None:
        self._chance = chance
        self._lies = lies
        self._safe = {name: File(data) for name, data in files.items() if not name.endswith(INDEX)}
        self._names = dict(self._safe)
        self._unsafe: list[dict[str, File | None]] = []  # changes of names, each done or not

    def happen(self, event: Event) -> None:
        """One thing that reached the disk's memory."""
        name = PurePath(event.path).name
        if name.endswith(INDEX):
            return
        found = self._names.get(name)
        other = PurePath(event.other).name
        if event.kind == "created":
            self._rename({name: File()})
        elif event.kind == "unlink":
            self._rename({name: None})
        elif event.kind in ("link", "rename"):
            self._rename({other: found} if event.kind == "link" else {other: found, name: None})
        elif event.kind.startswith("sync") and not self._lies(event.path):
            self._sync(found, failed=event.kind != "sync")
        elif event.kind == "write" and found is not None:
            found.write(event.at, event.data)
        elif event.kind == "truncate" and found is not None:
            found.truncate(event.at)

    def _rename(self, change: dict[str, File | None]) -> None:
        self._unsafe.append(change)
        self._names = _renamed(self._names, [change])

    def _sync(self, found: File | None, *, failed: bool) -> None:
        if found is not None and failed:
            found.fail_to_sync(self._chance)
        elif found is not None:
            found.sync()
        elif not failed:  # the folder itself
            self._safe = dict(self._names)
            self._unsafe = []

    def everything(self) -> dict[str, bytes]:
        """What is there if all arrived just in time."""
        return {name: file.cache for name, file in self._names.items()}

    def nothing(self) -> dict[str, bytes]:
        """What is there if only the synced arrived."""
        return {name: file.disk for name, file in self._safe.items()}

    def after_a_loss(self) -> dict[str, bytes]:
        """What may be there if the power is lost now."""
        chance = self._chance
        sector = self._chance.choice((SECTOR, PAGE))
        if chance.random() < 0.5:
            arrived = self._unsafe[: chance.randint(0, len(self._unsafe))]
        else:
            arrived = [change for change in self._unsafe if chance.random() < 0.5]
        names = _renamed(self._safe, arrived)
        left = {name: file.after_a_loss(chance, sector) for name, file in names.items()}
        index = next((f"{name}{INDEX}" for name in left if name.endswith(".db")), None)
        if index is not None and chance.random() < 0.5:
            left[index] = chance.randbytes(chance.choice((0, 1, SECTOR, 8 * PAGE)))
        return left


def _renamed(names: Mapping[str, File], changes: list[dict[str, File | None]]) -> dict[str, File]:
    found: dict[str, File | None] = dict(names)
    for change in changes:
        found |= change
    return {name: file for name, file in found.items() if file is not None}


def _page(data: bytes, page: int) -> bytes:
    return data[page * PAGE : (page + 1) * PAGE].ljust(PAGE, b"\0")


def _with(data: bytes, pages: Mapping[int, bytes], size: int) -> bytes:
    """The data with some pages replaced, cut or filled up to a size."""
    grown = bytearray(data.ljust(max(size, *((page + 1) * PAGE for page in pages), 0) if pages else size, b"\0"))
    for page, content in pages.items():
        grown[page * PAGE : (page + 1) * PAGE] = content
    return bytes(grown[:size])
