// The public types of libmcp, written by hand. tests/node holds the code and the exports against them.

/// <reference types="node" />

import type { IncomingMessage, ServerResponse } from 'node:http';

// ---- JSON, and schemas -------------------------------------------------------------------------------------------

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/** A JSON object. */
export type JsonObject = { [key: string]: unknown };

/** A schema of any library that follows https://standardschema.dev: zod, valibot, arktype and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
    readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
        readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    };
}

/** What {@link StandardSchema} says of a value. */
export type StandardResult<Output> =
    | { readonly value: Output; readonly issues?: undefined }
    | { readonly issues: ReadonlyArray<StandardIssue> };

/** One problem of a value. */
export interface StandardIssue {
    readonly message: string;
    readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/**
 * A JSON Schema, published to clients as it stands: dialect 2020-12, or draft-07 or 2019-09 by `$schema`. Written in the
 * call of `registerTool`, it types the handler's arguments; one from elsewhere does if it was declared `as const`.
 */
export interface JsonSchema {
    readonly type?: string | readonly string[];
    readonly properties?: { readonly [name: string]: JsonSchema | boolean };
    readonly required?: readonly string[];
    readonly [keyword: string]: unknown;
}

/** An object of schemas by the name of their argument, as `{ city: z.string() }`: what the TypeScript SDK calls a raw shape. */
export interface RawShape {
    readonly [argument: string]: StandardSchema<any, any>;
}

/**
 * What a tool's arguments or result must look like: a JSON Schema, a Standard Schema that can say its JSON Schema (zod from 4.2,
 * arktype, valibot through `toStandardJsonSchema` of `@valibot/to-json-schema`), or an object of such schemas.
 */
export type Schema = StandardSchema<any, any> | RawShape | JsonSchema;

/** The type of a value that a schema has let pass, with defaults and transformations. */
export type Output<S> =
    S extends StandardSchema<any, any>
        ? NonNullable<S['~standard']['types']>['output']
        : S extends RawShape
          ? Simplify<OptionalWhereUndefined<{ -readonly [K in keyof S]: Output<S[K]> }>>
          : FromJsonSchema<S>;

/** The type of a value that a schema takes, before defaults and transformations. */
export type Input<S> =
    S extends StandardSchema<any, any>
        ? NonNullable<S['~standard']['types']>['input']
        : S extends RawShape
          ? Simplify<OptionalWhereUndefined<{ -readonly [K in keyof S]: Input<S[K]> }>>
          : FromJsonSchema<S>;

type Simplify<T> = { [K in keyof T]: T[K] } & {};
type OptionalWhereUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
    [K in keyof T as undefined extends T[K] ? K : never]?: T[K];
};

/** What can be read off a JSON Schema without following references: types, choices, properties, items. The rest is `unknown`. */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly type: 'object' }
        ? ObjectFromJsonSchema<S>
        : S extends { readonly type: 'array' }
          ? S extends { readonly items: infer Items }
              ? FromJsonSchema<Items>[]
              : unknown[]
          : S extends { readonly type: infer Type }
            ? Type extends keyof JsonTypes
                ? JsonTypes[Type]
                : Type extends readonly (infer One)[]
                  ? One extends keyof JsonTypes
                      ? JsonTypes[One]
                      : unknown
                  : unknown
            : unknown;

interface JsonTypes {
    string: string;
    number: number;
    integer: number;
    boolean: boolean;
    null: null;
    array: unknown[];
    object: Record<string, unknown>;
}

type ObjectFromJsonSchema<S> = S extends { readonly properties: infer Properties }
    ? Simplify<
          {
              -readonly [K in keyof Properties as K extends RequiredNames<S> ? K : never]: FromJsonSchema<Properties[K]>;
          } & {
              -readonly [K in keyof Properties as K extends RequiredNames<S> ? never : K]?: FromJsonSchema<Properties[K]>;
          } & (S extends { readonly additionalProperties: false } ? {} : Record<string, unknown>)
      >
    : Record<string, unknown>;

type RequiredNames<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

// ---- what goes over the wire ---------------------------------------------------------------------------------------

