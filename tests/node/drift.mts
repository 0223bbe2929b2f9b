// Holds the code of the package against what index.d.ts says of it: each class has the members that it is said to have, of the
// types that they are said to have. Generic functions are compared by name alone, as types.mts shows what they give; so is
// `listen`, whose Listener is compared by itself: the compiler does not see a member whose name older Nodes do not have.
import type * as declared from '../../bindings/node/index.js';
import type { CallServer } from '../../bindings/node/lib/call_server.js';
import type { completable } from '../../bindings/node/lib/completable.js';
import type { Context } from '../../bindings/node/lib/context.js';
import type { InputRequired, McpError, NotFoundError, ProtocolError, ToolError } from '../../bindings/node/lib/errors.js';
import type { Listener } from '../../bindings/node/lib/listener.js';
import type { setLogHandler } from '../../bindings/node/lib/log.js';
import type { RegisteredPrompt } from '../../bindings/node/lib/registered_prompt.js';
import type { RegisteredResource } from '../../bindings/node/lib/registered_resource.js';
import type { RegisteredTool } from '../../bindings/node/lib/registered_tool.js';
import type { ResourceTemplate } from '../../bindings/node/lib/resource_template.js';
import type { Server } from '../../bindings/node/lib/server.js';
import type { Session } from '../../bindings/node/lib/session.js';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** The members by name, without symbols. */
type Names<T> = Extract<keyof T, string>;

/** Fails to compile unless the code has just the declared members, beside those that are its own affair: they begin with _. */
function members<Code, Declared>(_: Same<Exclude<Names<Code>, `_${string}`>, Names<Declared>>): void {}
/** Fails to compile unless the code can stand for what is declared, but for the generic members. */
function fits<Code extends Pick<Declared, Exclude<Names<Declared>, Generic>>, Declared, Generic extends string = never>(_?: [Code, Declared, Generic]): void {}

members<Server, declared.Server>(true);
fits<Server, declared.Server, 'registerTool' | 'registerResource' | 'registerPrompt' | 'listen'>();
members<Context, declared.Context>(true);
fits<Context, declared.Context, 'elicit' | 'memo'>();
members<CallServer, declared.CallServer>(true);
fits<CallServer, declared.CallServer>();
members<Listener, declared.Listener>(true);
fits<Listener, declared.Listener>();
members<Session, declared.Session>(true);
fits<Session, declared.Session>();
members<ResourceTemplate, declared.ResourceTemplate>(true);
fits<ResourceTemplate, declared.ResourceTemplate>();
members<RegisteredTool, declared.RegisteredTool>(true);
fits<RegisteredTool, declared.RegisteredTool>();
members<RegisteredResource, declared.RegisteredResource>(true);
fits<RegisteredResource, declared.RegisteredResource>();
members<RegisteredPrompt, declared.RegisteredPrompt>(true);
fits<RegisteredPrompt, declared.RegisteredPrompt>();
fits<ToolError, declared.ToolError>();
fits<ProtocolError, declared.ProtocolError>();
fits<NotFoundError, declared.NotFoundError>();
fits<InputRequired, declared.InputRequired>();
fits<McpError, declared.McpError>();
fits<typeof setLogHandler, typeof declared.setLogHandler>();
fits<typeof completable, typeof declared.completable>();
