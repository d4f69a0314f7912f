"""The owner's log: why answers failed, in a file that nobody else can read."""

import json
import os
import stat
from datetime import UTC, datetime

VARIABLE = "PRIVET_FAILURE_LOG"  # of the process that answers, so that only who runs it can turn the log on
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def keep_reason(reason: str, *, ledger: str, analyst: str | None, entry: int) -> None:
    """Append one line of JSON to the file that PRIVET_FAILURE_LOG names; do nothing if it names none.

    Args:
        reason: what was raised, with its traceback; it may hold values of the data.
        ledger: where the ledger is.
        analyst: who asked.
        entry: the place of the spend in the ledger.

    Privacy: the file is made readable for its owner alone, and one that others can read, or a link, is not written to.
        Nothing about it reaches a ledger, a session or an error, whether it could be written or not.
    """
    path = os.environ.get(VARIABLE)
    if not path:
        return
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"at": at, "ledger": ledger, "analyst": analyst, "entry": entry, "reason": reason}) + "\n"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        file = os.open(path, flags, 0o600)
    except (OSError, ValueError):
        return
    try:
        if not os.fstat(file).st_mode & OTHERS:
            os.write(file, line.encode())
    except OSError:
        pass
    finally:
        os.close(file)
