"""A collector that is killed: imported once, then a child a round, which serves until it dies.

Run as a script: reads a port and a file from the command line, and one line for each child to start; answers with the
child's process id. So a round costs a fork, not a start of Python.
"""

import os
import socket
import sys
import warnings
from pathlib import Path

import uvicorn

from privet.local.device import SigningKey
from privet.server.collect import make_collector_app
from privet.server.collector import Collector
from privet.server.collector.sqlite_store import SqliteStore


def serve(path: Path, listener: socket.socket) -> None:
    """Serve until killed."""
    made = Collector(SqliteStore(path), SigningKey(bytes(32)))
    app = make_collector_app(made, rate=None, window=0.002)
    config = uvicorn.Config(app, access_log=False, log_level="critical")
    uvicorn.Server(config).run(sockets=[listener])


def main() -> None:
    """Fork a child for each line."""
    warnings.simplefilter("ignore")
    path, listener = Path(sys.argv[1]), socket.create_server(("127.0.0.1", 0), backlog=200)
    print(listener.getsockname()[1], flush=True)  # noqa: T201 - for who started it
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            serve(path, listener)
            os._exit(0)
        print(child, flush=True)  # noqa: T201 - for who started it
        os.waitpid(child, 0)
        print("dead", flush=True)  # noqa: T201 - for who started it


if __name__ == "__main__":
    main()
