// The TypeScript SDK's client (package `@modelcontextprotocol/client`), in each of its modes:
// typescript.mjs NODE_MODULES LABEL URL [COMMAND...]

import { createRequire } from 'node:module';
import { LEGACY, MODERN, NAME, ROOT, SAID, connection, end } from './checks.mjs';

const [modules, label, url, command, ...args] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { Client, LOG_LEVEL_META_KEY, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');

const MODES = [
    ['auto', 'auto', MODERN],
    ['legacy', 'legacy', LEGACY],
    [MODERN, { pin: MODERN }, MODERN],
];

/** What `checks.mjs` asks, over this package. */
class Connection {
    logs = [];
    notFound = -32602;
    told = () => {};

    async to(transport, mode) {
        const capabilities = { elicitation: {}, sampling: {}, roots: {} };
        const options = { capabilities, versionNegotiation: { mode } };
        const client = new Client({ name: 'libmcp-interop', version: '1.0.0' }, options);
        client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: NAME } }));
        client.setRequestHandler('sampling/createMessage', () => ({
            role: 'assistant',
            content: { type: 'text', text: SAID },
            model: 'none',
        }));
        client.setRequestHandler('roots/list', () => ({ roots: [{ uri: ROOT }] }));
        client.setNotificationHandler('notifications/message', ({ params }) => {
            this.logs.push([params.level, params.logger, params.data]);
        });
        client.setNotificationHandler('notifications/tools/list_changed', () => this.told('tools'));
        client.setNotificationHandler('notifications/resources/updated', ({ params }) => this.told(params.uri));
        await client.connect(transport);
        this.client = client;
        this.revision = client.getNegotiatedProtocolVersion();
        this.serverName = client.getServerVersion()?.name;
        return this;
    }

    tools = async () => (await this.client.listTools()).tools.map(tool => tool.name);

    async call(name, args, onprogress) {
        const modern = this.revision === MODERN; // there, each request asks for logs
        const _meta = modern ? { [LOG_LEVEL_META_KEY]: 'info' } : undefined;
        const result = await this.client.callTool({ name, arguments: args, _meta }, onprogress && { onprogress });
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

    async askForLogs() {
        if (this.revision !== MODERN) await this.client.setLoggingLevel('info');
    }

    async watch({ tools, uri }, told) {
        this.told = told;
        if (this.revision === MODERN) {
            const filter = tools ? { toolsListChanged: true } : { resourceSubscriptions: [uri] };
            const subscription = await this.client.listen(filter);
            return () => subscription.close();
        }
        if (uri) await this.client.subscribeResource({ uri });
        return async () => uri && (await this.client.unsubscribeResource({ uri }));
    }

    close = () => this.client.close();
}

for (const [name, mode, revision] of MODES) {
    const http = () => new Connection().to(new StreamableHTTPClientTransport(new URL(url)), mode);
    await connection(`${label} HTTP ${name}`, http, revision);
    if (command) {
        const stdio = () => new Connection().to(new StdioClientTransport({ command, args }), mode);
        await connection(`${label} stdio ${name}`, stdio, revision);
    }
}
end();
