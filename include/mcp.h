/*
 * libmcp: offer tools to language models from a C program, by the Model Context Protocol.
 *
 * This file is generated from ffi/ by `make header`. docs/c-api.md is the guide to it.
 *
 * ERRORS. A function that can fail returns an mcp_status as int: 0 (MCP_STATUS_OK) or a negative number.
 * mcp_last_error() is the sentence that belongs to the last failure on this thread; it may be an argument of
 * the next call. Outputs are written only on success. The comments below name errors without MCP_STATUS_ERR_.
 * Some need no mention: NULL_ARG for a pointer that must not be NULL; INVALID_UTF8 for a text that is not
 * UTF-8; FORKED for a handle that was made before a fork(), in the child; PANIC for a fault in the library. A
 * setter that fails changes nothing, and nothing later tells of it: check each.
 *
 * OWNERSHIP. Whoever makes a handle frees it: mcp_NOUN_new or _from_json, mcp_NOUN_free. Everything handed in
 * is copied before the function returns. A text that comes out of a call is borrowed: it is NUL-terminated
 * and lives as long as the call. A text that comes out as char ** is yours: mcp_text_free. A handler borrows
 * its call until it returns; mcp_call_retain keeps it.
 *
 * TEXTS. Names and URIs are NUL-terminated UTF-8. Documents and payloads are a pointer and a length in bytes;
 * MCP_NUL_TERMINATED stands for strlen, and NULL with 0 is empty. Documents of the protocol (definitions,
 * schemas, results) are JSON, exactly as the specification has them.
 *
 * CALLBACKS. Each is a function, a `user_data` that the library hands back to it, and a destructor, which is
 * called exactly once: when the registration was replaced, removed or freed with its owner and its last call
 * has ended, and also when the registration fails. It may be NULL. No longjmp, no pthread_exit and no C++
 * exception may leave a callback: one that does ends the process.
 *
 * THREADS. Every function may be called from any thread, unless its comment says otherwise. Builders
 * (mcp_tool and its like, mcp_http_config) and mcp_..._free want one owner. Callbacks may come from any
 * thread; handlers come from threads of a pool, unless the definition says otherwise, with the signal mask of
 * the thread that made the server. What would wait for itself, as freeing a server inside a handler, returns
 * DEADLOCK. The library installs no signal handler, and starts no thread before it serves.
 *
 * FORK. In a child process, a handle made before the fork can only be freed, which leaves it alone; a server
 * made in the child works. A handler that forks must not return in the child.
 *
 * A program:
 *
 *     static void hello(mcp_call *call, void *user_data)
 *     {
 *         const char *name;
 *         (void)user_data;
 *         if (mcp_call_get_string(call, "name", &name, NULL) != MCP_STATUS_OK) {
 *             mcp_call_finish_tool_error(call, mcp_last_error(), MCP_NUL_TERMINATED);
 *             return;
 *         }
 *         mcp_call_add_text(call, "Hello, ", MCP_NUL_TERMINATED);
 *         mcp_call_finish_text(call, name, MCP_NUL_TERMINATED);
 *     }
 *
 *     int main(void)
 *     {
 *         mcp_server *server = NULL;
 *         mcp_tool *tool = NULL;
 *         bool served = mcp_server_new("greeter", "1.0.0", &server) == MCP_STATUS_OK
 *             && mcp_tool_new("hello", &tool) == MCP_STATUS_OK
 *             && mcp_tool_set_description(tool, "Greets somebody") == MCP_STATUS_OK
 *             && mcp_tool_add_argument(tool, "name", MCP_TYPE_STRING, MCP_REQUIRED, "Who") == MCP_STATUS_OK
 *             && mcp_server_add_tool(server, tool, hello, NULL, NULL) == MCP_STATUS_OK
 *             && mcp_server_run_stdio(server) == MCP_STATUS_OK;
 *         if (!served)
 *             fprintf(stderr, "%s\n", mcp_last_error());
 *         mcp_tool_free(tool);
 *         mcp_server_free(server);
 *         return served ? 0 : 1;
 *     }
 */

#ifndef LIBMCP_MCP_H
#define LIBMCP_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The version that this header belongs to; mcp_version_number() is that of the library. */
#define MCP_VERSION_MAJOR 0
#define MCP_VERSION_MINOR 1
#define MCP_VERSION_PATCH 0
#define MCP_VERSION_STRING "0.1.0"
#define MCP_VERSION_NUMBER ((MCP_VERSION_MAJOR << 16) | (MCP_VERSION_MINOR << 8) | MCP_VERSION_PATCH)

/* Define LIBMCP_STATIC where the static library is linked, on systems that tell the two apart. */
#if defined(_WIN32) && !defined(LIBMCP_STATIC)
#define LIBMCP_API __declspec(dllimport)
#elif defined(__GNUC__)
#define LIBMCP_API __attribute__((visibility("default")))
#else
#define LIBMCP_API
#endif

/** As the length of a text: the text ends at its first NUL. */
#define MCP_NUL_TERMINATED SIZE_MAX

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status codes and errors ------------------------------------------------------------------------- */

/**
 * What a function returns: 0 for success, a negative number for a failure. Values never change.
 *
 * `mcp_last_error` has the sentence that belongs to a failure.
 */
typedef enum mcp_status {
    /** Success. */
    MCP_STATUS_OK = 0,
    /** A pointer that must not be NULL is NULL. */
    MCP_STATUS_ERR_NULL_ARG = -1,
    /** An argument is not what the function takes. */
    MCP_STATUS_ERR_INVALID_ARG = -2,
    /** A text is not UTF-8. */
    MCP_STATUS_ERR_INVALID_UTF8 = -3,
    /** A text is not JSON. */
    MCP_STATUS_ERR_INVALID_JSON = -4,
    /** There is no such thing; of an argument: the client did not give it. */
    MCP_STATUS_ERR_NOT_FOUND = -5,
    /** The argument is there, and null. */
    MCP_STATUS_ERR_NULL_VALUE = -6,
    /** The argument has another type. */
    MCP_STATUS_ERR_WRONG_TYPE = -7,
    /** The number does not fit. */
    MCP_STATUS_ERR_OUT_OF_RANGE = -8,
    /** A tool's schema cannot be used. */
    MCP_STATUS_ERR_INVALID_SCHEMA = -9,
    /** A result breaks its tool's output schema, or is no result. The call may be finished again. */
    MCP_STATUS_ERR_INVALID_RESULT = -10,
    /** The call was finished before, or answered by the library when its time ran out. */
    MCP_STATUS_ERR_ALREADY_FINISHED = -11,
    /** The client cancelled the call. Nothing is sent for it any more. */
    MCP_STATUS_ERR_CANCELLED = -12,
    /** Something of which there is one only is in use, as the standard streams of the process. */
    MCP_STATUS_ERR_BUSY = -13,
    /** The operating system refused. */
    MCP_STATUS_ERR_IO = -14,
    /** The time given ran out. */
    MCP_STATUS_ERR_TIMEOUT = -15,
    /** The call would wait for itself. */
    MCP_STATUS_ERR_DEADLOCK = -16,
    /** The handle was made before a fork, in the parent process. */
    MCP_STATUS_ERR_FORKED = -17,
    /** This build of the library cannot do it. */
    MCP_STATUS_ERR_UNSUPPORTED = -18,
    /** The server was shut down. */
    MCP_STATUS_ERR_SHUTDOWN = -19,
    /** A fault in the library, which it survived. Please report it. */
    MCP_STATUS_ERR_PANIC = -20,
    /** The client must be asked first: return from the handler, which runs again when there is an answer. */
    MCP_STATUS_ERR_INPUT_REQUIRED = -21,
    /** The client did not declare what this needs. */
    MCP_STATUS_ERR_MISSING_CAPABILITY = -22,
    /** A call of the server's own tool, prompt or resource ended with an error. */
    MCP_STATUS_ERR_CALL_FAILED = -23,
} mcp_status;

/**
 * The name of a status, as "MCP_STATUS_ERR_NOT_FOUND"; "MCP_STATUS_UNKNOWN" for a number that is none.
 *
 * Never NULL. The text is static. Any thread.
 */
LIBMCP_API const char *mcp_status_name(int status);

/**
 * What was wrong with the last call on this thread that failed, and the way out; "" if none did since.
 *
 * Never NULL. Each function that returns a status, and each `mcp_..._free` that can be refused, forgets
 * the text and sets its own if it fails. The text lives until the next such function on this thread has
 * returned, so that it may be an argument of that one; copy it to keep it longer. What fails later, on
 * another thread, is never told here.
 */
LIBMCP_API const char *mcp_last_error(void);

/* ---- Version ----------------------------------------------------------------------------------------- */

/**
 * The version of the library that runs: `MCP_VERSION_NUMBER` of its header, `major << 16 | minor << 8 |
 * patch`.
 *
 * Any thread.
 */
LIBMCP_API uint32_t mcp_version_number(void);

/**
 * The version of the library that runs, as "0.1.0".
 *
 * Never NULL. The text is static. Any thread.
 */
LIBMCP_API const char *mcp_version_string(void);

/* ---- Texts and callbacks ----------------------------------------------------------------------------- */

/**
 * Frees the `user_data` of a callback. Called exactly once for each registration that named it, also when
 * the registration failed; on a thread of the host's or of the library's. It may call the library, but not
 * wait for a server.
 */
typedef void (*mcp_free_fn)(void *user_data);

/**
 * Frees a text that the library gave away. NULL is fine.
 *
 * Only for texts that a function's comment says are yours. Borrowed ones belong to their handle. Any thread.
 */
LIBMCP_API void mcp_text_free(char *text);

/* ---- The log of the library -------------------------------------------------------------------------- */

/** How grave a message is (specification, server/utilities/logging, "Log Levels"). */
typedef enum mcp_log_level {
    /** Detailed debugging information. */
    MCP_LOG_DEBUG = 0,
    /** General information. */
    MCP_LOG_INFO = 1,
    /** Normal but significant events. */
    MCP_LOG_NOTICE = 2,
    /** Warnings. */
    MCP_LOG_WARNING = 3,
    /** Errors. */
    MCP_LOG_ERROR = 4,
    /** Critical conditions. */
    MCP_LOG_CRITICAL = 5,
    /** Action must be taken at once. */
    MCP_LOG_ALERT = 6,
    /** The system is unusable. */
    MCP_LOG_EMERGENCY = 7,
} mcp_log_level;

/**
 * Takes a line of the library's own log. `level` is an mcp_log_level; `message` has no line break at its
 * end, and lives until the function returns.
 *
 * Called on any thread, also from several at once. It must not wait for a server; lines that it causes
 * itself are dropped.
 */
typedef void (*mcp_log_handler)(int level, const char *message, void *user_data);