/** Whom a content is for, and how important it is. */
export interface Annotations {
    audience?: ('user' | 'assistant')[];
    /** 0 to 1. */
    priority?: number;
    /** A date and time, as `new Date().toISOString()` writes it. */
    lastModified?: string;
}

/** An icon that clients may show. */
export interface Icon {
    /** An `https:`, `http:` or `data:` URI. */
    src: string;
    mimeType?: string;
    /** As `"48x48"` or `"any"`. */
    sizes?: string[];
    theme?: 'light' | 'dark';
}

interface BlockMembers {
    annotations?: Annotations;
    _meta?: JsonObject;
}

export interface TextContent extends BlockMembers {
    type: 'text';
    text: string;
}

/** An image. */
export interface ImageContent extends BlockMembers {
    type: 'image';
    /** The bytes, or their base64. */
    data: string | Uint8Array;
    mimeType: string;
}

/** A sound. */
export interface AudioContent extends BlockMembers {
    type: 'audio';
    /** The bytes, or their base64. */
    data: string | Uint8Array;
    mimeType: string;
}

/** A resource that clients can read. */
export interface ResourceLink extends BlockMembers {
    type: 'resource_link';
    uri: string;
    name: string;
    title?: string;
    description?: string;
    mimeType?: string;
    size?: number;
    icons?: Icon[];
}

/** A resource with what is in it. */
export interface EmbeddedResource extends BlockMembers {
    type: 'resource';
    resource: ResourceContents;
}

/** One part of a result. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** The contents of a resource: a text, or bytes. */
export interface ResourceContents {
    /** Where a handler of a resource leaves it out, it is the URI that was asked for. */
    uri: string;
    mimeType?: string;
    text?: string;
    /** The bytes, or their base64. */
    blob?: string | Uint8Array;
    _meta?: JsonObject;
}

/** The result of a tool. */
export interface CallToolResult {
    /** May be left out beside `structuredContent`, which is then repeated as a text. */
    content?: ContentBlock[];
    structuredContent?: unknown;
    /** Whether the tool failed. The content then says why, to the model. */
    isError?: boolean;
    _meta?: JsonObject;
}

/** The result of reading a resource. */
export interface ReadResourceResult {
    contents: (Omit<ResourceContents, 'uri'> & { uri?: string })[];
    /** How long clients may keep it. Needs `cacheScope` beside it. */
    ttlMs?: number;
    cacheScope?: CacheScope;
    _meta?: JsonObject;
}

/** Whether a cache may serve a result to other users. */
export type CacheScope = 'public' | 'private';

/** How long clients of revision 2026-07-28 may keep what they read, and for whom. */
export interface CacheHint {
    ttlMs: number;
    cacheScope: CacheScope;
}

/** One message of a prompt. */
export interface PromptMessage {
    role: 'user' | 'assistant';
    content: ContentBlock;
}

/** The result of getting a prompt. */
export interface GetPromptResult {
    messages: PromptMessage[];
    description?: string;
    _meta?: JsonObject;
}

/** What an argument may become. Clients are sent the first 100. */
export interface Completion {
    values: string[];
    total?: number;
    hasMore?: boolean;
}

/** What a client asks to be completed. */
export interface CompletionRequest {
    ref: { type: 'ref/prompt'; name: string; title?: string } | { type: 'ref/resource'; uri: string };
    argument: { name: string; value: string };
    context?: { arguments?: Record<string, string> };
}

/** How a tool behaves. Clients may show it; none must trust it. */
export interface ToolAnnotations {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
}

/** A program of the protocol, by name. */
export interface Implementation {
    name: string;
    version: string;
    title?: string;
    description?: string;
    websiteUrl?: string;
    icons?: Icon[];
}

/** The severity of a log message. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

type Awaitable<T> = T | Promise<T>;

// ---- handlers ------------------------------------------------------------------------------------------------------

/** What a handler of a tool returns: a whole result, a text, or any other JSON value, which is the structured content. */
export type ToolReturn<Out = undefined> =
    | CallToolResult // outside of the condition: the literals in a result have their types from it before Out is known
    | ([Out] extends [undefined] ? string | number | boolean | null | (object & { readonly then?: undefined }) : Input<Out>);

