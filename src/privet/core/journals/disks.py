"""Disks: a ledger needs one whose locks and writes can be trusted."""

import os
import re
from pathlib import Path

from privet.errors import LedgerUnavailable

MOUNTS = Path("/proc/self/mountinfo")
REMOTE = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs"}
    | {"nfs", "nfs4", "ocfs2", "orangefs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs"}
)
LOCAL_FUSE = frozenset({"fuse.fuse-overlayfs", "fuseblk"})
_OCTAL = re.compile(r"\\([0-7]{3})")  # how the kernel writes spaces in names


def refuse_remote(path: Path) -> None:
    """Raise if a file would lie on a network file system: locks there are a matter of luck."""
    kind = kind_of_disk(path)
    if kind in REMOTE or (kind.startswith("fuse.") and kind not in LOCAL_FUSE):
        raise LedgerUnavailable(
            f"{path} lies on a network file system ({kind}), where locks cannot be trusted: put the ledger on a local "
            "disk, or into PostgreSQL"
        )


def kind_of_disk(path: Path) -> str:
    """The type of the file system a path lies on, such as "ext4"."""
    try:
        lines = MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        raise LedgerUnavailable(
            f"{MOUNTS} cannot be read, so nobody knows whether {path} lies on a local disk: SQLite ledgers need Linux"
        ) from None
    here = os.path.realpath(path)
    found = ("", "unknown")
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        point = _OCTAL.sub(lambda code: chr(int(code[1], 8)), fields[4]) if len(fields) > 4 else ""  # noqa: PLR2004 - the fifth field
        inside = here == point or here.startswith(point.rstrip("/") + "/")
        if point and inside and len(point) >= len(found[0]):  # of equals the later mount hides the earlier
            found = (point, after.split(" ")[0])
    return found[1]