/**
 * Sends the log of the library to `handler`, for the whole process; NULL sends warnings and errors to
 * stderr again, which is the default.
 *
 * `user_data_free` (may be NULL) is called with `user_data` once the handler was replaced and its last
 * call has ended; at once if `handler` is NULL. Any thread.
 */
LIBMCP_API int mcp_set_log_handler(mcp_log_handler handler, void *user_data, mcp_free_fn user_data_free);

/* ---- Where handlers run, and what must be given ------------------------------------------------------ */

/** Whether a call must have an argument. No value is one of mcp_type, so that the two cannot be mixed up. */
typedef enum mcp_presence {
    /** A call may leave it out. */
    MCP_OPTIONAL = 100,
    /** A call without it is refused, before the handler. */
    MCP_REQUIRED = 101,
} mcp_presence;

/** Where a handler runs. */
typedef enum mcp_dispatch {
    /** On a thread of the handler pool: it may block. The default. */
    MCP_DISPATCH_POOL = 0,
    /** On the thread that read the request: it promises not to block. The fastest. */
    MCP_DISPATCH_INLINE = 1,
    /**
     * Where the executor that `mcp_server_set_executor` set runs it. In a server that has none, calls are
     * answered with the error -32603, and the log says why.
     */
    MCP_DISPATCH_HOST = 2,
} mcp_dispatch;

/* ---- Tool definitions -------------------------------------------------------------------------------- */

/** The JSON type of an argument. */
typedef enum mcp_type {
    /** A string. */
    MCP_TYPE_STRING = 0,
    /** Any number. */
    MCP_TYPE_NUMBER = 1,
    /** A whole number; 3.0 is one too. */
    MCP_TYPE_INTEGER = 2,
    /** true or false. */
    MCP_TYPE_BOOLEAN = 3,
    /** An object of any members. */
    MCP_TYPE_OBJECT = 4,
    /** An array of any elements. */
    MCP_TYPE_ARRAY = 5,
} mcp_type;

/**
 * The definition of a tool, to be built and then given to `mcp_server_add_tool`, which copies it.
 *
 * It has one owner: no two threads may use it at the same time. (Specification: server/tools, "Tool".)
 */
typedef struct mcp_tool mcp_tool;

/**
 * Makes the definition of a tool called `name`: 1 to 128 of A-Z, a-z, 0-9, '_', '-' and '.'.
 *
 * `*out` is yours; free it with `mcp_tool_free`. Errors: INVALID_ARG for a bad name. Any thread.
 */
LIBMCP_API int mcp_tool_new(const char *name, mcp_tool **out);

/**
 * Makes a definition from the tool object of the specification, as JSON: `name` and `inputSchema` must be
 * there, `title`, `description`, `icons`, `outputSchema`, `annotations` and `_meta` may be. So may
 * `execution`, a field of older revisions: revision 2026-07-28 does not list it.
 *
 * It is published as it is written, with every keyword of its schemas, in its own order. `len` is in
 * bytes, or MCP_NUL_TERMINATED. `*out` is yours; free it with `mcp_tool_free`. Errors: INVALID_JSON,
 * INVALID_UTF8; INVALID_ARG for an unknown key, a bad name or a field of the wrong type. Whether the two
 * schemas can be used is checked by `mcp_server_add_tool`, which returns INVALID_SCHEMA if not. Any thread.
 */
LIBMCP_API int mcp_tool_from_json(const char *json, size_t len, mcp_tool **out);

/** Frees a definition. NULL is fine. The servers to which it was added keep their copies. */
LIBMCP_API void mcp_tool_free(mcp_tool *tool);

/** Sets the name for people. The text is copied. */
LIBMCP_API int mcp_tool_set_title(mcp_tool *tool, const char *title);

/** Sets what the tool does, for models. The text is copied. */
LIBMCP_API int mcp_tool_set_description(mcp_tool *tool, const char *text);

/**
 * Sets the JSON Schema of the arguments: dialect 2020-12, or draft-07 or 2019-09 where `$schema` says so.
 *
 * It is published as it is written. The schema itself is checked by `mcp_server_add_tool`, and so is that
 * it agrees with arguments declared by `mcp_tool_add_argument`. Keywords that JSON Schema does not know are
 * allowed and mean nothing, as JSON Schema has it: a misspelt one refuses no call. A tool with neither
 * schema nor declared arguments takes no arguments.
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8.
 */
LIBMCP_API int mcp_tool_set_input_schema(mcp_tool *tool, const char *json, size_t len);

/**
 * Sets the JSON Schema of the structured content. Every successful result must then have structured
 * content that fits it: a finish that breaks it returns INVALID_RESULT.
 *
 * As `mcp_tool_set_input_schema` otherwise.
 */
LIBMCP_API int mcp_tool_set_output_schema(mcp_tool *tool, const char *json, size_t len);

/**
 * Sets the hints about the tool's behaviour, a JSON object of `title`, `readOnlyHint`, `destructiveHint`,
 * `idempotentHint` and `openWorldHint`.
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown
 * key or a wrong type.
 */
LIBMCP_API int mcp_tool_set_annotations(mcp_tool *tool, const char *json, size_t len);

/**
 * Sets the icons, a JSON array of objects with `src`, and perhaps `mimeType`, `sizes` and `theme`.
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a bad
 * icon.
 */
LIBMCP_API int mcp_tool_set_icons(mcp_tool *tool, const char *json, size_t len);

/**
 * Sets the definition's `_meta`, a JSON object: the place for extensions (specification, basic, "_meta").
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a key that
 * `_meta` may not have.
 */
LIBMCP_API int mcp_tool_set_meta(mcp_tool *tool, const char *json, size_t len);

/**
 * Demands that a client declares a capability, or its calls are answered with -32021 before the handler
 * runs: "roots", "sampling", "sampling.context", "sampling.tools", "elicitation", "elicitation.form",
 * "elicitation.url", or "extensions." and the identifier of an extension.
 *
 * May be called several times; every capability is demanded then. Errors: INVALID_ARG for an unknown name.
 */
LIBMCP_API int mcp_tool_require_capability(mcp_tool *tool, const char *capability);

/**
 * Sets where the tool's handler runs, an mcp_dispatch.
 *
 * Errors: INVALID_ARG for a number that is none.
 */
LIBMCP_API int mcp_tool_set_dispatch(mcp_tool *tool, int dispatch);

/**
 * Declares an argument: a property of the input schema, which the declared arguments make if none is set.
 * Such a schema allows no other arguments.
 *
 * `type` is an mcp_type, `presence` an mcp_presence; `description` is for models and may be NULL. Texts
 * are copied. Errors: INVALID_ARG for a name declared before, an empty name, or a number that is no type
 * or presence.
 */
LIBMCP_API int mcp_tool_add_argument(mcp_tool *tool, const char *name, int type, int presence,
                                     const char *description);

/**
 * Has clients repeat an argument in the HTTP header `Mcp-Param-` + `header_name`, so that proxies can
 * route by it: adds `x-mcp-header` to the argument, declared or in the input schema (specification,
 * server/tools, "x-mcp-header").
 *
 * Whether the tool has such an argument, and whether its type may be mirrored, is checked by
 * `mcp_server_add_tool`. Texts are copied. Errors: INVALID_ARG for an argument mirrored before.
 */
LIBMCP_API int mcp_tool_mirror_argument(mcp_tool *tool, const char *argument, const char *header_name);

/* ---- Resource definitions ---------------------------------------------------------------------------- */

/**
 * The definition of a resource, to be built and then given to `mcp_server_add_resource`, which copies it.
 *
 * It has one owner: no two threads may use it at the same time. (Specification: server/resources,
 * "Resource".)
 */
typedef struct mcp_resource mcp_resource;

/**
 * The definition of a resource template, to be built and then given to `mcp_server_add_resource_template`,
 * which copies it.
 *
 * It has one owner: no two threads may use it at the same time. (Specification: server/resources, "Resource
 * Templates".)
 */
typedef struct mcp_resource_template mcp_resource_template;

/**
 * Makes the definition of the resource at `uri`, as "file:///notes/today.md", which is called `name`.
 *
 * `*out` is yours; free it with `mcp_resource_free`. Errors: INVALID_ARG for a URI without a scheme or an
 * empty name. Any thread.
 */
LIBMCP_API int mcp_resource_new(const char *uri, const char *name, mcp_resource **out);

/**
 * Makes a definition from the resource object of the specification, as JSON: `uri` and `name` must be
 * there, `title`, `description`, `mimeType`, `size`, `icons`, `annotations` and `_meta` may be.
 *
 * It is published as it is written. `len` is in bytes, or MCP_NUL_TERMINATED. `*out` is yours; free it with
 * `mcp_resource_free`. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown key or a field of the
 * wrong type. Any thread.
 */
LIBMCP_API int mcp_resource_from_json(const char *json, size_t len, mcp_resource **out);

/** Frees a definition. NULL is fine. The servers to which it was added keep their copies. */
LIBMCP_API void mcp_resource_free(mcp_resource *resource);

/** Sets the name for people. The text is copied. */
LIBMCP_API int mcp_resource_set_title(mcp_resource *resource, const char *title);

/** Sets what the resource is, for models. The text is copied. */
LIBMCP_API int mcp_resource_set_description(mcp_resource *resource, const char *text);

/**
 * Sets the media type, as "text/markdown". What its handler adds has this type unless it says otherwise.
 * The text is copied.
 */
LIBMCP_API int mcp_resource_set_mime_type(mcp_resource *resource, const char *mime_type);

/**
 * Sets how large the contents are, in bytes, before any encoding. Clients use it to tell people and to
 * estimate what a model can take; nothing checks it.
 */
LIBMCP_API int mcp_resource_set_size(mcp_resource *resource, uint64_t bytes);

/**
 * Sets for whom the resource is, how important and how fresh: a JSON object of `audience`, `priority` and
 * `lastModified` (specification, server/resources, "Annotations").
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown
 * key or a wrong value.
 */
LIBMCP_API int mcp_resource_set_annotations(mcp_resource *resource, const char *json, size_t len);

/**
 * Sets the icons, a JSON array of objects with `src`, and perhaps `mimeType`, `sizes` and `theme`.
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a bad
 * icon.
 */
LIBMCP_API int mcp_resource_set_icons(mcp_resource *resource, const char *json, size_t len);

/**
 * Sets the definition's `_meta`, a JSON object: the place for extensions (specification, basic, "_meta").
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a key that
 * `_meta` may not have.
 */
LIBMCP_API int mcp_resource_set_meta(mcp_resource *resource, const char *json, size_t len);

/**
 * Demands that a client declares a capability, or its reads are refused before the handler runs. As
 * `mcp_tool_require_capability`.
 */
LIBMCP_API int mcp_resource_require_capability(mcp_resource *resource, const char *capability);

/**
 * Sets where the resource's handler runs, an mcp_dispatch.
 *
 * Errors: INVALID_ARG for a number that is none.
 */
LIBMCP_API int mcp_resource_set_dispatch(mcp_resource *resource, int dispatch);

