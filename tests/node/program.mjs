// Programs in processes of their own, and what becomes of them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { meta } from './joined_client.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Longer than anything here takes on a busy machine. */
const PATIENCE = 120_000;

export class Program {
    stderr = '';
    /** Lines of its output, as they came. */
    lines = [];
    #waiting = [];
    #ended = false;

    /** Starts a module of this text, in which `Server` and its like are imported, unless `library` is false. */
    constructor(text, { args = [], env = {}, library = true } = {}) {
        const imports = `import * as libmcp from 'libmcp'; const { Server, ToolError, McpError, setLogHandler } = libmcp;\n`;
        this.child = spawn(process.execPath, ['--input-type=module', '-e', library ? imports + text : text, '--', ...args],
            { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
        this.child.stdin.on('error', () => {}); // a program that has ended reads nothing
        this.child.stderr.setEncoding('utf8').on('data', text => {
            this.stderr += text;
            this.#wake();
        });
        createInterface({ input: this.child.stdout }).on('line', line => {
            this.lines.push(line);
            this.#wake();
        });
        this.late = setTimeout(() => this.child.kill('SIGKILL'), PATIENCE);
        this.exit = once(this.child, 'close').then(([code, signal]) => {
            clearTimeout(this.late);
            this.#ended = true;
            this.#wake();
            return { code, signal, lines: this.lines, stderr: this.stderr };
        });
    }

    #wake() {
        for (const check of this.#waiting.splice(0)) check();
    }

    /** What `find` finds, as soon as it does. */
    until(find, what) {
        return new Promise((resolve, reject) => {
            const check = () => {
                const found = find();
                if (found !== undefined && found !== false) resolve(found);
                else if (this.#ended) reject(new Error(`the program ended before ${what}:\n${this.lines.join('\n')}\n${this.stderr}`));
                else this.#waiting.push(check);
            };
            check();
        });
    }

    /** Waits for a text on stderr. */
    says(text) {
        return this.until(() => this.stderr.includes(text), `it said ${JSON.stringify(text)}`);
    }

    /** Waits for a line of its output. */
    line(wanted) {
        return this.until(() => this.lines.find(wanted), 'that line came');
    }

    send(message) {
        this.child.stdin.write(`${JSON.stringify(message)}\n`);
    }

    /** Asks a server on the program's standard streams. */
    async ask(id, method, params = {}) {
        this.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta() } });
        return JSON.parse(await this.line(line => line.includes(`"id":${id}`)));
    }

    call(id, name, args = {}) {
        return this.ask(id, 'tools/call', { name, arguments: args });
    }

    cancel(id) {
        this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    }

    /** Ends the program's input, and waits for its end. */
    end() {
        this.child.stdin.end();
        return this.exit;
    }
}
