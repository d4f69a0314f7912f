"""mcp_server: the agents' door in the Model Context Protocol; the only file that lists and calls tools by it."""

import json
import logging
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

from anyio import CapacityLimiter, sleep, to_thread
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from privet.server.agents.calls import Calls, Reply
from privet.server.agents.tools import INSTRUCTIONS, RESULT, TOOLS, Tool
from privet.server.desk import Asker
from privet.server.pace import Pace

Context = ServerRequestContext[Any, Any]
AskerOf = Callable[[Context], Asker]
AT_ONCE = 64  # threads that ask; each waits for its turn at the desk


def mcp_server(calls: Calls, asker_of: AskerOf, *, pace: Pace | None = None) -> Server[Any]:
    """A server of the protocol whose tools are answered by a desk.

    Args:
        calls: which answer tools.
        asker_of: who asks, told from a request: by its token, or the one for whom the process was started.
        pace: at which times replies leave; at once by default.

    Privacy: nothing but what `calls` replies is sent; the library's log is kept silent, because it may repeat messages.
    """
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    threads = CapacityLimiter(AT_ONCE)
    steps = pace or Pace(None)

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_told(tool) for tool in TOOLS.values()])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        began = time.monotonic()
        reply = await to_thread.run_sync(
            partial(calls.reply, asker_of(context), params.name, params.arguments or {}), limiter=threads
        )
        await sleep(steps.left(time.monotonic() - began))
        return _result(reply)

    server = Server(
        "privet",
        title="Privet: private answers",
        version=version("privet"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.clear()  # no tracing of what is asked
    return server


def _told(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        output_schema=RESULT,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.spends,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _result(reply: Reply) -> types.CallToolResult:
    text = json.dumps(reply.facts, ensure_ascii=False, allow_nan=False)
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, structured_content=reply.facts, is_error=reply.refused)
