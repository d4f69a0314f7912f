"""Private files: what a ledger keeps on disk is written by its owner alone, and read by a group only if they say so."""

import stat
from contextlib import suppress
from pathlib import Path

from privet.errors import LedgerUnavailable

OTHERS = stat.S_IRWXO | stat.S_IWGRP | stat.S_IXGRP  # a group that may read, of auditors, is the owner's own doing
PRIVATE = 0o600


def make_private(*paths: Path) -> None:
    """Take from files what others than their owner may do with them; those that are not there are left out.

    It goes by name: to open and close a database would drop the locks that this process has on it.

    Raises:
        LedgerUnavailable: somebody else owns a file that others can use, or the disk knows no rights.
    """
    for path in paths:
        if _is_open_to_others(path):
            with suppress(OSError):
                path.chmod(PRIVATE)
            if _is_open_to_others(path):
                raise LedgerUnavailable(
                    f"others than its owner can read or write {path}: its owner runs `chmod 600` on it (640 lets a "
                    "group read it); users who share a ledger keep it in PostgreSQL"
                )


def _is_open_to_others(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:  # not there, or a folder that is not ours: who opens it is told
        return False
    return stat.S_ISREG(mode) and bool(mode & OTHERS)
