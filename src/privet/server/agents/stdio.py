"""serve_stdio: the agents' door for one agent that starts the process itself and speaks through its pipes."""

from collections.abc import Callable

import anyio
from mcp.server.stdio import stdio_server

from privet.server.agents.calls import Calls
from privet.server.agents.mcp_server import mcp_server
from privet.server.desk import Asker


def serve_stdio(calls: Calls, asker: Callable[[], Asker]) -> None:
    """Answer until the other side closes the pipe.

    Args:
        calls: which answer tools.
        asker: gives for whom the process was started; it is asked at each call.
    """
    anyio.run(_serve, calls, asker)


async def _serve(calls: Calls, asker: Callable[[], Asker]) -> None:
    server = mcp_server(calls, lambda _: asker())
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