/**
 * Makes the definition of the resources whose URIs `uri_template` describes, as "notes://{folder}/{name}",
 * all of which are called `name`.
 *
 * The template is one of RFC 6570. What it cannot mean is refused by `mcp_server_add_resource_template`.
 * `*out` is yours; free it with `mcp_resource_template_free`. Errors: INVALID_ARG for an empty template or
 * name. Any thread.
 */
LIBMCP_API int mcp_resource_template_new(const char *uri_template, const char *name,
                                         mcp_resource_template **out);

/**
 * Makes a definition from the resource template object of the specification, as JSON: `uriTemplate` and
 * `name` must be there, `title`, `description`, `mimeType`, `icons`, `annotations` and `_meta` may be.
 *
 * It is published as it is written. `len` is in bytes, or MCP_NUL_TERMINATED. `*out` is yours; free it with
 * `mcp_resource_template_free`. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown key or a
 * field of the wrong type. Any thread.
 */
LIBMCP_API int mcp_resource_template_from_json(const char *json, size_t len, mcp_resource_template **out);

/** Frees a definition. NULL is fine. The servers to which it was added keep their copies. */
LIBMCP_API void mcp_resource_template_free(mcp_resource_template *resource_template);

/** Sets the name for people. The text is copied. */
LIBMCP_API int mcp_resource_template_set_title(mcp_resource_template *resource_template, const char *title);

/** Sets what the resources are, for models. The text is copied. */
LIBMCP_API int mcp_resource_template_set_description(mcp_resource_template *resource_template,
                                                     const char *text);

/**
 * Sets the media type that all resources of the template have, as "text/markdown". What its handler adds
 * has this type unless it says otherwise. The text is copied.
 */
LIBMCP_API int mcp_resource_template_set_mime_type(mcp_resource_template *resource_template,
                                                   const char *mime_type);

/**
 * Sets for whom the resources are, how important and how fresh: a JSON object of `audience`, `priority` and
 * `lastModified` (specification, server/resources, "Annotations").
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown
 * key or a wrong value.
 */
LIBMCP_API int mcp_resource_template_set_annotations(mcp_resource_template *resource_template,
                                                     const char *json, size_t len);

/**
 * Sets the icons, a JSON array of objects with `src`, and perhaps `mimeType`, `sizes` and `theme`.
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a bad
 * icon.
 */
LIBMCP_API int mcp_resource_template_set_icons(mcp_resource_template *resource_template, const char *json,
                                               size_t len);

/**
 * Sets the definition's `_meta`, a JSON object: the place for extensions (specification, basic, "_meta").
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a key that
 * `_meta` may not have.
 */
LIBMCP_API int mcp_resource_template_set_meta(mcp_resource_template *resource_template, const char *json,
                                              size_t len);

/**
 * Allows the values of `variable` to be paths that lead out of their place: with "." or ".." as a step, or
 * from the root or a drive on; where the variable stands for one step, as in {name}, also with a slash or a
 * backslash in it. Without it, a URI with such a value is not found, and the handler never sees it.
 *
 * For variables that name no file, or whose handler checks where they lead. May be called for several.
 * Whether the template has the variable is checked by `mcp_server_add_resource_template`. The text is
 * copied.
 */
LIBMCP_API int mcp_resource_template_allow_traversal(mcp_resource_template *resource_template,
                                                     const char *variable);

/**
 * Demands that a client declares a capability, or its reads are refused before the handler runs. As
 * `mcp_tool_require_capability`.
 */
LIBMCP_API int mcp_resource_template_require_capability(mcp_resource_template *resource_template,
                                                        const char *capability);

/**
 * Sets where the template's handler runs, an mcp_dispatch.
 *
 * Errors: INVALID_ARG for a number that is none.
 */
LIBMCP_API int mcp_resource_template_set_dispatch(mcp_resource_template *resource_template, int dispatch);

/* ---- Prompt definitions ------------------------------------------------------------------------------ */

/**
 * The definition of a prompt, to be built and then given to `mcp_server_add_prompt`, which copies it.
 *
 * It has one owner: no two threads may use it at the same time. (Specification: server/prompts, "Prompt".)
 */
typedef struct mcp_prompt mcp_prompt;

/**
 * Makes the definition of a prompt called `name`.
 *
 * `*out` is yours; free it with `mcp_prompt_free`. Errors: INVALID_ARG for an empty name. Any thread.
 */
LIBMCP_API int mcp_prompt_new(const char *name, mcp_prompt **out);

/**
 * Makes a definition from the prompt object of the specification, as JSON: `name` must be there, `title`,
 * `description`, `icons`, `arguments` and `_meta` may be.
 *
 * It is published as it is written. `len` is in bytes, or MCP_NUL_TERMINATED. `*out` is yours; free it with
 * `mcp_prompt_free`. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown key or a field of the
 * wrong type. Any thread.
 */
LIBMCP_API int mcp_prompt_from_json(const char *json, size_t len, mcp_prompt **out);

/** Frees a definition. NULL is fine. The servers to which it was added keep their copies. */
LIBMCP_API void mcp_prompt_free(mcp_prompt *prompt);

/** Sets the name for people. The text is copied. */
LIBMCP_API int mcp_prompt_set_title(mcp_prompt *prompt, const char *title);

/** Sets what the prompt is for. The text is copied. */
LIBMCP_API int mcp_prompt_set_description(mcp_prompt *prompt, const char *text);

/**
 * Sets the icons, a JSON array of objects with `src`, and perhaps `mimeType`, `sizes` and `theme`.
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a bad
 * icon.
 */
LIBMCP_API int mcp_prompt_set_icons(mcp_prompt *prompt, const char *json, size_t len);

/**
 * Sets the definition's `_meta`, a JSON object: the place for extensions (specification, basic, "_meta").
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a key that
 * `_meta` may not have.
 */
LIBMCP_API int mcp_prompt_set_meta(mcp_prompt *prompt, const char *json, size_t len);

/**
 * Declares an argument, behind those before it. Arguments of prompts are strings.
 *
 * `presence` is an mcp_presence; requests without a required argument are refused before the handler.
 * `description` is for people and may be NULL. Texts are copied. Errors: INVALID_ARG for a name declared
 * before, an empty name, or a number that is no presence.
 */
LIBMCP_API int mcp_prompt_add_argument(mcp_prompt *prompt, const char *name, int presence,
                                       const char *description);

/**
 * Demands that a client declares a capability, or its requests are refused before the handler runs. As
 * `mcp_tool_require_capability`.
 */
LIBMCP_API int mcp_prompt_require_capability(mcp_prompt *prompt, const char *capability);

/**
 * Sets where the prompt's handler runs, an mcp_dispatch.
 *
 * Errors: INVALID_ARG for a number that is none.
 */
LIBMCP_API int mcp_prompt_set_dispatch(mcp_prompt *prompt, int dispatch);

/* ---- MCP Apps ---------------------------------------------------------------------------------------- */

/** Who may see and call a tool: one of these, or both with | between them. */
typedef enum mcp_visibility {
    /** The model. */
    MCP_VISIBLE_TO_MODEL = 1,
    /** The user interfaces of the same server. */
    MCP_VISIBLE_TO_APP = 2,
} mcp_visibility;

/**
 * Has clients that can show user interfaces show the results of a tool in the one at `resource_uri`, a
 * resource of the same server that begins with "ui://": sets `ui.resourceUri` in the tool's `_meta`.
 *
 * Other clients ignore it, so the tool must return content all the same: a finish without any is
 * INVALID_RESULT. The text is copied. Errors: INVALID_ARG for another URI. (MCP Apps, SEP-1865.)
 */
LIBMCP_API int mcp_tool_set_ui(mcp_tool *tool, const char *resource_uri);

/**
 * Sets who may see and call a tool: MCP_VISIBLE_TO_MODEL, MCP_VISIBLE_TO_APP, or both with | between them,
 * which is the default. Sets `ui.visibility` in the tool's `_meta`.
 *
 * A tool for user interfaces alone is not listed to clients that cannot show one. Errors: INVALID_ARG for
 * another number. (MCP Apps, SEP-1865.)
 */
LIBMCP_API int mcp_tool_set_visibility(mcp_tool *tool, int visibility);

/**
 * Makes a resource a user interface: sets its media type, "text/html;profile=mcp-app", where none is set,
 * and `ui` in its `_meta`, of which its contents carry a copy. Its URI must begin with "ui://". A later
 * `mcp_resource_set_meta` replaces all of `_meta`.
 *
 * `ui_json` is a JSON object of `csp`, `permissions`, `domain` and `prefersBorder`, `len` bytes or
 * MCP_NUL_TERMINATED; NULL with 0 is "{}". Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a resource
 * with another URI or media type. (MCP Apps, SEP-1865.)
 */
LIBMCP_API int mcp_resource_set_ui(mcp_resource *resource, const char *ui_json, size_t len);

/* ---- Servers ----------------------------------------------------------------------------------------- */

/** A handler that waits to be run by the host. */
typedef struct mcp_job mcp_job;

/**
 * A server: named tools, resources and prompts, and the ways in which it serves them.
 *
 * Its functions may be called from any thread, but for `mcp_server_free`, after which the handle is gone.
 * In a child process after fork() each of them returns FORKED; a server made in the child works there.
 */
typedef struct mcp_server mcp_server;

/**
 * Takes a job, which is yours: run it by `mcp_job_run` or drop it by `mcp_job_drop`, once, now or later,
 * on any thread.
 *
 * Called on a thread that serves: it must not block. It hands the job to a loop or a queue, and wakes
 * that.
 */
typedef void (*mcp_executor)(mcp_job *job, void *user_data);

/**
 * Makes a server that tells clients its name and version. It starts no thread yet.
 *
 * Handlers of the pool run with the signal mask that the calling thread has now. Texts are copied. `*out`
 * is yours; free it with `mcp_server_free`. Errors: INVALID_ARG for an empty name or version.
 */
LIBMCP_API int mcp_server_new(const char *name, const char *version, mcp_server **out);

/**
 * Shuts the server down and frees it. NULL is fine.
 *
 * Every transport stops; calls in flight get as long as the option `drain_ms` says, and are cancelled
 * then. When this returns, the server has no thread left, except that of a handler that did not return: it
 * is left alone, and the log says how many there are. The destructors of handlers and executor have run,
 * except those of calls that are still held. Threads inside `mcp_server_run_stdio` or `mcp_server_wait`
 * return by it.
 *
 * It waits, and so it is refused inside a handler or another callback: the server lives on then,
 * `mcp_last_error` says why, and so does the log. It is refused as well for what `mcp_call_server` returned,
 * which is borrowed. In a child process after fork() it does nothing: what the parent made is the parent's.
 */
LIBMCP_API void mcp_server_free(mcp_server *server);

/** Sets the server's name for people. The text is copied. */
LIBMCP_API int mcp_server_set_title(mcp_server *server, const char *title);

