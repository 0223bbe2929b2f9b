"""The Python SDK's client (package `mcp` 2.x), in each of its modes: mcp_v2.py LABEL URL [COMMAND...]."""

import asyncio
import base64
import contextlib
import sys

import mcp_types as types
from checks import LEGACY, MODERN, NAME, ROOT, SAID, Called, Checks
from mcp import Client, StdioServerParameters

MODES = {"auto": MODERN, "legacy": LEGACY, MODERN: MODERN}


class Connection:
    """`checks.Client` over this package."""

    def __init__(self):
        self.logs = []
        self.changes = asyncio.Queue()

    @contextlib.asynccontextmanager
    async def to(self, server, mode):
        client = Client(
            server, mode=mode, elicitation_callback=self.elicited, sampling_callback=self.sampled, log_level="info",
            list_roots_callback=self.roots, logging_callback=self.logged, message_handler=self.told,
        )  # fmt: skip
        async with client:
            self.client = client
            self.revision = client.protocol_version
            self.server_name = client.server_info and client.server_info.name
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
        if isinstance(message, types.ToolListChangedNotification):
            self.changes.put_nowait("tools")
        elif isinstance(message, types.ResourceUpdatedNotification):
            self.changes.put_nowait(str(message.params.uri))

    # What the checks ask.

    async def tools(self):
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def call(self, name, arguments, on_progress=None):
        result = await self.client.call_tool(name, arguments, progress_callback=on_progress)
        return Called(result.content[0].text, result.structured_content, bool(result.is_error))

    async def resources(self):
        return [str(resource.uri) for resource in (await self.client.list_resources()).resources]

    async def templates(self):
        return [one.uri_template for one in (await self.client.list_resource_templates()).resource_templates]

    async def read(self, uri):
        content = (await self.client.read_resource(uri)).contents[0]
        return content.text if hasattr(content, "text") else base64.b64decode(content.blob)

    async def prompts(self):
        return [prompt.name for prompt in (await self.client.list_prompts()).prompts]

    async def prompt(self, name, arguments):
        messages = (await self.client.get_prompt(name, arguments)).messages
        return [(message.role, message.content.text) for message in messages]

    async def complete(self, prompt=None, template=None, argument=None, value=None):
        ref = (types.PromptReference(type="ref/prompt", name=prompt) if prompt
               else types.ResourceTemplateReference(type="ref/resource", uri=template))  # fmt: skip
        return (await self.client.complete(ref, {"name": argument, "value": value})).completion.values

    async def ask_for_logs(self):
        if self.revision != MODERN:  # there, each request asks
            await self.client.set_logging_level("info")

    @contextlib.asynccontextmanager
    async def watch(self, tools=False, uri=None):
        if self.revision == MODERN:
            uris = [uri] if uri else []
            async with self.client.listen(tools_list_changed=tools, resource_subscriptions=uris) as subscription:
                events = aiter(subscription)

                async def changed():
                    event = await anext(events)
                    return str(event.uri) if hasattr(event, "uri") else "tools"

                yield changed
        else:
            if uri:
                await self.client.subscribe_resource(uri)
            yield self.changes.get
            if uri:
                await self.client.unsubscribe_resource(uri)


async def main(label, url, *command):
    checks = Checks()
    servers = {"HTTP": url}
    if command:
        servers["stdio"] = StdioServerParameters(command=command[0], args=list(command[1:]))
    for transport, server in servers.items():
        for mode, revision in MODES.items():
            await checks.connection(f"{label} {transport} {mode}", Connection().to(server, mode), revision)
    checks.end()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
