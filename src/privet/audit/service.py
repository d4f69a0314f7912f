"""service: a service that answers requests, judged by everything in its responses."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from privet.audit.claim import Claim
from privet.audit.difference import KINDS, Difference
from privet.audit.finding import Finding
from privet.audit.looks import failure
from privet.audit.progress import Progress
from privet.audit.runs import name_of, outcome_of
from privet.audit.test import ALPHA
from privet.audit.test import test as sampled
from privet.audit.timing import Timing, compared_times
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import whole

Sending: TypeAlias = Callable[[Any], Any]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
NOISED = "#"
FEWEST = 20
CLAIM = Guarantee(1)
VARYING = "a value that varies"


@dataclass(frozen=True)
class Response:
    """What an observer sees of one response; `send` may return one, or what its library returns.

    Args:
        status: such as 200.
        headers: names and values, in their order.
        body: the text.

    Example:
        >>> Response.of((200, [("Content-Type", "text/plain")], "42")).status
        200
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: str

    @classmethod
    def of(cls, sent: Any) -> "Response":  # noqa: ANN401 - of any library
        """Of a response of httpx, requests, urllib, or a tuple (status, headers, body)."""
        if isinstance(sent, cls):
            return sent
        if isinstance(sent, tuple):
            status, headers, body = sent
        else:
            status = getattr(sent, "status_code", None) or getattr(sent, "status", None)
            headers, body = getattr(sent, "headers", {}), getattr(sent, "text", None)
            body = sent.read() if body is None and hasattr(sent, "read") else body
        if status is None or body is None:
            raise InvalidParameter(
                f"send must return a response, or (status, headers, body), got {type(sent).__name__}: build "
                "privet.audit.Response of it"
            )
        pairs = headers.items() if isinstance(headers, Mapping) or hasattr(headers, "items") else headers
        text = body.decode("utf-8", "backslashreplace") if isinstance(body, bytes) else str(body)
        return cls(int(status), tuple((str(name), str(value)) for name, value in pairs), text)

    @property
    def parts(self) -> dict[str, str]:
        """Everything but noised numbers, by name."""
        headers = {f"header {name}": value for name, value in self.headers}
        names = ", ".join(name for name, _ in self.headers)
        return {"status": str(self.status), "headers": names, **headers, "body": NUMBER.sub(NOISED, self.body)}

    @property
    def numbers(self) -> list[float]:
        """The numbers of the body, in their order."""
        return [float(each) for each in NUMBER.findall(self.body)]


@dataclass(frozen=True, repr=False)
class Served:
    """What the responses to two neighbors show.

    Args:
        subject: what was asked.
        runs: requests about either neighbor, taking turns.
        differences: what is always the one in all responses about one neighbor, and always another about the other.
        finding: what a statistical test of whole responses says: numbers, lengths, and whatever varies.
        timing: of the responses; reported apart, and part of no verdict.

    Example:
        >>> from privet.audit import service
        >>> found = service(lambda rows: (200, {"X-Rows": str(len(rows))}, ""), pair=([1, 2], [1, 2, 3]), trials=40)
        >>> found.violated, found.runs
        (True, 40)
    """

    subject: str
    runs: int
    differences: tuple[Difference, ...]
    finding: Finding
    timing: Timing

    @property
    def violated(self) -> bool:
        """Whether the responses tell neighbors apart more than is claimed."""
        return bool(self.differences) or self.finding.violated

    @property
    def exit_code(self) -> int:
        """For a script: 1 if something is violated, else 0."""
        return int(self.violated)

    @property
    def verdict(self) -> str:
        """What is violated."""
        if self.differences:
            first = self.differences[0]
            more = f", and {len(self.differences) - 1} more" if len(self.differences) > 1 else ""
            return f"violates the claim: {KINDS[first.kind]}: {first} in all of {self.runs:,} responses each{more}"
        return self.finding.verdict

    def __repr__(self) -> str:
        return f"Served({self.subject}: {self.verdict})"

    def __str__(self) -> str:
        told = [f"{each.kind}: {each}" for each in self.differences]
        return "\n".join((f"{self.subject}: {self.verdict}", *told, str(self.finding), f"apart: {self.timing.verdict}"))

    def to_json(self) -> str:
        """All of it as JSON."""
        said = {
            "subject": self.subject,
            "runs": self.runs,
            "differences": [asdict(each) for each in self.differences],
            "finding": json.loads(self.finding.to_json()),
            "timing": json.loads(self.timing.to_json()),
            "violated": self.violated,
            "verdict": self.verdict,
        }
        return json.dumps(said, ensure_ascii=False, allow_nan=False)