/** The arguments of a handler, as its schema types them. */
export type Arguments<In> = [In] extends [undefined] ? Record<string, never> : Output<In>;

export type ToolHandler<In = undefined, Out = undefined> = (args: Arguments<In>, ctx: Context) => Awaitable<ToolReturn<Out>>;

/** What a handler of a resource returns: the contents, a text, or bytes. */
export type ResourceReturn = ReadResourceResult | string | Uint8Array;

export type ResourceHandler = (uri: URL, ctx: Context) => Awaitable<ResourceReturn>;

/** The values of a template's variables, decoded. */
export type Variables = Record<string, string | string[]>;

export type ResourceTemplateHandler = (uri: URL, variables: Variables, ctx: Context) => Awaitable<ResourceReturn>;

/** What a handler of a prompt returns: its messages, or the text of one that the user says. */
export type PromptReturn = GetPromptResult | string;

export type PromptHandler<In = undefined> = (args: Arguments<In>, ctx: Context) => Awaitable<PromptReturn>;

export type CompletionHandler = (request: CompletionRequest, ctx: Context) => Awaitable<Completion | string[]>;

/** A tool, as {@link Server.registerTool} takes it. */
export interface ToolConfig<In extends Schema | undefined = undefined, Out extends Schema | undefined = undefined> {
    /** The name for people. */
    title?: string;
    /** What it does, for models. */
    description?: string;
    /** What it takes: without one, nothing. What does not fit never reaches the handler. */
    inputSchema?: In;
    /** What it returns as structured content. */
    outputSchema?: Out;
    annotations?: ToolAnnotations;
    icons?: Icon[];
    _meta?: JsonObject;
    /** What a client must have declared, as `["elicitation.form"]`: others are refused before the handler. */
    requires?: string[];
    /** MCP Apps: the URI of the page in which results are shown, `ui://…`. */
    ui?: string;
    /** MCP Apps: who is to see the tool. Both, unless given. */
    visibility?: ('model' | 'app')[];
}

interface ResourceMembers {
    title?: string;
    description?: string;
    /** The media type, also of what the handler returns without one. */
    mimeType?: string;
    annotations?: Annotations;
    icons?: Icon[];
    _meta?: JsonObject;
    /** What a client must have declared: others are refused before the handler. */
    requires?: string[];
    /** How long what is read may be kept, where the handler says nothing else. */
    cacheHint?: CacheHint;
}

/** A resource, as {@link Server.registerResource} takes it. */
export interface ResourceConfig extends ResourceMembers {
    /** In bytes. */
    size?: number;
    /** MCP Apps: makes the resource a page, and says what its host is to know of it. The URI begins with `ui://`. */
    ui?: JsonObject | true;
}

/** A resource template, as {@link Server.registerResource} takes it. */
export interface ResourceTemplateConfig extends ResourceMembers {
    /** Variables that may have a value with `..`, a leading `/` or the like: such values match nothing otherwise. */
    allowTraversal?: string[];
}

/** A prompt, as {@link Server.registerPrompt} takes it. */
export interface PromptConfig<In extends Schema | undefined = undefined> {
    title?: string;
    description?: string;
    /** Its arguments: they are strings. Each may be wrapped by {@link completable}. */
    argsSchema?: In;
    icons?: Icon[];
    _meta?: JsonObject;
    /** What a client must have declared: others are refused before the handler. */
    requires?: string[];
}

/** A tool that was registered. */
export interface RegisteredTool {
    readonly name: string;
    /** Changes what is given and leaves the rest; clients that subscribed are told. */
    update(changes: Partial<ToolConfig<Schema | undefined, Schema | undefined>> & { handler?: ToolHandler<any, any> }): void;
    /** Takes it away; clients that subscribed are told. False if it was away. */
    remove(): boolean;
}

/** A resource or a template that was registered. */
export interface RegisteredResource {
    readonly name: string;
    /** The URI, or the URI template. */
    readonly uri: string;
    update(
        changes: Partial<ResourceConfig & ResourceTemplateConfig> & { handler?: ResourceHandler | ResourceTemplateHandler },
    ): void;
    remove(): boolean;
}

