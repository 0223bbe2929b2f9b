// Made by packaging/native-types of what napi knows of bindings/node/src; do not edit.

/** By what JavaScript knows a call. */
export type CallId = number

/** An environment, as its own JavaScript has it: `lib/native.js` makes one. */
export declare class Environment {
    /**
     * The client's answer to the question `key`, JSON text. Where there is none yet, fails with INPUT_REQUIRED, and
     * the call ends with its questions whatever its handler gives.
     */
    requestInput(call: CallId, key: string, request: string): string
    /** What was kept under `key` in this round or an earlier one, JSON text. */
    memo(call: CallId, key: string): string | null
    /** Keeps a value, JSON text, under `key` for the rounds to come. */
    setMemo(call: CallId, key: string, value: string): void
    /** Whether `key` is asked for the first time in all rounds of the call. */
    once(call: CallId, key: string): boolean
    /** The id of the page that is asked for under `key`, the same in every round. */
    elicitationId(call: CallId, key: string): string
    /** Begins to tell `hooks` what happens. The event loop does not run on for it until `hold`. */
    constructor(hooks: object)
    /** Keeps the event loop running until `letGo`: something serves, or is waited for. */
    hold(): void
    /** Lets the event loop end. */
    letGo(): void
    /** Ends a call with an answer, as the hook `run` may give it at once. */
    finish(call: CallId, answer: string): void
    /** Ends a call with an error that the model sees; one of no tool, with -32603. */
    finishToolError(call: CallId, message: string): void
    /** Ends a call with an error of JSON-RPC; `data` is JSON text. */
    finishError(call: CallId, code: number, message: string, data?: string | undefined | null): void
    /** Ends the read of a resource that does not exist. */
    finishNotFound(call: CallId): void
    /** Ends a call with the questions that it asked; false if there are none, and it is still open. */
    finishInputRequired(call: CallId): boolean
    /** Sends the log to the hook `log` of this environment, or to stderr again. */
    takeLog(take: boolean): void
    /** The name of the tool or prompt, the URI of the resource. */
    callName(call: CallId): string
    /** The arguments as the client wrote them, JSON text. */
    arguments(call: CallId): string
    /** The `_meta` of the request, JSON text. */
    meta(call: CallId): string
    /** Which program the client is, as it says itself, JSON text. */
    clientInfo(call: CallId): string | null
    /** What the client declares that it can do, JSON text. */
    clientCapabilities(call: CallId): string
    /** The revision that the client speaks. */
    revision(call: CallId): string
    /** On whose behalf the request comes. */
    principal(call: CallId): string | null
    /** The headers of the HTTP request: names and values by turns. */
    headers(call: CallId): Array<string>
    /** Whether the call was cancelled or ran out of time. One that is over was not. */
    isCancelled(call: CallId): boolean
    /** Has the hook `cancelled` called when the call is cancelled. */
    watch(call: CallId): void
    /** Tells the client how far the call is; false if that came too late, or does not increase. */
    progress(call: CallId, value: number, total?: number | undefined | null, message?: string | undefined | null): boolean
    /** Sends the client a log message; `data` is JSON text. False if that came too late. */
    log(call: CallId, level: string, data: string, logger?: string | undefined | null): boolean
    /** Ends the stream of the response, where its client can come back for the rest. */
    closeStream(call: CallId, retryMs?: number | undefined | null): void
    /** The tool, prompt, resource or completion that a call is of, in words. */
    subject(call: CallId): string
    /** Whether what is called is a tool. */
    isTool(call: CallId): boolean
}

/** How HTTP is served. */
export interface HttpOptions {
    /** The address to listen on. */
    address?: string
    /** The port, 0 for any that is free. */
    port?: number
    /** The path of the endpoint. */
    path?: string
    /** The web pages that may use the server. */
    allowedOrigins: Array<string>
    /** The names that the server answers to. */
    allowedHosts: Array<string>
    /** The file of a certificate chain. */
    certificate?: string
    /** The file of its key. */
    key?: string
    /** Options by their keys in `docs/limits.md`: keys and values by turns. */
    options: Array<string>
}

/** The endpoint of a server in a web server of Node's. */
export declare class NativeEndpoint {
    /**
     * Begins to answer a request. `headers` are names and values by turns; an `attachment` other than 0 is the number
     * of what the handlers of its calls see, and is forgotten with the request. The hooks are told the response under
     * the number `exchange`.
     */
    start(exchange: number, method: string, target: string, headers: Array<string>, body: Buffer, principal: string | undefined | null, attachment: number): NativeExchange
}

