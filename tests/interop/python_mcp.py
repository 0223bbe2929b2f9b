"""The Python SDK's client (package `mcp`) against the weather example: python_mcp.py WEATHER URL."""

import sys

import anyio
from checks import REVISION, STAGES, TOOLS, Checks, expect, is_forecast, names_both_problems
from mcp import Client, StdioServerParameters
from mcp.client.subscriptions import ToolsListChanged

PATIENCE = 30  # seconds, for everything over one transport


def text_of(result):
    return result.content[0].text


async def use(client, transport, checks):
    with checks.check(f"{transport}: connects at {REVISION}"):
        expect(client.protocol_version == REVISION, client.protocol_version)
        expect(client.server_info.name == "weather", client.server_info)
        expect(client.server_capabilities.tools.list_changed is True, client.server_capabilities)
    with checks.check(f"{transport}: lists the tools"):
        tools = (await client.list_tools()).tools
        expect([tool.name for tool in tools] == TOOLS, [tool.name for tool in tools])
        expect(tools[0].output_schema["required"] == ["city", "days"], tools[0].output_schema)
    with checks.check(f"{transport}: a good call has structured content"):
        result = await client.call_tool("forecast", {"city": "Zürich", "days": 2})
        expect(not result.is_error, result)
        is_forecast(result.structured_content, text_of(result), "Zürich", 2)
    with checks.check(f"{transport}: bad arguments are a tool error that names each problem"):
        result = await client.call_tool("forecast", {"days": 12})
        expect(result.is_error, result)
        names_both_problems(text_of(result))
    with checks.check(f"{transport}: an unknown tool is a protocol error"):
        try:
            result = await client.call_tool("no_such_tool", {})
        except Exception as error:
            expect(getattr(error, "code", None) == -32602, repr(error))
        else:
            expect(False, result)
    with checks.check(f"{transport}: progress arrives in order"):
        seen = []

        async def on_progress(progress, total, message):
            seen.append((progress, total, message))

        result = await client.call_tool("track_storm", {"storm": "Ingunn"}, progress_callback=on_progress)
        expect(seen == [(i + 1, 5, stage) for i, stage in enumerate(STAGES)], seen)
        expect("north" in text_of(result), result)
    with checks.check(f"{transport}: a list change arrives on a subscription"):
        async with client.listen(tools_list_changed=True) as subscription:
            await client.call_tool("switch_radar", {"on": True})
            async for event in subscription:
                expect(isinstance(event, ToolsListChanged), event)
                break
        names = [tool.name for tool in (await client.list_tools()).tools]
        expect("radar" in names, names)
        await client.call_tool("switch_radar", {"on": False})


async def main(weather, url):
    checks = Checks()
    stdio = StdioServerParameters(command=weather, args=["stdio"])
    for transport, server in ("stdio", stdio), ("HTTP", url):
        with checks.check(f"{transport}: works without a discovery, pinned to {REVISION}"):
            with anyio.fail_after(PATIENCE):
                async with Client(server, mode=REVISION) as client:
                    expect(len((await client.list_tools()).tools) == len(TOOLS), "other tools")
        with checks.check(f"{transport}: connection, use and goodbye, found out to be {REVISION}"):
            with anyio.fail_after(PATIENCE):
                async with Client(server, mode="auto") as client:
                    await use(client, transport, checks)
    checks.end()


anyio.run(main, *sys.argv[1:])