/** A prompt that was registered. */
export interface RegisteredPrompt {
    readonly name: string;
    update(changes: Partial<PromptConfig<Schema | undefined>> & { handler?: PromptHandler<any> }): void;
    remove(): boolean;
}

/** What completes one variable: the values that begin as `value` does. `context` has what the others are so far. */
export type CompleteCallback = (
    value: string,
    context?: { arguments?: Record<string, string> },
) => Awaitable<readonly string[]>;

/** A resource, as a list names it. */
export interface ListedResource {
    uri: string;
    name: string;
    title?: string;
    description?: string;
    mimeType?: string;
    size?: number;
    annotations?: Annotations;
    icons?: Icon[];
    _meta?: JsonObject;
}

/** A template of RFC 6570, with what completes its variables: `new ResourceTemplate('notes://{folder}/{name}')`. */
export class ResourceTemplate {
    constructor(uriTemplate: string, callbacks?: {
        /**
         * The resources that there are. They are registered once, when the template is, and read by its handler: they do not
         * follow what the callback would say later.
         */
        list?: (() => { resources: ListedResource[] }) | undefined;
        /** What completes each variable. */
        complete?: { [variable: string]: CompleteCallback };
    });
    readonly uriTemplate: string;
    readonly listCallback: (() => { resources: ListedResource[] }) | undefined;
    completeCallback(variable: string): CompleteCallback | undefined;
}

/** The same schema, with what completes an argument of a prompt that has it. */
export function completable<S extends StandardSchema<any, any>>(
    schema: S,
    complete: (value: string, context?: { arguments?: Record<string, string> }) => Awaitable<readonly string[]>,
): S;

// ---- a call --------------------------------------------------------------------------------------------------------

/** What the user answered. */
export type ElicitResult<Content = JsonObject> =
    | { action: 'accept'; content: Content }
    | { action: 'decline' | 'cancel'; content?: undefined };

/** A message of a conversation that the client's model goes on with. */
export interface SamplingMessage {
    role: 'user' | 'assistant';
    content: JsonObject | JsonObject[];
}

/** What {@link Context.sample} asks: the params of `sampling/createMessage`. */
export interface SampleRequest {
    /** A text is one message of the user. */
    messages: SamplingMessage[] | string;
    maxTokens: number;
    systemPrompt?: string;
    modelPreferences?: JsonObject;
    temperature?: number;
    stopSequences?: string[];
    includeContext?: 'none' | 'thisServer' | 'allServers';
    metadata?: JsonObject;
    tools?: JsonObject[];
    toolChoice?: JsonObject;
    /** Names the question among those of the call. By default it is made of its text. */
    key?: string;
}

/** What the client's model said. */
export interface SampleResult {
    role: 'user' | 'assistant';
    content: any;
    model: string;
    stopReason?: string;
    _meta?: JsonObject;
}

/** A folder or file of the client's. */
export interface Root {
    uri: string;
    name?: string;
    _meta?: JsonObject;
}

/**
 * One call, as its handler sees it.
 *
 * `elicit`, `elicitUrl`, `sample` and `roots` do not wait for the client: where the answer is not there yet they reject with
 * {@link InputRequired}, the call ends, and the handler runs again from its beginning when the client has answered. Let that
 * pass through. What stands before the question runs again in each round: see `memo` and `once`.
 */
