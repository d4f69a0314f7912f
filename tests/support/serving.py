"""A collector served over a socket of this machine, in a thread."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from privet.server.collect import make_collector_app
from privet.server.collector import Collector


@contextmanager
def served(collector: Collector, *, window: float = 0.01) -> Iterator[str]:
    """The address, as long as the context."""
    app = make_collector_app(collector, rate=None, window=window)
    config = uvicorn.Config(app, access_log=False, log_level="critical", server_header=False, date_header=False)
    with running(config) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def running(config: uvicorn.Config) -> Iterator[int]:
    """The port on 127.0.0.1 of a server, as long as the context."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(10)
