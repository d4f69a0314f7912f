import os
import time

import server


def test_what_processes_compute_is_counted() -> None:
    before, end = server.cpu([os.getpid()]), time.process_time() + 0.05
    while time.process_time() < end:
        pass
    assert server.cpu([os.getpid()]) - before > 0.02
    assert server.cpu([]) == 0


def test_new_statements_are_new() -> None:
    assert len({server.new_statement() for _ in range(100)}) == 100
    assert server.SAME not in {server.new_statement() for _ in range(100)}