export interface Context {
    /** Aborted when the client cancels the call or goes away, when its time is over, and when the server closes. */
    readonly signal: AbortSignal;
    /** The tool's or prompt's name, or the URI of the resource. */
    readonly name: string;
    /** The server that is called. Its `callTool`, `getPrompt` and `readResource` are on behalf of this call. */
    readonly server: CallServer;
    /** The headers of the HTTP request, by their names in lower case; empty over other transports. */
    readonly headers: Record<string, string>;
    /** On whose behalf the call comes, where the host said so. */
    readonly principal: string | undefined;
    /** The `_meta` of the request. */
    readonly meta: JsonObject;
    /** The revision that the client speaks, as `"2026-07-28"`. */
    readonly revision: string;
    /** The client by name, as it says. */
    readonly clientInfo: Implementation | undefined;
    readonly clientCapabilities: JsonObject;
    /** What a web server's handler was given: the `IncomingMessage` or its like of `nodeHandler`, the `Request` of `fetchHandler`. */
    readonly request: any;
    /** The arguments as the client wrote them: JSON text, in which integers beyond 2^53 are whole. */
    readonly argumentsJson: string;
    /** Tells the client how far the call is. Values must increase; what comes too fast is left out. */
    progress(value: number, total?: number, message?: string): void;
    /** Sends the client a log message, if it asked for that level. `data` is any JSON value. */
    log(level: LogLevel, data: unknown, logger?: string): void;
    /** Asks the user by a form. A Standard Schema types the content, and checks it. */
    elicit<const S extends Schema>(form: { message: string; requestedSchema: S; key?: string }): Promise<ElicitResult<Output<S>>>;
    /** Asks the user for consent alone, by a form without fields. */
    elicit(form: { message: string; requestedSchema?: undefined; key?: string }): Promise<ElicitResult>;
    /**
     * Sends the user to a page. An address that needs the id of the question is made by a function: it gets
     * the id that {@link Server.completeElicitation} takes when the page is done.
     */
    elicitUrl(page: { message: string; url: string | ((elicitationId: string) => string); key?: string }): Promise<ElicitResult>;
    /** Asks the client's model. */
    sample(request: SampleRequest): Promise<SampleResult>;
    /** Asks the client for its roots. */
    roots(options?: { key?: string }): Promise<Root[]>;
    /** What `compute` gave when `key` was first asked for in the rounds of this call: what is dear, or must not change. */
    memo<T>(key: string, compute: () => Awaitable<T>): Promise<T>;
    /** True the first time in all rounds of this call: for an effect that must not be repeated. */
    once(key: string): boolean;
    /** Ends the stream of events of a session in mid-call; the client comes back for the rest after `retryMs`. */
    closeStream(retryMs?: number): void;
}

/** What a handler may ask of its server. */
export interface CallServer {
    /** Calls another tool: with the principal and headers of this call, and cancelled with it. */
    callTool(name: string, args?: JsonObject): Promise<CallToolResult>;
    getPrompt(name: string, args?: Record<string, string>): Promise<GetPromptResult>;
    readResource(uri: string): Promise<ReadResourceResult>;
    tools(): JsonObject[];
    prompts(): JsonObject[];
    resources(): JsonObject[];
    resourceTemplates(): JsonObject[];
    findTool(name: string): JsonObject | undefined;
    exportTools(provider: Provider): JsonObject[];
    resourceUpdated(uri: string, principal?: string): void;
    completeElicitation(id: string): boolean;
}

/** The API of a model's provider. */
export type Provider = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini';

// ---- options -------------------------------------------------------------------------------------------------------

/** Who the server is. */
export interface ServerInfo {
    name: string;
    /** "0" unless given. */
    version?: string;
    title?: string;
    description?: string;
    websiteUrl?: string;
    icons?: Icon[];
    /** What `server/discover` and `initialize` tell models about the use of the server. */
    instructions?: string;
}

