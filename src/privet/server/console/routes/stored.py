"""stored: an answer of who asks, by its number."""

from privet.errors import NotAllowed
from privet.server.console.downloads import KINDS
from privet.server.console.routes.route import away
from privet.server.console.visit import Visit
from privet.server.desk import Asked

NOT_YOURS = "there is no such answer of yours"


async def stored(visit: Visit, number: str, kind: str = "") -> Asked:
    """The answer, if it is the asker's own; batches have no page here.

    Raises:
        NotAllowed: there is none, it is somebody else's, or it has no file of this kind: nobody can tell which.
    """
    if kind and kind not in KINDS:
        raise NotAllowed(NOT_YOURS)
    found = await away(visit.doors.desk.stored, visit.asker, number)
    if not isinstance(found, Asked):
        raise NotAllowed(NOT_YOURS)
    return found
