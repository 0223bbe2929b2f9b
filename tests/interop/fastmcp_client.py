"""The client of the package `fastmcp`, in each of its modes: fastmcp_client.py LABEL URL [COMMAND...]."""

import asyncio
import base64
import contextlib
import sys

import mcp_types as types
from checks import LEGACY, MODERN, NAME, ROOT, SAID, Called, Checks
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp.client.subscriptions import listen

MODES = {"auto": MODERN, "legacy": LEGACY, MODERN: MODERN}


class Connection:
    """`checks.Client` over this package."""

    def __init__(self):
        self.logs = []
        self.changes = asyncio.Queue()

    @contextlib.asynccontextmanager
    async def to(self, server, mode):
        client = Client(
            server, mode=mode, elicitation_handler=self.elicited, sampling_handler=self.sampled, roots=[ROOT],
            log_handler=self.logged, message_handler=self.told,
        )  # fmt: skip
        async with client:
            self.client = client
            self.revision = client.protocol_version
            self.server_name = client.server_info.name or None if client.server_info else None
            yield self

    # What the server asks and tells.

    async def elicited(self, message, response_type, params, context):
        return response_type(name=NAME)

    async def sampled(self, messages, params, context):
        return SAID

    async def logged(self, message):
        self.logs.append((message.level, message.logger, message.data))

    async def told(self, message):
        if isinstance(message, types.ToolListChangedNotification):
            self.changes.put_nowait("tools")
        elif isinstance(message, types.ResourceUpdatedNotification):
            self.changes.put_nowait(str(message.params.uri))

    # What the checks ask.

    async def tools(self):
        return [tool.name for tool in await self.client.list_tools()]

    async def call(self, name, arguments, on_progress=None):
        result = await self.client.call_tool(name, arguments, progress_handler=on_progress, raise_on_error=False)
        return Called(result.content[0].text, result.structured_content, result.is_error)

    async def resources(self):
        return [str(resource.uri) for resource in await self.client.list_resources()]

    async def templates(self):
        return [one.uri_template for one in await self.client.list_resource_templates()]

    async def read(self, uri):
        content = (await self.client.read_resource(uri))[0]
        return content.text if hasattr(content, "text") else base64.b64decode(content.blob)

    async def prompts(self):
        return [prompt.name for prompt in await self.client.list_prompts()]

    async def prompt(self, name, arguments):
        messages = (await self.client.get_prompt(name, arguments)).messages
        return [(message.role, message.content.text) for message in messages]

    async def complete(self, prompt=None, template=None, argument=None, value=None):
        ref = (types.PromptReference(type="ref/prompt", name=prompt) if prompt
               else types.ResourceTemplateReference(type="ref/resource", uri=template))  # fmt: skip
        return (await self.client.complete(ref, {"name": argument, "value": value})).values

    async def ask_for_logs(self):
        if self.revision != MODERN:  # there, each request asks
            await self.client.set_logging_level("info")

    @contextlib.asynccontextmanager
    async def watch(self, tools=False, uri=None):
        session = self.client.session
        if self.revision == MODERN:
            uris = [uri] if uri else []
            async with listen(session, tools_list_changed=tools, resource_subscriptions=uris) as subscription:
                events = aiter(subscription)

                async def changed():
                    event = await anext(events)
                    return str(event.uri) if hasattr(event, "uri") else "tools"

                yield changed
        else:
            if uri:
                await session.subscribe_resource(uri)
            yield self.changes.get
            if uri:
                await session.unsubscribe_resource(uri)


async def main(label, url, *command):
    checks = Checks()
    for mode, revision in MODES.items():
        await checks.connection(f"{label} HTTP {mode}", Connection().to(url, mode), revision)
    for mode, revision in MODES.items() if command else ():
        # keep_alive=False: leaving the client ends the server, as a user's program would see it.
        server = StdioTransport(command[0], list(command[1:]), keep_alive=False)
        await checks.connection(f"{label} stdio {mode}", Connection().to(server, mode), revision)
    checks.end()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