/** The options of docs/limits.md, which has their defaults and ranges. */
export interface ServerOptions {
    /** What the server tells models about its use; may stand in {@link ServerInfo} as well. */
    instructions?: string;
    maxMessageBytes?: number;
    maxDepth?: number;
    maxInFlight?: number;
    maxInFlightPerConnection?: number;
    maxSubscriptions?: number;
    handlerThreads?: number;
    handlerQueue?: number;
    workerThreads?: number;
    handlerTimeoutMs?: number;
    answerTimeoutMs?: number;
    drainMs?: number;
    pageSize?: number;
    pageBytes?: number;
    cacheTtlMs?: number;
    cacheScope?: CacheScope;
    toolsCacheTtlMs?: number;
    toolsCacheScope?: CacheScope;
    promptsCacheTtlMs?: number;
    promptsCacheScope?: CacheScope;
    resourcesCacheTtlMs?: number;
    resourcesCacheScope?: CacheScope;
    resourceTemplatesCacheTtlMs?: number;
    resourceTemplatesCacheScope?: CacheScope;
    resourceReadCacheTtlMs?: number;
    resourceReadCacheScope?: CacheScope;
    discoverCacheTtlMs?: number;
    discoverCacheScope?: CacheScope;
    progressPerSecond?: number;
    logsPerSecond?: number;
    logging?: boolean;
    tools?: boolean;
    prompts?: boolean;
    resources?: boolean;
    completions?: boolean;
    legacy?: boolean;
    lenientArguments?: boolean;
    serverInfoInResults?: boolean;
    description?: string;
    websiteUrl?: string;
    icons?: Icon[];
    /** Keys of 32 bytes in base64; the first seals, all open. */
    requestStateKeys?: string | string[];
    requestStateAudience?: string;
    requestStateTtlMs?: number;
    maxRequestStateBytes?: number;
    maxSchemaDepth?: number;
    maxSubschemas?: number;
}

interface HttpOptions {
    /** The names that the server answers to, beside those of this machine on a loopback address. */
    allowedHosts?: string[];
    /** The web pages that may use the server, as `"https://app.example.com"`. */
    allowedOrigins?: string[];
    keepAliveMs?: number;
    maxSessions?: number;
    sessionIdleMs?: number;
    eventStoreEvents?: number;
    eventStoreBytes?: number;
    retryMs?: number;
    /** Where the transport of revision 2024-11-05 is served, as `"/sse"`; nowhere unless given. */
    ssePath?: string;
}

/** Where and how {@link Server.listen} listens. */
export interface ListenOptions extends HttpOptions {
    /** 0 unless given: any that is free, which {@link Listener.port} tells. */
    port?: number;
    /** `127.0.0.1` unless given. */
    host?: string;
    /** `/mcp` unless given. */
    path?: string;
    /** The PEM files of a certificate chain and its key. */
    tls?: { certFile: string; keyFile: string };
    maxConnections?: number;
    headTimeoutMs?: number;
    idleTimeoutMs?: number;
    tlsCheckMs?: number;
}

/** How {@link Server.nodeHandler} and {@link Server.fetchHandler} are mounted. */
export interface MountOptions<Incoming> extends HttpOptions {
    /** Requests for other paths get 404. Unless given, whatever the web server routes to the handler is for it. */
    path?: string;
    /**
     * The address on which the web server listens, which says who can reach it. `127.0.0.1` unless given: only names and pages of
     * this machine, and those that are allowed, are let in.
     */
    host?: string;
    /** On whose behalf a request comes. One that throws or rejects is answered with status 500, and the handler is not run. */
    principal?: (request: Incoming) => Awaitable<string | undefined | null>;
}

/** A socket that serves. */
export interface Listener {
    readonly port: number;
    /** As `http://127.0.0.1:8080/mcp`. */
    readonly url: string;
    /** Takes no more requests, lets those that run end within `drainMs` (the server's option unless given), and closes. */
    close(drainMs?: number): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

/** What a request of node:http is: that of Express too, with the `body` that a parser has left. */
export type NodeRequest = IncomingMessage & { body?: unknown; originalUrl?: string };

/** A client that is joined by {@link Server.connect}. */
export interface Session {
    /** Takes one message of the client. */
    receive(message: string | Uint8Array): void;
    /** Says who the client is, for the messages that come after it. */
    setPrincipal(principal: string | undefined): void;
    /** Cancels its calls and ends its subscriptions. Nothing is sent any more when the promise resolves. */
    close(): Promise<void>;
}

// ---- the server ----------------------------------------------------------------------------------------------------

/** A server of the Model Context Protocol: its tools, resources and prompts, for clients of every revision. */
export class Server {
    constructor(info: ServerInfo, options?: ServerOptions);

    /** Registers a tool. One of the same name must be removed before. */
    registerTool<const In extends Schema | undefined = undefined, const Out extends Schema | undefined = undefined>(
        name: string,
        config: ToolConfig<In, Out>,
        handler: ToolHandler<In, Out>,
    ): RegisteredTool;