/** Sets what `server/discover` tells models about the use of the server. The text is copied. */
LIBMCP_API int mcp_server_set_instructions(mcp_server *server, const char *instructions);

/**
 * Sets an option by its key; docs/limits.md has the list, with units and defaults.
 *
 * The option holds for requests that come from now on, with these exceptions: stdio and sessions read
 * `max_message_bytes`, `max_depth`, `max_in_flight_per_connection` and `drain_ms` once, when they begin;
 * bounds of threads are read when the first of them starts, bounds of schemas when a tool is added.
 * Errors: INVALID_ARG for an unknown key or a value out of range.
 */
LIBMCP_API int mcp_server_set_option(mcp_server *server, const char *key, const char *value);

/**
 * Sets the executor of handlers whose dispatch is MCP_DISPATCH_HOST, in place of one set before.
 *
 * `user_data_free` (may be NULL) is called with `user_data` exactly once: when the executor was replaced
 * or the server freed, and its last call has ended; or before this returns, if it fails. Jobs may still
 * wait in the host's queue then: that destructor may drop them. Any thread.
 */
LIBMCP_API int mcp_server_set_executor(mcp_server *server, mcp_executor executor, void *user_data,
                                       mcp_free_fn user_data_free);

/**
 * Runs a job's handler on this thread, and frees the job. A job whose call was cancelled meanwhile runs
 * nothing. NULL is fine.
 */
LIBMCP_API void mcp_job_run(mcp_job *job);

/** Frees a job without running it: its call is answered with the error -32603. NULL is fine. */
LIBMCP_API void mcp_job_drop(mcp_job *job);

/* ---- Handlers: what a call says ---------------------------------------------------------------------- */

/** What a call is a call of. */
typedef enum mcp_kind {
    /** A tool: the client calls it. */
    MCP_CALL_TOOL = 0,
    /** A prompt: the client gets it. */
    MCP_CALL_PROMPT = 1,
    /** A resource: the client reads it. */
    MCP_CALL_RESOURCE = 2,
    /** A completion: the client asks what an argument may become. */
    MCP_CALL_COMPLETION = 3,
} mcp_kind;

/**
 * A call in flight: of a tool, a prompt, a resource or a completion.
 *
 * It is counted: the handler borrows one reference, `mcp_call_retain` makes another. Its functions may be
 * called from any thread that has a reference. Texts borrowed from it live until the last reference is
 * given back.
 */
typedef struct mcp_call mcp_call;

/**
 * The code behind a tool, a prompt, a resource or a completion. `call` is borrowed until the function
 * returns.
 *
 * Either it finishes the call before it returns; or it keeps it with `mcp_call_retain`, returns, and has
 * any thread finish it later and give it back with `mcp_call_release`; or it asks the client by
 * `mcp_call_request_input`, and returns to be called again. A call whose last reference goes away unfinished
 * and with nothing asked is answered with the error -32603. No longjmp and no C++ exception may leave the function:
 * an exception that does ends the process.
 */
typedef void (*mcp_handler)(mcp_call *call, void *user_data);

/**
 * Makes another reference to a call, so that it can be finished after its handler has returned. Returns
 * `call`; NULL for NULL.
 *
 * Give it back with `mcp_call_release`. A call that is kept and neither finished nor given back is answered
 * by the option `handler_timeout_ms` alone, which is off by default. Any thread that has a reference.
 */
LIBMCP_API mcp_call *mcp_call_retain(mcp_call *call);

/**
 * Gives back a reference that `mcp_call_retain` made, never the handler's own, which the library takes back
 * when the handler returns. NULL is fine. An unfinished call whose last reference goes is answered with what
 * was asked of the client, or else the error -32603.
 */
LIBMCP_API void mcp_call_release(mcp_call *call);

/**
 * What is called, an mcp_kind: for a handler that serves several. NULL_ARG for NULL, as the only error.
 *
 * Any thread.
 */
LIBMCP_API int mcp_call_kind(const mcp_call *call);

/**
 * The name of what is called: of the tool or prompt; of a resource, the URI that the client named; of a
 * completion, the name of the prompt or the URI template. NULL for NULL.
 *
 * Borrowed from the call. Any thread.
 */
LIBMCP_API const char *mcp_call_name(const mcp_call *call);

/**
 * The arguments of the call, a JSON object: of a tool or prompt the client's own bytes, or "{}" if it gave
 * none, which fit what the tool or prompt takes; of a resource, the variables of its template, which are
 * strings; of a completion, `ref`, `argument` and `context`.
 *
 * Borrowed from the call, NUL-terminated; `len` is in bytes and may be NULL. Any thread.
 */
LIBMCP_API int mcp_call_arguments(mcp_call *call, const char **json, size_t *len);

/**
 * The request's `_meta`, a JSON object (specification, basic, "Per-request protocol fields").
 *
 * Borrowed from the call, NUL-terminated; `len` is in bytes and may be NULL. Any thread.
 */
LIBMCP_API int mcp_call_meta(mcp_call *call, const char **json, size_t *len);

/**
 * What the client declares that it can do, a JSON object.
 *
 * Borrowed from the call, NUL-terminated; `len` is in bytes and may be NULL. Any thread.
 */
LIBMCP_API int mcp_call_client_capabilities(mcp_call *call, const char **json, size_t *len);

/**
 * The value of an HTTP header of the request; of several lines of that name, their values with ", "
 * between them.
 *
 * Upper and lower case are the same in `name`. The bytes are the client's own and need not be UTF-8.
 * Borrowed from the call, NUL-terminated; `len` is in bytes and may be NULL. Errors: NOT_FOUND if there is
 * none, and always on stdio. Any thread.
 */
LIBMCP_API int mcp_call_header(mcp_call *call, const char *name, const char **out, size_t *len);

/**
 * On whose behalf the client speaks, as the host said by `mcp_session_set_principal` or
 * `mcp_exchange_set_principal`.
 *
 * Borrowed from the call. Errors: NOT_FOUND if the host said nothing. Any thread.
 */
LIBMCP_API int mcp_call_principal(mcp_call *call, const char **out);

/**
 * The revision of the protocol that the client speaks, as "2026-07-28".
 *
 * The text is static. Any thread.
 */
LIBMCP_API int mcp_call_protocol_version(mcp_call *call, const char **out);

/**
 * A string argument. `name` is its name, or a JSON Pointer into the arguments, as "/cities/0".
 *
 * `*out` is UTF-8, NUL-terminated, and borrowed from the call; `len` is in bytes and may be NULL. Errors,
 * of this and the other getters: NOT_FOUND if the client did not give it; NULL_VALUE if it is null;
 * WRONG_TYPE if it is something else; INVALID_ARG for a name that is neither among the arguments that the
 * tool or prompt declares nor in the call, which is a mistake in the handler. A string with a NUL in it is INVALID_ARG if
 * `len` is NULL. Any thread.
 */
LIBMCP_API int mcp_call_get_string(mcp_call *call, const char *name, const char **out, size_t *len);

/**
 * A whole number. 3.0 is 3, as the specification has it, and is read exactly; 3.5 is WRONG_TYPE, a number
 * that does not fit is OUT_OF_RANGE.
 *
 * Otherwise as `mcp_call_get_string`. Any thread.
 */
LIBMCP_API int mcp_call_get_int64(mcp_call *call, const char *name, int64_t *out);

/**
 * A number, as the nearest double.
 *
 * Otherwise as `mcp_call_get_string`. Any thread.
 */
LIBMCP_API int mcp_call_get_double(mcp_call *call, const char *name, double *out);

/**
 * A boolean.
 *
 * Otherwise as `mcp_call_get_string`. Any thread.
 */
LIBMCP_API int mcp_call_get_bool(mcp_call *call, const char *name, bool *out);

/**
 * An argument of any type but null, as the client's own JSON text.
 *
 * `*out` is NUL-terminated and borrowed from the call; `len` is in bytes and may be NULL. Otherwise as
 * `mcp_call_get_string`. Any thread.
 */
LIBMCP_API int mcp_call_get_json(mcp_call *call, const char *name, const char **out, size_t *len);

/* ---- Handlers: while a call runs --------------------------------------------------------------------- */

/**
 * Called when a call is cancelled. `call` is borrowed until the function returns. It must not block, as it
 * holds up the thread that read the cancellation, and must not wait for a server. No C++ exception and no
 * longjmp may leave it.
 */
typedef void (*mcp_cancel_callback)(mcp_call *call, void *user_data);

/**
 * Tells the client how far the call is, if it asked for that; succeeds silently if not.
 *
 * `progress` must grow from one time to the next. `total` is where it ends; NAN, zero or less is unknown.
 * `message` is for people and may be NULL. A flood is thinned to its latest value, see the option
 * `progress_per_second`. Never blocks. Errors: INVALID_ARG for a value that does not grow or is not
 * finite; ALREADY_FINISHED, CANCELLED. Any thread. (Specification: basic/patterns/progress.)
 */
LIBMCP_API int mcp_call_progress(mcp_call *call, double progress, double total, const char *message);

/**
 * Sends the client a log message about this call, if it asked for that level; succeeds silently if not.
 *
 * `level` is an mcp_log_level; `logger` names the part of the program that speaks and may be NULL;
 * `data_json` is any JSON value (a text is JSON in quotes), `len` bytes or MCP_NUL_TERMINATED. Never blocks.
 * Errors: INVALID_ARG for a level that is none; INVALID_JSON, INVALID_UTF8; ALREADY_FINISHED, CANCELLED. Any
 * thread.
 * (Specification: server/utilities/logging, which the protocol deprecates; stderr needs no client.)
 */
LIBMCP_API int mcp_call_log(mcp_call *call, int level, const char *logger, const char *data_json, size_t len);

/**
 * Whether the call was cancelled by its client, or its time ran out: its work is in vain. False for NULL.
 *
 * One load; made to be asked often. Any thread.
 */
LIBMCP_API bool mcp_call_is_cancelled(const mcp_call *call);

/**
 * Has `callback` called once when the call is cancelled, on the thread that learns of it; at once, on this
 * thread, if it was before. A call that ends otherwise never calls it.
 *
 * `user_data_free` (may be NULL) is called with `user_data` exactly once: after the callback, or when the
 * call has ended without it, or before this returns, if it fails. The registration keeps no reference to
 * the call. Any thread.
 */
LIBMCP_API int mcp_call_on_cancel(mcp_call *call, mcp_cancel_callback callback, void *user_data,
                                  mcp_free_fn user_data_free);

/**
 * Ends the stream of the response now, for a call that takes long: a client of an older revision over HTTP
 * comes back for the rest, after `retry_ms` milliseconds, 0 for as it likes. The call goes on, and nothing
 * that it sends is lost. Elsewhere nothing happens.
 *
 * Errors: ALREADY_FINISHED, CANCELLED. Any thread. (Specification: revision 2025-11-25, basic/transports,
 * "Sending Messages to the Server".)
 */
