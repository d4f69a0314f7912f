"""Metrics: counts of requests for Prometheus, which are public: how many, by route and status, and no times."""

import threading
from collections import Counter

LABELS = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class Metrics:
    """Counts.

    Privacy: a count says that somebody asked and what status they got, which who asked sees too. Times, sizes, names,
        statements, prices and values are not counted: a time may depend on data.
    """

    def __init__(self) -> None:
        self._counted: Counter[tuple[str, str, int]] = Counter()
        self._working = 0
        self._turn = threading.Lock()

    def begin(self) -> None:
        """A request came."""
        with self._turn:
            self._working += 1

    def end(self, method: str, route: str, status: int) -> None:
        """It was answered.

        Args:
            method: of HTTP.
            route: the template of its path, never the path.
            status: of the answer.
        """
        with self._turn:
            self._working -= 1
            self._counted[method, route, status] += 1

    @property
    def working(self) -> int:
        """How many are in work."""
        return self._working

    def text(self) -> str:
        """All of them, in Prometheus' text format."""
        with self._turn:
            counted, working = sorted(self._counted.items()), self._working
        lines = [
            "# HELP privet_requests_total Requests by method, route and status.",
            "# TYPE privet_requests_total counter",
        ]
        for (method, route, status), times in counted:
            labels = f'method="{method.translate(LABELS)}",route="{route.translate(LABELS)}",status="{status}"'
            lines.append(f"privet_requests_total{{{labels}}} {times}")
        lines += ["# HELP privet_requests_working Requests in work.", "# TYPE privet_requests_working gauge"]
        return "\n".join([*lines, f"privet_requests_working {working}", ""])
