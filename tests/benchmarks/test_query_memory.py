"""Memory of processes, seen from outside."""

import subprocess
import sys

from query_memory import memory_of, watch

MB = 1_000_000
WORK = "import time; block = bytearray(b'x' * 120_000_000); print('done', flush=True); time.sleep(0.3)"
CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {WORK!r}]); print('parent')"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_the_peak_of_a_process_is_seen() -> None:
    small = watch(python("print('x')"))
    large = watch(python(WORK))
    assert (large.lines, large.problem) == (("done",), None)
    assert 120 * MB < large.peak < 400 * MB
    assert small.peak < 100 * MB


def test_the_peak_of_its_children_is_seen() -> None:
    watched = watch(python(CHILD))
    assert watched.lines == ("done", "parent")
    assert watched.peak > 125 * MB


def test_a_server_that_works_for_it_is_seen() -> None:
    with subprocess.Popen(python("x = bytearray(b'x' * 120_000_000); input()"), stdin=subprocess.PIPE) as server:  # noqa: S603
        assert watch(python("import time; time.sleep(0.8)"), also=[server.pid]).peak > 120 * MB
        server.communicate(b"\n")


def test_what_was_printed_before_a_failure_is_kept() -> None:
    watched = watch(python("import sys; print('first', flush=True); sys.exit('no more')"))
    assert (watched.lines, watched.problem) == (("first",), "no more")


def test_a_silent_failure_has_a_number() -> None:
    assert watch(python("import os; os._exit(3)")).problem == "exit 3"


def test_a_process_that_does_not_end_is_ended() -> None:
    watched = watch(python("import time; print('first', flush=True); time.sleep(60)"), seconds=0.5)
    assert (watched.lines, watched.problem) == (("first",), "ended after 0 s")


def test_the_environment_is_passed_on() -> None:
    code = "import os; print(os.environ['PRIVET_SAID'], 'PATH' in os.environ)"
    assert watch(python(code), environment={"PRIVET_SAID": "yes"}).lines == ("yes True",)


def test_a_process_that_is_gone_has_no_memory() -> None:
    assert memory_of([2**30]) == 0