def service(  # noqa: PLR0913 - what is asked and how it is judged, each by name
    send: Sending,
    *,
    pair: Sequence[Any],
    claim: Claim = CLAIM,
    trials: int = 400,
    alpha: float = ALPHA,
    name: str | None = None,
    progress: bool | None = None,
) -> Served:
    """Ask a service about two neighbors, in turns, and compare all that its responses show.

    Status, headers and their order, and the body but for its numbers must be the same where they do not vary. What
    varies, the numbers, and how long the body is, are tested as one outcome, as by `test`.

    Args:
        send: asks about one neighbor and returns a response: of httpx, requests or urllib, a `Response`, or a tuple
            (status, headers, body). What it raises is an outcome, too. Each request must be answered with fresh noise.
        pair: what `send` is given: two databases, addresses of two services, two requests.
        claim: what is claimed of one response.
        trials: requests about either neighbor.
        alpha: the chance that the finding is wrong.
        name: what the service is called.
        progress: True to show how far it is from two seconds on, False never to; by default on terminals.

    Privacy: ask a service that has invented data.
    Proof: of differences: were a part of responses as likely about either neighbor, n times one value about one and n
        times another about the other, in turns, would come with probability at most 2 / (2n choose n): below 1e-10
        for n = 20.
    Not covered: connections, what is sent before a response is whole, and time, of which it says something apart.

    Example:
        >>> from privet.mechanisms import Laplace
        >>> from privet.noise import Entropy
        >>> def send(rows):
        ...     noisy = Laplace(1, 1).sample(float(len(rows)), Entropy())
        ...     return 200, {"X-Rows": str(len(rows))}, f'{{"count": {noisy}}}'
        >>> found = service(send, pair=([1, 2], [1, 2, 3]), trials=40)
        >>> print(found.differences[0])
        header X-Rows: 2 | 3
    """
    number = whole(trials, "trials", low=FEWEST)
    if len(pair) != 2:  # noqa: PLR2004 - two neighbors
        raise InvalidParameter("a service is asked about two neighbors: write pair=(one, other)")
    sent: tuple[list[Any], list[Any]] = ([], [])
    taken: tuple[list[float], list[float]] = ([], [])
    watch = Progress(2 * number, shown=progress)
    try:
        for turn in range(number):
            for side in (0, 1) if turn % 2 else (1, 0):  # neither is always the first
                began = time.perf_counter()
                heard = outcome_of(lambda side=side: send(pair[side]))  # type: ignore[misc] # of no argument
                taken[side].append(time.perf_counter() - began)
                sent[side].append(heard if isinstance(heard, Exception) else Response.of(heard))
            watch.step(2)
    finally:
        watch.end()
    called = name_of(send) if name is None else name
    seen = ([_parts(each) for each in sent[0]], [_parts(each) for each in sent[1]])
    finding = _tested(sent, seen, claim=claim, alpha=alpha, name=called)
    return Served(called, number, tuple(_always(seen)), finding, compared_times(called, taken))


def _parts(sent: Any) -> dict[str, str]:  # noqa: ANN401 - a response, or how it failed
    return sent.parts if isinstance(sent, Response) else {"failure": failure(sent)}


def _always(seen: tuple[list[dict[str, str]], list[dict[str, str]]]) -> Iterator[Difference]:
    """Parts that are always one thing about one neighbor, and always another about the other."""
    names = dict.fromkeys(name for side in seen for parts in side for name in parts)
    for name in sorted(names, key=lambda name: name != "failure"):
        one, other = ({parts.get(name, "nothing") for parts in side} for side in seen)
        if len(one) == len(other) == 1 and one != other:
            kind = "failure" if name in {"failure", "status"} else "answer"
            yield Difference("failure" if kind == "failure" else "answer", name, one.pop(), other.pop())


def _tested(
    sent: tuple[list[Any], list[Any]],
    seen: tuple[list[dict[str, str]], list[dict[str, str]]],
    **how: Any,  # noqa: ANN401 - as `test`
) -> Finding:
    """A test of whole responses. Headers that vary about one neighbor, such as dates, are told by their presence."""
    names = dict.fromkeys(name for side in seen for parts in side for name in parts)
    varying = {
        name
        for name in names
        if name.startswith("header ") and any(len({parts.get(name) for parts in side}) > 1 for side in seen)
    }

    def outcome(response: Any, parts: dict[str, str]) -> Any:  # noqa: ANN401 - a response, or how it failed
        if not isinstance(response, Response):
            return response
        told = [f"{name}: {VARYING if name in varying else value}" for name, value in parts.items()]
        return ("; ".join(told), float(len(response.body)), *response.numbers)

    outcomes = [[outcome(*each) for each in zip(*side, strict=True)] for side in zip(sent, seen, strict=True)]
    left = [iter(side) for side in outcomes]

    def next_ones(side: int, count: int) -> list[Any]:
        return [next(left[side]) for _ in range(count)]

    return sampled(next_ones, pair=(0, 1), trials=len(sent[0]), progress=False, **how)