    /** Registers a resource. */
    registerResource(name: string, uri: string, config: ResourceConfig, handler: ResourceHandler): RegisteredResource;
    /** Registers a template of resources. */
    registerResource(
        name: string,
        template: ResourceTemplate,
        config: ResourceTemplateConfig,
        handler: ResourceTemplateHandler,
    ): RegisteredResource;

    /** Registers a prompt. */
    registerPrompt<const In extends Schema | undefined = undefined>(
        name: string,
        config: PromptConfig<In>,
        handler: PromptHandler<In>,
    ): RegisteredPrompt;

    /** Completes what neither a {@link ResourceTemplate} nor {@link completable} does. */
    registerCompletion(handler: CompletionHandler): void;

    /** Serves standard input and output until the input ends or the server is closed. What is printed meanwhile lands on stderr. */
    serveStdio(): Promise<void>;

    /** Serves HTTP on a port of its own. */
    listen(options?: ListenOptions): Promise<Listener>;

    /** A handler for `http.createServer`, Express, Connect, and Fastify's `request.raw` and `reply.raw`. */
    nodeHandler<Req extends NodeRequest = NodeRequest>(
        options?: MountOptions<Req>,
    ): (req: Req, res: ServerResponse, next?: unknown) => void;

    /** A handler from `Request` to `Response`, for Hono and its like. */
    fetchHandler(options?: MountOptions<Request>): (request: Request) => Promise<Response>;

    /** Joins a client over a transport of your own: `send` gets one JSON-RPC message at a time. */
    connect(send: (message: string) => void): Session;

    /** Calls a tool in process, through the same checks as a client's call. Tool errors are results with `isError`. */
    callTool(name: string, args?: JsonObject): Promise<CallToolResult>;
    getPrompt(name: string, args?: Record<string, string>): Promise<GetPromptResult>;
    readResource(uri: string): Promise<ReadResourceResult>;

    /** The definitions of all tools, as clients of the newest revision see them. */
    tools(): JsonObject[];
    prompts(): JsonObject[];
    resources(): JsonObject[];
    resourceTemplates(): JsonObject[];
    findTool(name: string): JsonObject | undefined;
    /** The tools in the shape that the API of a model's provider takes. */
    exportTools(provider: Provider): JsonObject[];

    /** Tells those who subscribed to the resource that it changed; with a principal, only its clients. */
    resourceUpdated(uri: string, principal?: string): void;
    /** Tells the client that was sent to a page that the user is done there. False if it is not there, or need not be told. */
    completeElicitation(id: string): boolean;

    /** Ends everything that serves: nothing is taken in any more, calls get `drainMs` (the option unless given) to end. */
    close(drainMs?: number): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

// ---- errors --------------------------------------------------------------------------------------------------------

/** Thrown in a handler of a tool: its message goes to the model, as a result with `isError`. Other errors only go to the log. */
export class ToolError extends Error {
    constructor(message: string, options?: ErrorOptions);
}

/**
 * Thrown in a handler: the request ends with this error of JSON-RPC. The code is -32602, -32603, or one outside of -32768 to
 * -32000, which the protocol reserves.
 */
export class ProtocolError extends Error {
    constructor(code: number, message: string, data?: unknown);
    readonly code: number;
    readonly data: unknown;
}

/** Thrown in a handler of a resource: there is none of that URI. */
export class NotFoundError extends Error {
    constructor(message?: string);
}

/** With what `ctx.elicit` and its like reject where the client must answer first. Let it pass: the handler will run again. */
export class InputRequired extends Error {}

/** What the library refuses to do, and why. */
export class McpError extends Error {
    /** As `"INVALID_SCHEMA"`. */
    readonly code: string;
}

/** Where the library's log goes, and what handlers throw: to stderr unless set. */
export function setLogHandler(handler: ((record: LogRecord) => void) | undefined): void;

export interface LogRecord {
    level: 'debug' | 'info' | 'warning' | 'error';
    message: string;
    /** What a handler threw. */
    error?: unknown;
}
