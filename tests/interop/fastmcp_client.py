"""The client of the package `fastmcp` against the weather example: fastmcp_client.py WEATHER URL."""

import asyncio
import sys

from checks import REVISION, STAGES, TOOLS, Checks, expect, is_forecast, names_both_problems
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError

PATIENCE = 30  # seconds, for everything over one transport


async def use(client, transport, checks):
    with checks.check(f"{transport}: connects at {REVISION}"):
        expect(client.protocol_version == REVISION, client.protocol_version)
        expect(client.server_info.name == "weather", client.server_info)
    with checks.check(f"{transport}: lists the tools"):
        names = [tool.name for tool in await client.list_tools()]
        expect(names == TOOLS, names)
    with checks.check(f"{transport}: a good call has structured content"):
        result = await client.call_tool("forecast", {"city": "São Paulo", "days": 7})
        is_forecast(result.structured_content, result.content[0].text, "São Paulo", 7)
        expect(result.data.city == "São Paulo", f"not read by the output schema: {result.data!r}")
    with checks.check(f"{transport}: an optional argument may be left out"):
        result = await client.call_tool("forecast", {"city": "Oslo"})
        is_forecast(result.structured_content, result.content[0].text, "Oslo", 3)
    with checks.check(f"{transport}: bad arguments are a tool error that names each problem"):
        try:
            result = await client.call_tool("forecast", {"days": 12})
        except ToolError as error:
            names_both_problems(str(error))
        else:
            expect(False, f"no tool error, but {result}")
    with checks.check(f"{transport}: progress arrives in order"):
        seen = []

        async def on_progress(progress, total, message):
            seen.append((progress, total, message))

        result = await client.call_tool("track_storm", {"storm": "Ingunn"}, progress_handler=on_progress)
        expect(seen == [(i + 1, 5, stage) for i, stage in enumerate(STAGES)], seen)
        expect("north" in result.content[0].text, result)


async def main(weather, url):
    checks = Checks()
    # keep_alive=False: leaving the client ends the server, as a user's program would see it.
    stdio = StdioTransport(weather, ["stdio"], keep_alive=False)
    for transport, server in ("stdio", stdio), ("HTTP", url):
        with checks.check(f"{transport}: connection, use and goodbye"):
            async with asyncio.timeout(PATIENCE), Client(server, mode="auto") as client:
                await use(client, transport, checks)
    checks.end()


asyncio.run(main(*sys.argv[1:]))