LIBMCP_API int mcp_call_close_stream(mcp_call *call, uint32_t retry_ms);

/**
 * The server that is called, so that a handler can use its other tools, prompts and resources, and add and
 * remove them; NULL for NULL.
 *
 * Borrowed: it lives until the last reference to the call is given back, and `mcp_server_free` refuses it.
 * What is called through it by `mcp_server_call_tool`, `mcp_server_read_resource` and
 * `mcp_server_get_prompt` is called on behalf of this call: with its principal and its HTTP headers, and
 * cancelled when it is. Any thread.
 */
LIBMCP_API mcp_server *mcp_call_server(mcp_call *call);

/* ---- Handlers: asking the client --------------------------------------------------------------------- */

/**
 * The client's answer to a question that the handler calls `key`; if there is none yet, asks.
 *
 * A handler never waits for an answer. This function returns INPUT_REQUIRED instead, and the handler
 * returns: the client is asked, and once it has answered, the handler runs again, from its beginning, and
 * gets the answer here. So a question must be asked alike each time, and what stands before it is done
 * again; `mcp_call_memo_set` and `mcp_call_once` are for what must not be. A handler that asks:
 *
 *     static void book(mcp_call *call, void *user_data)
 *     {
 *         static const char question[] =
 *             "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Which seat?\","
 *             "\"requestedSchema\":{\"type\":\"object\",\"required\":[\"seat\"],"
 *             "\"properties\":{\"seat\":{\"type\":\"string\"}}}}}";
 *         const char *seat;
 *         (void)user_data;
 *         if (mcp_call_request_input(call, "seat", question, MCP_NUL_TERMINATED, NULL, NULL) != MCP_STATUS_OK)
 *             return;
 *         if (mcp_call_input_string(call, "seat", "/content/seat", &seat, NULL) == MCP_STATUS_OK)
 *             mcp_call_finish_text(call, seat, MCP_NUL_TERMINATED);
 *         else
 *             mcp_call_finish_text(call, "The user would rather stand.", MCP_NUL_TERMINATED);
 *     }
 *
 * `request_json` is the request of the specification, `len` bytes or MCP_NUL_TERMINATED: an object of
 * `method` and `params`. The method is "elicitation/create" (a form, or with `"mode":"url"` a page to
 * visit), "sampling/createMessage" or "roots/list". It is asked of clients of every revision, in the way
 * that theirs has; older ones have as long as the option `answer_timeout_ms` says. `*answer` is the result of that request, a JSON object: NUL-terminated, borrowed from
 * the call, and of the shape that the method has; the content of a form fits its schema. A wrong answer
 * counts as none and is asked for again. The user may say no: that is an answer too, whose `action` is
 * "decline" or "cancel". `answer` and `answer_len` may be NULL.
 *
 * Several questions can be asked before the handler returns, at most 64; the client gets them together. A
 * handler that returns, or calls `mcp_call_finish_input_required`, sends them. Any other finish after
 * INPUT_REQUIRED sends them too, drops its own result and returns INPUT_REQUIRED.
 *
 * Errors: INPUT_REQUIRED; MISSING_CAPABILITY if the client did not declare that it can be asked this: it is
 * not asked, and a handler that returns now answers with the error that says so, while one that goes on
 * may finish without; INVALID_ARG for a request that is none, and an empty key; INVALID_JSON, INVALID_UTF8;
 * ALREADY_FINISHED, CANCELLED. In a completion nothing can be asked. Any thread. (Specification:
 * basic/patterns/mrtr; client/elicitation.)
 */
LIBMCP_API int mcp_call_request_input(mcp_call *call, const char *key, const char *request_json,
                                      size_t request_len, const char **answer, size_t *answer_len);

/**
 * What the client answered to the question `key`, a JSON object, in this round or an earlier one. Unlike
 * `mcp_call_request_input` it asks nothing, and checks nothing.
 *
 * `*answer` is NUL-terminated and borrowed from the call; `len` is in bytes and may be NULL. Errors:
 * NOT_FOUND; ALREADY_FINISHED, CANCELLED. Any thread.
 */
LIBMCP_API int mcp_call_input(mcp_call *call, const char *key, const char **answer, size_t *len);

/**
 * A string in the client's answer to the question `key`: `name` is that of a member, as "action", or a JSON
 * Pointer into the answer, as "/content/seat".
 *
 * `*out` is NUL-terminated and borrowed from the call; `len` is in bytes and may be NULL. Errors: NOT_FOUND
 * if there is no answer, or nothing of that name in it, as in the answer of a user who says no; NULL_VALUE;
 * WRONG_TYPE; a string with a NUL in it is INVALID_ARG if `len` is NULL; ALREADY_FINISHED, CANCELLED. Any
 * thread.
 */
LIBMCP_API int mcp_call_input_string(mcp_call *call, const char *key, const char *name, const char **out,
                                     size_t *len);

/**
 * A value of any type but null in the client's answer to the question `key`, as JSON text: "true", "42".
 *
 * Otherwise as `mcp_call_input_string`. Any thread.
 */
LIBMCP_API int mcp_call_input_json(mcp_call *call, const char *key, const char *name, const char **out,
                                   size_t *len);

/**
 * Ends this round of the call with the questions that were asked, as the return of the handler does: for a
 * handler that finishes later.
 *
 * Errors: INVALID_ARG if nothing was asked; ALREADY_FINISHED, CANCELLED. Any thread.
 */
LIBMCP_API int mcp_call_finish_input_required(mcp_call *call);

/**
 * What `mcp_call_memo_set` kept under `key`, in this round of the call or an earlier one: JSON text.
 *
 * `*json` is NUL-terminated and borrowed from the call; `len` is in bytes and may be NULL. Errors:
 * NOT_FOUND; ALREADY_FINISHED, CANCELLED. Any thread.
 */
LIBMCP_API int mcp_call_memo_get(mcp_call *call, const char *key, const char **json, size_t *len);

/**
 * Keeps a JSON value for the rounds of the call to come, in place of one kept under `key` before: what is
 * dear to compute, or must not change from one round to the next.
 *
 * `json` is any JSON value (a text is JSON in quotes), `len` bytes or MCP_NUL_TERMINATED, and copied. To a
 * client of revision 2026-07-28 it travels, encrypted, through the client and back: keep it small, the
 * option `max_request_state_bytes` bounds all of it. Errors: INVALID_JSON, INVALID_UTF8; ALREADY_FINISHED,
 * CANCELLED. Any thread. (Specification: basic/patterns/mrtr.)
 */
LIBMCP_API int mcp_call_memo_set(mcp_call *call, const char *key, const char *json, size_t len);

/**
 * Sets `*first` to true the first time that `key` is asked for in the rounds of the call, else to false: an
 * effect that stands behind it happens once, although the handler runs again.
 *
 * It holds for one process. A client that sends an old round to another process, which shares the option
 * `request_state_keys`, has it happen there again. Errors: ALREADY_FINISHED, CANCELLED. Any thread.
 */
LIBMCP_API int mcp_call_once(mcp_call *call, const char *key, bool *first);

/**
 * The id of the page that is asked for under `key` (`"mode":"url"`), the same in every round of the call:
 * for the page's address, so that whoever serves it can say when the user is done.
 *
 * The library makes it; nobody can guess it. Borrowed from the call, NUL-terminated. Errors:
 * ALREADY_FINISHED, CANCELLED. Any thread. (Specification: client/elicitation, "URL Mode".)
 */
LIBMCP_API int mcp_call_elicitation_id(mcp_call *call, const char *key, const char **id);

/**
 * Tells the client that was sent to a page that the user is done there. Clients of revision 2025-11-25 want
 * to know; those of others find out as they can.
 *
 * Errors: NOT_FOUND if no client waits to be told. Any thread. (Specification: revision 2025-11-25,
 * client/elicitation, "Completion Notifications for URL Mode Elicitation".)
 */
LIBMCP_API int mcp_server_complete_elicitation(mcp_server *server, const char *elicitation_id);

/* ---- Handlers: the result ---------------------------------------------------------------------------- */

/** Who speaks in a message. */
typedef enum mcp_role {
    /** The user. A prompt begins with the user's messages. */
    MCP_ROLE_USER = 0,
    /** The model. */
    MCP_ROLE_ASSISTANT = 1,
} mcp_role;

/** Who may be served from a cache of a result. */
typedef enum mcp_cache_scope {
    /** Anybody: the result is the same for all. */
    MCP_CACHE_PUBLIC = 0,
    /** Only those who have the same authorization. */
    MCP_CACHE_PRIVATE = 1,
} mcp_cache_scope;

/**
 * Adds a text to the result. What this and the functions below add is a content block of a tool's result; a
 * message of a prompt; and of a resource, contents under the URI that was asked for and with the resource's
 * media type.
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Copied. Errors of this and the functions below: INVALID_UTF8;
 * INVALID_ARG in a completion; ALREADY_FINISHED, CANCELLED. Any thread. (Specification: server/tools, "Tool
 * Result"; server/prompts, "PromptMessage"; server/resources, "Resource Contents".)
 */
LIBMCP_API int mcp_call_add_text(mcp_call *call, const char *text, size_t len);

/**
 * Adds an image: the bytes of the file, which the library encodes, and its media type, as "image/png".
 *
 * Errors: INVALID_ARG for a media type that is none of an image.
 */
LIBMCP_API int mcp_call_add_image(mcp_call *call, const void *bytes, size_t len, const char *mime_type);

/**
 * Adds a sound: the bytes of the file, which the library encodes, and its media type, as "audio/wav".
 *
 * Errors: INVALID_ARG for a media type that is none of a sound.
 */
LIBMCP_API int mcp_call_add_audio(mcp_call *call, const void *bytes, size_t len, const char *mime_type);

/**
 * Adds a link to a resource that the client may fetch. `title`, `description` and `mime_type` may be NULL.
 *
 * Errors: INVALID_ARG for a URI without a scheme or an empty name, and in the read of a resource.
 */
LIBMCP_API int mcp_call_add_resource_link(mcp_call *call, const char *uri, const char *name,
                                          const char *title, const char *description, const char *mime_type);

/**
 * Adds a resource with its text. `mime_type` may be NULL; `len` is in bytes, or MCP_NUL_TERMINATED.
 *
 * In the read of a resource, `uri` may be NULL too: the one that was asked for; others are for what belongs to
 * it, as the files of a folder. Errors: INVALID_ARG for a URI without a scheme.
 */
LIBMCP_API int mcp_call_add_resource_text(mcp_call *call, const char *uri, const char *mime_type,
                                          const char *text, size_t len);

/**
 * Adds a resource with its bytes, which the library encodes. `mime_type` may be NULL, and in the read of a
 * resource also `uri`.
 *
 * Errors: INVALID_ARG for a URI without a scheme.
 */
