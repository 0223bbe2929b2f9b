// The TypeScript SDK of the older era (package `@modelcontextprotocol/sdk`, 1.x):
// typescript_v1.mjs NODE_MODULES LABEL URL [COMMAND...]

import { createRequire } from 'node:module';
import { LEGACY, NAME, ROOT, SAID, connection, end } from './checks.mjs';

const [modules, label, url, command, ...args] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const schemas = require('@modelcontextprotocol/sdk/types.js');

/** What `checks.mjs` asks, over this package. */
class Connection {
    logs = [];
    told = () => {};

    async to(transport) {
        const capabilities = { elicitation: {}, sampling: {}, roots: {} };
        const client = new Client({ name: 'libmcp-interop', version: '1.0.0' }, { capabilities });
        client.setRequestHandler(schemas.ElicitRequestSchema, () => ({ action: 'accept', content: { name: NAME } }));
        client.setRequestHandler(schemas.CreateMessageRequestSchema, () => ({
            role: 'assistant',
            content: { type: 'text', text: SAID },
            model: 'none',
        }));
        client.setRequestHandler(schemas.ListRootsRequestSchema, () => ({ roots: [{ uri: ROOT }] }));
        client.setNotificationHandler(schemas.LoggingMessageNotificationSchema, ({ params }) => {
            this.logs.push([params.level, params.logger, params.data]);
        });
        client.setNotificationHandler(schemas.ToolListChangedNotificationSchema, () => this.told('tools'));
        client.setNotificationHandler(schemas.ResourceUpdatedNotificationSchema, ({ params }) => this.told(params.uri));
        transport.setProtocolVersion ??= () => {};
        const setVersion = transport.setProtocolVersion.bind(transport);
        transport.setProtocolVersion = version => {
            this.revision = version; // the client has no other way to tell
            setVersion(version);
        };
        await client.connect(transport);
        this.client = client;
        this.transport = transport;
        this.serverName = client.getServerVersion().name;
        return this;
    }

    tools = async () => (await this.client.listTools()).tools.map(tool => tool.name);

    async call(name, args, onprogress) {
        const result = await this.client.callTool({ name, arguments: args }, undefined, onprogress && { onprogress });
        return { text: result.content[0].text, structured: result.structuredContent, isError: result.isError };
    }

    resources = async () => (await this.client.listResources()).resources.map(resource => resource.uri);

    templates = async () => (await this.client.listResourceTemplates()).resourceTemplates.map(one => one.uriTemplate);

    async read(uri) {
        const { text, blob } = (await this.client.readResource({ uri })).contents[0];
        return text ?? Buffer.from(blob, 'base64');
    }

    prompts = async () => (await this.client.listPrompts()).prompts.map(prompt => prompt.name);

    async prompt(name, args) {
        const { messages } = await this.client.getPrompt({ name, arguments: args });
        return messages.map(({ role, content }) => [role, content.text]);
    }

    async complete({ prompt, template, argument, value }) {
        const ref = prompt ? { type: 'ref/prompt', name: prompt } : { type: 'ref/resource', uri: template };
        return (await this.client.complete({ ref, argument: { name: argument, value } })).completion.values;
    }

    askForLogs = () => this.client.setLoggingLevel('info');

    async watch({ uri }, told) {
        this.told = told;
        if (uri) await this.client.subscribeResource({ uri });
        return async () => uri && (await this.client.unsubscribeResource({ uri }));
    }

    async close() {
        await this.transport.terminateSession?.();
        await this.client.close();
    }
}

const http = () => new Connection().to(new StreamableHTTPClientTransport(new URL(url)));
await connection(`${label} HTTP`, http, LEGACY);
if (command) {
    await connection(`${label} stdio`, () => new Connection().to(new StdioClientTransport({ command, args })), LEGACY);
}
end();