/** A request that is being answered. */
export declare class NativeExchange {
    /** Breaks the exchange off, because its client has gone. */
    abort(): void
}

/** An open port. */
export declare class NativeListener {
    /** The port. */
    get port(): number
    /** The address with its port, as a URL has them. */
    get address(): string
    /** Begins to close the port; `promise` is settled when nothing runs on it any more. */
    close(drainMs: number | undefined | null, promise: number): void
}

/** A server, as `lib/server.js` has it. */
export declare class NativeServer {
    /**
     * Serves the standard streams; `promise` is settled when their input has ended, or the server was closed.
     * 
     * When this returns, the streams have been taken over: what the program prints next lands on stderr already.
     */
    serveStdio(promise: number): void
    /** A server whose handlers run in `environment`. */
    constructor(environment: Environment, name: string, version: string)
    /** The largest message in bytes. */
    get maxMessageBytes(): number
    /** Sets an option by its key in `docs/limits.md`, or `title` or `instructions`. */
    configure(key: string, value: string): void
    /** The definitions of the tools, a JSON array. */
    tools(): string
    /** The definitions of the prompts, a JSON array. */
    prompts(): string
    /** The definitions of the resources, a JSON array. */
    resources(): string
    /** The definitions of the resource templates, a JSON array. */
    resourceTemplates(): string
    /** The definition of a tool, a JSON object. */
    findTool(name: string): string | null
    /** The tools in the shape that a provider's API takes, a JSON array. */
    exportTools(provider: string): string
    /** Tells those who subscribed to the resource that it changed. */
    resourceUpdated(uri: string, principal?: string | undefined | null): void
    /** Tells the client that was sent to a page that it is done there; false if nobody waits to be told. */
    completeElicitation(id: string): boolean
    /** Begins to close the server; `promise` is settled when nothing of it runs any more. */
    close(drainMs: number | undefined | null, promise: number): void
    /** Adds a tool; its definition is the tool object of the specification. */
    addTool(definition: string, handler: number, requires: Array<string>): void
    /** Adds a prompt. */
    addPrompt(definition: string, handler: number, requires: Array<string>): void
    /** Adds a resource. With `ui`, a JSON object, it is a user interface (MCP Apps). */
    addResource(definition: string, ui: string | undefined | null, handler: number, requires: Array<string>): void
    /** Adds a resource template; the variables in `traversal` may lead out of their place. */
    addResourceTemplate(definition: string, traversal: Array<string>, handler: number, requires: Array<string>): void
    /** Completes arguments and variables from now on. */
    setCompletion(handler: number): void
    /** Takes a tool away; false if there is none. */
    removeTool(name: string): boolean
    /** Takes a prompt away; false if there is none. */
    removePrompt(name: string): boolean
    /** Takes a resource away; false if there is none. */
    removeResource(uri: string): boolean
    /** Takes a resource template away; false if there is none. */
    removeResourceTemplate(uriTemplate: string): boolean
    /** The variables of a URI of a template, names and values by turns; nothing if it is none of its URIs. */
    static matchTemplate(template: string, traversal: Array<string>, uri: string): Array<string> | null
    /** Calls a tool; `promise` is settled with its result. With a `caller`, on behalf of that call. */
    callTool(name: string, arguments: string, caller: CallId | undefined | null, promise: number): void
    /** Gets a prompt, likewise. */
    getPrompt(name: string, arguments: string, caller: CallId | undefined | null, promise: number): void
    /** Reads a resource, likewise. */
    readResource(uri: string, caller: CallId | undefined | null, promise: number): void
    /** Joins a client; the hook `message` is told what to send it, under the number `session`. */
    connect(session: number): NativeSession
    /** Opens a port and serves what connects there. */
    listen(options: HttpOptions): NativeListener
    /** Opens an endpoint. */
    endpoint(options: HttpOptions): NativeEndpoint
}

/** A client. */
export declare class NativeSession {
    /** Takes a message of the client. */
    receive(message: string): void
    /** Says on whose behalf the messages come that follow. */
    setPrincipal(principal?: string | undefined | null): void
    /** Cancels the client's calls and ends its subscriptions; `promise` is settled when nothing is sent any more. */
    close(promise: number): void
}