LIBMCP_API int mcp_call_add_resource_blob(mcp_call *call, const char *uri, const char *mime_type,
                                          const void *bytes, size_t len);

/**
 * Adds a content block of any kind, as JSON, with its `annotations` and `_meta`; in the read of a resource,
 * an item of its `contents`.
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for what is no
 * content block.
 */
LIBMCP_API int mcp_call_add_content(mcp_call *call, const char *json, size_t len);

/**
 * Sets the structured content of a tool's result, any JSON value. For clients that know no better it is
 * repeated as text, unless the result has a text of its own.
 *
 * It is checked against the output schema by the finish. `len` is in bytes, or MCP_NUL_TERMINATED. Errors:
 * INVALID_JSON, INVALID_UTF8; INVALID_ARG in a call of anything but a tool.
 */
LIBMCP_API int mcp_call_set_structured(mcp_call *call, const char *json, size_t len);

/**
 * Sets the result's `_meta`, a JSON object.
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for what is no
 * such object.
 */
LIBMCP_API int mcp_call_set_meta(mcp_call *call, const char *json, size_t len);

/**
 * Sets who speaks in the messages that are added to a prompt from now on, an mcp_role.
 *
 * Errors: INVALID_ARG for a number that is none, and in a call of anything but a prompt; ALREADY_FINISHED,
 * CANCELLED. Any thread. (Specification: server/prompts, "PromptMessage".)
 */
LIBMCP_API int mcp_call_set_role(mcp_call *call, int role);

/**
 * Sets the description of a prompt's result, for people. The text is copied.
 *
 * Errors: INVALID_ARG in a call of anything but a prompt; ALREADY_FINISHED, CANCELLED. Any thread.
 */
LIBMCP_API int mcp_call_set_description(mcp_call *call, const char *text);

/**
 * Adds bytes to what a resource contains, under the URI that was asked for and with the resource's media
 * type. The library encodes them.
 *
 * Texts are added by `mcp_call_add_text`, contents of other URIs by `mcp_call_add_resource_text` and
 * `mcp_call_add_resource_blob`. Errors: INVALID_ARG in a call of anything but a resource; ALREADY_FINISHED,
 * CANCELLED. Any thread. (Specification: server/resources, "Resource Contents".)
 */
LIBMCP_API int mcp_call_add_blob(mcp_call *call, const void *bytes, size_t len);

/**
 * Sets how long what a resource contains counts as fresh, in milliseconds, and for whom, an
 * mcp_cache_scope. Clients of revision 2026-07-28 are told; without it they are told what the options
 * `resource_read_cache_ttl_ms` and `resource_read_cache_scope` say.
 *
 * Errors: INVALID_ARG for a number that is no scope, and in a call of anything but a resource;
 * ALREADY_FINISHED, CANCELLED. Any thread. (Specification: server/utilities/caching.)
 */
LIBMCP_API int mcp_call_set_cache(mcp_call *call, uint64_t ttl_ms, int scope);

/**
 * Finishes the read of a resource that does not exist, with the error that the client's revision has for
 * it. What was added before is dropped.
 *
 * Errors: INVALID_ARG in a call of anything but a resource; ALREADY_FINISHED, CANCELLED. Any thread.
 * (Specification: server/resources, "Error Handling".)
 */
LIBMCP_API int mcp_call_finish_not_found(mcp_call *call);

/**
 * Adds a value that the argument may become. Clients are sent the first 100, and told if there are more.
 *
 * The text is copied. Errors: INVALID_ARG in a call of anything but a completion; ALREADY_FINISHED,
 * CANCELLED. Any thread. (Specification: server/utilities/completion, "Completion Results".)
 */
LIBMCP_API int mcp_call_add_completion(mcp_call *call, const char *value);

/**
 * Sets how many values there are in all, added or not. A total that is less than what was added counts for
 * nothing.
 *
 * Errors: INVALID_ARG in a call of anything but a completion; ALREADY_FINISHED, CANCELLED. Any thread.
 */
LIBMCP_API int mcp_call_set_completion_total(mcp_call *call, uint64_t total);

/**
 * Finishes the call with what was added so far.
 *
 * Errors, of this and every other finish: ALREADY_FINISHED; CANCELLED, and nothing is sent; INVALID_RESULT
 * if the result breaks the tool's output schema: nothing is sent either, what was added is still there,
 * and the call may be finished again. If it is not, the client gets the error -32603 once the last
 * reference to the call is gone; INPUT_REQUIRED if a question was asked before that the client must answer
 * first: it was sent in place of the result. Any thread.
 */
LIBMCP_API int mcp_call_finish(mcp_call *call);

/**
 * Adds a text and finishes, in one step: a finish that is refused adds nothing.
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_UTF8, and those of `mcp_call_finish`. Any
 * thread.
 */
LIBMCP_API int mcp_call_finish_text(mcp_call *call, const char *text, size_t len);

/**
 * Finishes with a whole result of the specification as JSON. What was added before is dropped.
 *
 * For a tool it is a CallToolResult (`content`, `structuredContent`, `isError`, `_meta`), for a prompt a
 * GetPromptResult, for a resource a ReadResourceResult, for a completion a CompleteResult.
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_RESULT also for
 * what is no such result; those of `mcp_call_finish`. Any thread.
 */
LIBMCP_API int mcp_call_finish_json(mcp_call *call, const char *result_json, size_t len);

/**
 * Finishes with an error that the model sees and can mend (`isError`), as "the city is not known". What
 * was added before is dropped. No model sees the error of anything but a tool: there it is the error -32603
 * with this message.
 *
 * `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_UTF8; ALREADY_FINISHED, CANCELLED. Any thread.
 */
LIBMCP_API int mcp_call_finish_tool_error(mcp_call *call, const char *message, size_t len);

/**
 * Finishes with a JSON-RPC error, for what a model cannot mend.
 *
 * `code` is -32602, -32603 or a number outside -32768 to -32000, which the protocol reserves. `data_json`
 * is any JSON value for programs (a text is JSON in quotes), `len` bytes or MCP_NUL_TERMINATED, or NULL.
 * Errors: INVALID_ARG for a reserved code; INVALID_JSON, INVALID_UTF8; ALREADY_FINISHED, CANCELLED. Any
 * thread. (Specification: basic, "Error Codes".)
 */
LIBMCP_API int mcp_call_finish_error(mcp_call *call, int32_t code, const char *message,
                                     const char *data_json, size_t len);

/* ---- What a server offers ---------------------------------------------------------------------------- */

/** For whose API tools are exported. */
typedef enum mcp_export_format {
    /** OpenAI, Chat Completions: `tools`. */
    MCP_EXPORT_OPENAI_CHAT = 0,
    /** OpenAI, Responses: `tools`. */
    MCP_EXPORT_OPENAI_RESPONSES = 1,
    /** Anthropic, Messages: `tools`. */
    MCP_EXPORT_ANTHROPIC = 2,
    /** Google, Gemini: `tools`. */
    MCP_EXPORT_GEMINI = 3,
} mcp_export_format;

/**
 * Adds a tool, in place of one of the same name, also while serving: subscribers are told that the list
 * changed.
 *
 * `tool` is copied and stays yours. `handler` is called for each call, with `user_data`, where the tool's
 * dispatch says. `user_data_free` (may be NULL) is called with `user_data` exactly once: when the tool was
 * replaced or removed or the server freed, and its last call has ended; or before this returns, if it
 * fails.
 *
 * Errors: INVALID_SCHEMA for a schema that cannot be used, in the given dialect and within the bounds of
 * the options `max_schema_depth` and `max_subschemas`, or that disagrees with the declared arguments. Any
 * thread.
 */
LIBMCP_API int mcp_server_add_tool(mcp_server *server, const mcp_tool *tool, mcp_handler handler,
                                   void *user_data, mcp_free_fn user_data_free);

/**
 * Removes a tool, also while serving. Its calls in flight go on.
 *
 * Errors: NOT_FOUND. Any thread.
 */
LIBMCP_API int mcp_server_remove_tool(mcp_server *server, const char *name);

/**
 * Adds a resource, in place of one of the same URI, also while serving: subscribers are told that the list
 * changed.
 *
 * `resource` is copied and stays yours. `handler` is called for each read, with `user_data`, where the
 * resource's dispatch says. In it, `mcp_call_name` is the URI, and what the `mcp_call_add_...` functions
 * add are the contents. `user_data_free` (may be NULL) is called as `mcp_server_add_tool` says.
 *
 * Any thread. (Specification: server/resources.)
 */
LIBMCP_API int mcp_server_add_resource(mcp_server *server, const mcp_resource *resource, mcp_handler handler,
                                       void *user_data, mcp_free_fn user_data_free);

/**
 * Removes a resource, also while serving. Reads of it in flight go on.
 *
 * Errors: NOT_FOUND. Any thread.
 */
LIBMCP_API int mcp_server_remove_resource(mcp_server *server, const char *uri);

/**
 * Adds a resource template, in place of one of the same text, also while serving: `handler` is called for
 * reads of the URIs that it matches and that no resource has.
 *
 * In it, `mcp_call_name` is the URI that was asked for, and the arguments are the template's variables,
 * decoded: `mcp_call_get_string(call, "folder", ...)`. Where several templates match, the one with the most
 * literal characters is read. `resource_template` is copied and stays yours; everything else as in
 * `mcp_server_add_resource`.
 *
 * Errors: INVALID_ARG for what is no URI template (RFC 6570), for one whose matches would be ambiguous, and
 * for a variable of `mcp_resource_template_allow_traversal` that it does not have. Any thread.
 * (Specification: server/resources, "Resource Templates".)
 */
LIBMCP_API int mcp_server_add_resource_template(mcp_server *server,
                                                const mcp_resource_template *resource_template,
                                                mcp_handler handler, void *user_data,
                                                mcp_free_fn user_data_free);

/**
 * Removes the resource template of this text, also while serving. Reads in flight go on.
 *
 * Errors: NOT_FOUND. Any thread.
 */
LIBMCP_API int mcp_server_remove_resource_template(mcp_server *server, const char *uri_template);

/**
 * Tells those who subscribed to the resource at `uri` that it changed, a moment later, several changes as
 * one. It need not be one that was added: those that templates match can be subscribed to as well.
 *
 * With a `principal`, only those are told who subscribed on its behalf; NULL tells every subscriber. Texts
 * are copied. Any thread. (Specification: server/resources, "Subscriptions".)
 */
LIBMCP_API int mcp_server_resource_updated(mcp_server *server, const char *uri, const char *principal);

/**
 * Adds a prompt, in place of one of the same name, also while serving: subscribers are told that the list
 * changed.
 *
 * `prompt` is copied and stays yours. `handler` is called each time that a client gets the prompt, with
 * `user_data`, where the prompt's dispatch says; each `mcp_call_add_...` function adds a message, whose role
 * `mcp_call_set_role` sets. `user_data_free` (may be NULL) is called as `mcp_server_add_tool` says.
 *
 * Any thread. (Specification: server/prompts.)
 */
