"""The Python SDK's client of the older era (package `mcp` 1.x): mcp_v1.py LABEL URL [COMMAND...]."""

import asyncio
import base64
import contextlib
import sys

from checks import LEGACY, NAME, ROOT, SAID, Called, Checks
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


class Connection:
    """`checks.Client` over this package."""

    def __init__(self):
        self.logs = []
        self.changes = asyncio.Queue()

    @contextlib.asynccontextmanager
    async def to(self, streams):
        async with streams as (reading, writing, *_):
            session = ClientSession(
                reading, writing, elicitation_callback=self.elicited, sampling_callback=self.sampled,
                list_roots_callback=self.roots, logging_callback=self.logged, message_handler=self.told,
            )  # fmt: skip
            async with session:
                begun = await session.initialize()
                self.session = session
                self.revision = begun.protocolVersion
                self.server_name = begun.serverInfo.name
                yield self

    # What the server asks and tells.

    async def elicited(self, context, params):
        return types.ElicitResult(action="accept", content={"name": NAME})

    async def sampled(self, context, params):
        return types.CreateMessageResult(
            role="assistant", content=types.TextContent(type="text", text=SAID), model="none"
        )

    async def roots(self, context):
        return types.ListRootsResult(roots=[types.Root(uri=ROOT)])

    async def logged(self, params):
        self.logs.append((params.level, params.logger, params.data))

    async def told(self, message):
        notification = getattr(message, "root", None)
        if isinstance(notification, types.ToolListChangedNotification):
            self.changes.put_nowait("tools")
        elif isinstance(notification, types.ResourceUpdatedNotification):
            self.changes.put_nowait(str(notification.params.uri))

    # What the checks ask.

    async def tools(self):
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, name, arguments, on_progress=None):
        result = await self.session.call_tool(name, arguments, progress_callback=on_progress)
        return Called(result.content[0].text, result.structuredContent, result.isError)

    async def resources(self):
        return [str(resource.uri) for resource in (await self.session.list_resources()).resources]

    async def templates(self):
        return [one.uriTemplate for one in (await self.session.list_resource_templates()).resourceTemplates]

    async def read(self, uri):
        content = (await self.session.read_resource(uri)).contents[0]
        return content.text if hasattr(content, "text") else base64.b64decode(content.blob)

    async def prompts(self):
        return [prompt.name for prompt in (await self.session.list_prompts()).prompts]

    async def prompt(self, name, arguments):
        messages = (await self.session.get_prompt(name, arguments)).messages
        return [(message.role, message.content.text) for message in messages]

    async def complete(self, prompt=None, template=None, argument=None, value=None):
        ref = (types.PromptReference(type="ref/prompt", name=prompt) if prompt
               else types.ResourceTemplateReference(type="ref/resource", uri=template))  # fmt: skip
        return (await self.session.complete(ref, {"name": argument, "value": value})).completion.values

    async def ask_for_logs(self):
        await self.session.set_logging_level("info")

    @contextlib.asynccontextmanager
    async def watch(self, tools=False, uri=None):
        if uri:
            await self.session.subscribe_resource(uri)
        yield self.changes.get
        if uri:
            await self.session.unsubscribe_resource(uri)


async def main(label, url, *command):
    checks = Checks()
    servers = {"HTTP": streamable_http_client(url)}
    if command:
        servers["stdio"] = stdio_client(StdioServerParameters(command=command[0], args=list(command[1:])))
    for transport, streams in servers.items():
        await checks.connection(f"{label} {transport}", Connection().to(streams), LEGACY)
    checks.end()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
