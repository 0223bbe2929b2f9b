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