LIBMCP_API int mcp_server_add_prompt(mcp_server *server, const mcp_prompt *prompt, mcp_handler handler,
                                     void *user_data, mcp_free_fn user_data_free);

/**
 * Removes a prompt, also while serving. Requests of it in flight go on.
 *
 * Errors: NOT_FOUND. Any thread.
 */
LIBMCP_API int mcp_server_remove_prompt(mcp_server *server, const char *name);

/**
 * Sets the handler that completes arguments of prompts and variables of resource templates, one for all of
 * them, in place of one set before; NULL: none.
 *
 * In it, `mcp_call_name` is the name of the prompt or the URI template, and the arguments are `ref`,
 * `argument` and `context`, as the client sent them: `mcp_call_get_string(call, "/argument/name", ...)` is
 * the argument's name, "/argument/value" what was typed so far, and "/context/arguments/NAME" another
 * argument that is known already. It answers by `mcp_call_add_completion`, and runs on the handler pool.
 *
 * `user_data_free` (may be NULL) is called with `user_data` exactly once: when the handler was replaced or
 * the server freed, and its last call has ended; at once if `handler` is NULL; or before this returns, if
 * it fails. Any thread. (Specification: server/utilities/completion.)
 */
LIBMCP_API int mcp_server_set_completion(mcp_server *server, mcp_handler handler, void *user_data,
                                         mcp_free_fn user_data_free);

/**
 * The definitions of all tools, by name: a JSON array, as clients of revision 2026-07-28 list them.
 *
 * `*json` is yours; free it with `mcp_text_free`; `len` is in bytes and may be NULL. Any thread.
 */
LIBMCP_API int mcp_server_list_tools(mcp_server *server, char **json, size_t *len);

/** The definitions of all resources, by URI. Otherwise as `mcp_server_list_tools`. */
LIBMCP_API int mcp_server_list_resources(mcp_server *server, char **json, size_t *len);

/** The definitions of all resource templates, by URI template. Otherwise as `mcp_server_list_tools`. */
LIBMCP_API int mcp_server_list_resource_templates(mcp_server *server, char **json, size_t *len);

/** The definitions of all prompts, by name. Otherwise as `mcp_server_list_tools`. */
LIBMCP_API int mcp_server_list_prompts(mcp_server *server, char **json, size_t *len);

/**
 * The definition of one tool, a JSON object.
 *
 * `*json` is yours; free it with `mcp_text_free`; `len` is in bytes and may be NULL. Errors: NOT_FOUND. Any
 * thread.
 */
LIBMCP_API int mcp_server_find_tool(mcp_server *server, const char *name, char **json, size_t *len);

/**
 * The tools in the shape that the API of a model's provider takes, an mcp_export_format: a JSON array, the
 * value of `tools` in a request to that API. What the model calls is then run by `mcp_server_call_tool`.
 *
 * Tools that only user interfaces may call (`mcp_tool_set_visibility`) are left out. A name that the API
 * does not take is changed: `mcp_server_call_tool` takes either. Of the root of an input schema goes what
 * the API is known to refuse; the rest stays as it was written. `*json` is yours; free it with
 * `mcp_text_free`; `len` is in bytes and may be NULL. Errors: INVALID_ARG for a number that is no format. Any
 * thread.
 */
LIBMCP_API int mcp_server_export_tools(mcp_server *server, int format, char **json, size_t *len);

/**
 * Calls a tool of the server, through the same checks as a client's call, and waits for its result: a
 * CallToolResult of revision 2026-07-28, as JSON.
 *
 * `name` is the tool's, or that under which `mcp_server_export_tools` exported it. `arguments_json` is a
 * JSON object, `len` bytes or MCP_NUL_TERMINATED; NULL with 0 is "{}".
 * `*result_json` is yours; free it with `mcp_text_free`; `result_len` is in bytes and may be NULL.
 *
 * A tool error, as of arguments that do not fit, is a result with `isError`. The handler runs on this
 * thread, also that of a tool whose dispatch is the pool, so that handlers may call handlers however full
 * the pool is; with MCP_DISPATCH_HOST it runs where the executor runs it, unless this thread is running a
 * job of the executor's. The client cannot be asked anything on the way, and sees no progress. On the
 * server that `mcp_call_server` returned, the call is made on behalf of that call.
 *
 * Errors: NOT_FOUND; CALL_FAILED for an error in place of a result, and where handlers call handlers more
 * than 32 deep; MISSING_CAPABILITY if the tool wants to ask its client; CANCELLED if the call on whose behalf it is
 * made was; INVALID_ARG, INVALID_JSON, INVALID_UTF8. Any thread that may wait as long as the handler takes.
 */
LIBMCP_API int mcp_server_call_tool(mcp_server *server, const char *name, const char *arguments_json,
                                    size_t len, char **result_json, size_t *result_len);

/**
 * Reads a resource of the server, or one that a template of it matches: a ReadResourceResult of revision
 * 2026-07-28, as JSON.
 *
 * Otherwise as `mcp_server_call_tool`: NOT_FOUND is also what a handler finished by
 * `mcp_call_finish_not_found`.
 */
LIBMCP_API int mcp_server_read_resource(mcp_server *server, const char *uri, char **result_json,
                                        size_t *result_len);

/**
 * Gets a prompt of the server: a GetPromptResult of revision 2026-07-28, as JSON.
 *
 * `arguments_json` is a JSON object of strings. Otherwise as `mcp_server_call_tool`: INVALID_ARG is also
 * the lack of a required argument.
 */
LIBMCP_API int mcp_server_get_prompt(mcp_server *server, const char *name, const char *arguments_json,
                                     size_t len, char **result_json, size_t *result_len);

/* ---- Serving over stdio and HTTP --------------------------------------------------------------------- */

/** As a time to wait: without end. */
#define MCP_WAIT_FOREVER UINT32_MAX

/**
 * How to serve HTTP, to be built and then given to `mcp_server_start_http` or `mcp_endpoint_new`, which copy it.
 *
 * It has one owner: no two threads may use it at the same time.
 */
typedef struct mcp_http_config mcp_http_config;

/** An open port on which a server serves. A server may have several. */
typedef struct mcp_listener mcp_listener;

/**
 * Serves the process's standard input and output until the input ends or the server is shut down, and
 * waits for that.
 *
 * Meanwhile the protocol owns the two streams: what the program or its children print on stdout lands on
 * stderr, and stdin is empty to them. Both are given back at the end. Calls in flight at the end of the
 * input get as long as the option `drain_ms` says. The end of the input does not end listeners of HTTP,
 * which serve on.
 *
 * Errors: BUSY if a server of this process serves them already; IO if they cannot be used; SHUTDOWN;
 * DEADLOCK inside a handler or another callback. Any other thread. (Specification: basic/transports,
 * "stdio".)
 */
LIBMCP_API int mcp_server_run_stdio(mcp_server *server);

/**
 * Makes the default configuration: this machine alone (127.0.0.1), any free port, the path "/mcp".
 *
 * `*out` is yours; free it with `mcp_http_config_free`. Any thread.
 */
LIBMCP_API int mcp_http_config_new(mcp_http_config **out);

/** Frees a configuration. NULL is fine. */
LIBMCP_API void mcp_http_config_free(mcp_http_config *config);

/**
 * Sets the address to listen on: "127.0.0.1" or "::1" for this machine alone, "0.0.0.0" or "::" for every
 * interface.
 *
 * Where other machines can connect, set allowed hosts and `mcp_http_config_set_tls_files` too, and see to
 * authorization in front of it. Errors: INVALID_ARG for what is neither an IP address nor "localhost".
 */
LIBMCP_API int mcp_http_config_set_bind(mcp_http_config *config, const char *address);

/** Sets the port to listen on; 0, the default, takes any that is free, which `mcp_listener_port` tells. */
LIBMCP_API int mcp_http_config_set_port(mcp_http_config *config, uint16_t port);

/** Sets the path of the endpoint, "/mcp" by default. It is checked by `mcp_server_start_http`. */
LIBMCP_API int mcp_http_config_set_path(mcp_http_config *config, const char *path);

/**
 * Allows web pages of an origin, as "https://app.example.com", to use the server: it answers them with the
 * headers of CORS. Pages of other origins are refused, except those of this machine on a loopback address.
 *
 * May be called several times. It is checked by `mcp_server_start_http`. (Specification:
 * basic/transports/streamable-http, "Security & Endpoint".)
 */
LIBMCP_API int mcp_http_config_allow_origin(mcp_http_config *config, const char *origin);

/**
 * Allows a host name, as "api.example.com" or "api.example.com:8443", in the `Host` of requests. Other names
 * are refused then, but for this machine's own on a loopback address. Without any allowed name, a loopback
 * address answers to this machine's own names only, another address to every name.
 *
 * May be called several times. It is checked by `mcp_server_start_http`.
 */
LIBMCP_API int mcp_http_config_allow_host(mcp_http_config *config, const char *host);

/**
 * Sets an option by its key: "keep_alive_ms", "max_connections", "head_timeout_ms", "idle_timeout_ms",
 * "tls_check_ms"; for sessions of the older revisions "max_sessions", "session_idle_ms", "event_store_events",
 * "event_store_bytes", "retry_ms", and "sse_path" for the transport of 2024-11-05, which is not served without.
 * docs/limits.md says what they mean.
 *
 * Errors: INVALID_ARG for an unknown key or a value out of range.
 */
LIBMCP_API int mcp_http_config_set_option(mcp_http_config *config, const char *key, const char *value);

/**
 * Serves HTTPS with the certificate and the private key in these files: TLS 1.2 and 1.3, and HTTP/2 for
 * clients that ask for it by ALPN.
 *
 * Both files are PEM, and may be one. The certificate is the server's own, with those of its issuers behind
 * it. The key is PKCS#8, PKCS#1 or SEC1, without a passphrase: RSA of 2048 to 4096 bits, ECDSA on P-256 or
 * P-384, or Ed25519. The files are read by `mcp_server_start_http`, whose errors name the file and what is
 * wrong: IO where it cannot be read, INVALID_ARG for what is in it, and for a key that does not belong to
 * the certificate. While the listener serves, it looks at them every few seconds (option "tls_check_ms"):
 * connections that begin after a change get the new certificate; where the new files are no good, the log
 * says so and the old one stays.
 *
 * May be called again; the last call holds. Errors: INVALID_ARG for an empty name; UNSUPPORTED in a build
 * without TLS.
 */
LIBMCP_API int mcp_http_config_set_tls_files(mcp_http_config *config, const char *certificate_file,
                                             const char *key_file);

/**
 * Begins to serve Streamable HTTP, HTTP/1.1 and HTTP/2 with prior knowledge, and returns at once; HTTPS, where
 * `mcp_http_config_set_tls_files` was called.
 *
 * `config` is copied; NULL is the default one. `*out` is yours; free it with `mcp_listener_free`, before
 * or after the server. Errors: INVALID_ARG for a bad path, origin, host or certificate; IO if the port
 * cannot be opened or a file of the certificate not be read; SHUTDOWN; UNSUPPORTED in a build without
 * HTTP. Any thread. (Specification: basic/transports, "Streamable HTTP".)
 */
LIBMCP_API int mcp_server_start_http(mcp_server *server, const mcp_http_config *config, mcp_listener **out);

/**
 * The port that is listened on; 0 for NULL. It keeps its number when the listener was shut down.
 *
 * Any thread.
 */
LIBMCP_API uint16_t mcp_listener_port(const mcp_listener *listener);

/**
 * Stops listening, and waits until that is done: the port is free at once, subscriptions end, calls in
 * flight get `drain_ms` milliseconds to be answered, and are cancelled then. The server and its other
 * listeners serve on.
 *
 * Errors: DEADLOCK inside a handler or another callback. Any other thread.
 */
LIBMCP_API int mcp_listener_shutdown(mcp_listener *listener, uint32_t drain_ms);

/**
 * Stops listening as `mcp_listener_shutdown` with the server's option `drain_ms`, and frees the handle.
 * NULL is fine.
 *
 * Inside a handler or another callback it is refused: the listener lives on then, `mcp_last_error` says
 * why, and so does the log. In a child process after fork() it does nothing.
 */
LIBMCP_API void mcp_listener_free(mcp_listener *listener);

/**
 * Begins to end all serving, and returns at once: no new requests, subscriptions end, calls in flight get
 * `drain_ms` milliseconds to be answered and are cancelled then. The server cannot serve again.
 *
 * `mcp_server_wait` waits for the end; `mcp_server_run_stdio` returns by it. Any thread, handlers too.
 */
LIBMCP_API int mcp_server_shutdown(mcp_server *server, uint32_t drain_ms);

/**
 * Waits until the server serves nothing any more: no listener, no endpoint, no session, no
 * standard streams.
 *
 * `timeout_ms` is in milliseconds, or MCP_WAIT_FOREVER. Errors: TIMEOUT; DEADLOCK inside a handler or
 * another callback. Any other thread.
 */
LIBMCP_API int mcp_server_wait(mcp_server *server, uint32_t timeout_ms);

/* ---- Serving over the host's own transport ----------------------------------------------------------- */

/**
 * A client over the host's own transport: a WebSocket, a message queue, a pipe, another part of the same
 * program. A server may have any number of them.
 */
typedef struct mcp_session mcp_session;

/**
 * Sends a message to the client of a session: one JSON-RPC message in UTF-8, without a line break. It is `len`
 * bytes long, a NUL stands behind them, and it is borrowed until the function returns.
 *
 * Called on a thread of the library's, or on one of the host's that is inside the library, one call at a time
 * for each session. It must not block for long, nor wait for a server; it may hand messages in, to the same
 * session too.
 */
typedef void (*mcp_send_fn)(const char *message, size_t len, void *user_data);

/**
 * Begins to serve a client over the host's own transport. `send` is called with `user_data` for each message to
 * the client.
 *
 * `*out` is yours; free it with `mcp_session_free`, before or after the server. The session serves until then, or
 * until the server is shut down. It keeps the options `max_message_bytes`, `max_depth` and
 * `max_in_flight_per_connection` that the server has now. `user_data_free` (may be NULL) is called with
 * `user_data` exactly once: when the session is freed, or before this returns, if it fails. Errors: SHUTDOWN. Any
 * thread. (Specification: basic/transports, "Custom Transports".)
 */
LIBMCP_API int mcp_session_new(mcp_server *server, mcp_send_fn send, void *user_data,
                               mcp_free_fn user_data_free, mcp_session **out);

/**
 * Takes one JSON-RPC message from the client, and returns at once. A handler that runs inline runs on this
 * thread; answers may be sent before this returns, on this thread or another.
 *
 * The message is copied; `len` may be MCP_NUL_TERMINATED. Whatever is wrong with it, even that it is no JSON or
 * too long, is told to the client, and this succeeds. A blank message is passed over. Errors: SHUTDOWN. Any thread;
 * messages of one client come in the order in which this is called.
 */
LIBMCP_API int mcp_session_receive(mcp_session *session, const char *message, size_t len);

/**
 * Says on whose behalf the client speaks, once the host has found out who it is: handlers learn it, and so does
 * whatever is kept between two requests of a client. NULL: nobody that is known.
 *
 * It holds for messages that are received from then on. The text is copied. Any thread.
 */
LIBMCP_API int mcp_session_set_principal(mcp_session *session, const char *principal);

/**
 * Ends the session and frees it. NULL is fine.
 *
 * Subscriptions end with their last message, calls in flight are cancelled. When this returns, `send` is not
 * running, will not be called again, and its `user_data` is freed.
 *
 * It waits for a `send` that is running, and so it is refused inside a handler or a callback, `send` too: the
 * session lives on then, `mcp_last_error` says why, and so does the log. In a child process after fork() it does
 * nothing.
 */
LIBMCP_API void mcp_session_free(mcp_session *session);

/* ---- Serving in the host's own web server ------------------------------------------------------------ */

/**
 * The MCP endpoint of a server in a web server that the host has: it takes requests by mcp_exchange. A server
 * may have several.
 */
typedef struct mcp_endpoint mcp_endpoint;

/**
 * One request that came by the host's own web server, and its response.
 *
 * It is built by one thread, then started, once. From then on any thread may abort it.
 */
typedef struct mcp_exchange mcp_exchange;

/**
 * The response of an exchange begins. The two arrays have `headers` entries each and are borrowed, with their
 * texts, until the function returns. Headers that are a connection's own are not among them. With a `content-length`
 * the body has that length; without, it is a stream of events, to be sent on as it comes.
 */
typedef void (*mcp_head_fn)(int status, const char *const *header_names, const char *const *header_values,
                            size_t headers, void *user_data);

/**
 * A piece of the response's body, borrowed until the function returns. It must not block for long: the thread is
 * one that others wait for.
 */
typedef void (*mcp_body_fn)(const void *bytes, size_t len, void *user_data);

/**
 * The response is over: nothing comes any more. Without a head before it, there is none: the exchange was aborted,
 * or its server shut down, and a client that is still there gets the host's own answer, as 503.
 */
typedef void (*mcp_end_fn)(void *user_data);

/**
 * Makes an endpoint for the host's own web server. It opens no port.
 *
 * Of `config`, which is copied, it takes the path, the allowed origins and hosts, and the options of streams and
 * sessions; the address is to be that on which the host's web server listens, as it says who can reach it: on a loopback
 * address, pages and names of this machine are let in and no others but those that are allowed. NULL is the default
 * one. `*out` is yours; free it with `mcp_endpoint_free`, before or after the server. Errors: INVALID_ARG for a bad
 * path, origin or host; SHUTDOWN; UNSUPPORTED in a build without HTTP. Any thread. (Specification:
 * basic/transports, "Streamable HTTP".)
 */
LIBMCP_API int mcp_endpoint_new(mcp_server *server, const mcp_http_config *config, mcp_endpoint **out);

/**
 * Ends the endpoint and frees it. NULL is fine.
 *
 * No more exchanges start, subscriptions end with their last message, and the exchanges that run may go on for as
 * long as the server's option `drain_ms` says; those that are left are broken off. Waits until all of them have
 * ended. Their handles may be freed later.
 *
 * Inside a handler or a callback it is refused: the endpoint lives on then, `mcp_last_error` says why, and so does
 * the log. In a child process after fork() it does nothing.
 */
LIBMCP_API void mcp_endpoint_free(mcp_endpoint *endpoint);

/**
 * Makes an exchange for a request that came in. `path` is the request's target as it stands in its first line, with
 * or without a query: whether it is the endpoint's is checked with everything else, and answered with 404.
 *
 * The texts are copied. `*out` is yours; free it with `mcp_exchange_free`. Errors: INVALID_ARG for what is no method
 * or no path: answer with 400. Any thread.
 */
LIBMCP_API int mcp_exchange_new(mcp_endpoint *endpoint, const char *method, const char *path,
                                mcp_exchange **out);

/**
 * Adds a header of the request. Add all of them, as they came: `Host` and `Origin` say whether the request is let in,
 * others what the client accepts and means.
 *
 * Several of one name are several lines. The texts are copied; the value may have any bytes that HTTP allows. Errors:
 * INVALID_ARG for what is no header: answer with 400.
 */
LIBMCP_API int mcp_exchange_add_header(mcp_exchange *exchange, const char *name, const char *value);

/**
 * Says on whose behalf the request comes, where the web server has found out: handlers learn it, and so does whatever
 * is kept between two requests of a client. NULL: nobody that is known. The text is copied.
 */
LIBMCP_API int mcp_exchange_set_principal(mcp_exchange *exchange, const char *principal);

/**
 * Starts the exchange with the body of the request, whole, and returns at once.
 *
 * The body is copied; one that is larger than the server's option `max_message_bytes` is answered with 413, as a
 * listener does. The callbacks are called with `user_data` on threads of the library's, one call at a time for each
 * exchange, and perhaps before this returns: `on_head` once, `on_body` any number of times, `on_end` once, whatever
 * happens. They must not wait for a server; they may free the exchange. `user_data_free` (may be NULL) is called with
 * `user_data` exactly once: after `on_end`, or before this returns, if it fails; then none of the others is called.
 *
 * What the client reads slowly has to wait in the host: nothing holds the pieces back, but progress and log messages
 * are as rare as the options `progress_per_second` and `logs_per_second` make them.
 *
 * Errors: SHUTDOWN: answer with 503; INVALID_ARG if it was started before.
 */
LIBMCP_API int mcp_exchange_start(mcp_exchange *exchange, const void *body, size_t body_len,
                                  mcp_head_fn on_head, mcp_body_fn on_body, mcp_end_fn on_end,
                                  void *user_data, mcp_free_fn user_data_free);

/**
 * Breaks the exchange off: its client has gone. What runs for it is cancelled, unless the client is one of the older
 * revisions, which may come back for the answer. Nothing is said any more but the end. An exchange that has ended does not mind; one that was not started will say nothing but its end.
 *
 * A callback that is running, or just begins, still ends. Any thread, callbacks too.
 */
LIBMCP_API int mcp_exchange_abort(mcp_exchange *exchange);

/**
 * Frees the handle, and aborts the exchange if it runs. NULL is fine.
 *
 * It does not wait: callbacks may still come, `on_end` in any case, and `user_data` lives until `user_data_free`. Any
 * thread, callbacks too. In a child process after fork() it does nothing.
 */
LIBMCP_API void mcp_exchange_free(mcp_exchange *exchange);

#ifdef __cplusplus
}
#endif

#endif /* LIBMCP_MCP_H */
