/* A client on the other end of a server's standard streams, in the same process. */

#ifndef MCP_TEST_PEER_H
#define MCP_TEST_PEER_H

#include <pthread.h>
#include <stdbool.h>

#include "mcp.h"

typedef struct peer {
    mcp_server *server;
    pthread_t thread;
    /* What mcp_server_run_stdio returned. */
    int status;
    /* The client's ends of the two pipes. */
    int to_server;
    int from_server;
    int saved_in;
    int saved_out;
    int last_id;
    /* What the client declares in each request; NULL is "{}". */
    const char *capabilities;
    /* The client has begun by initialize, and its requests have no _meta of their own. */
    bool legacy;
    char *unread;
    size_t unread_len;
} peer;

/* Begins to serve `server` on pipes in place of the standard streams. */
void peer_start(peer *peer, mcp_server *server);

/* Begins as a client of an older revision, which declares `capabilities`. The answer to initialize; free it. */
char *peer_initialize(peer *peer, const char *revision, const char *capabilities);

/* Closes the server's input, waits until it has returned, and restores the standard streams. */
void peer_stop(peer *peer);

/* The text of a request. `params` are the members of params besides _meta, or "", `meta` more members of _meta, or "".
   Free it. */
char *request_text(int id, const char *method, const char *params, const char *meta);

/* The same for a call of a tool. `arguments` is a JSON object. */
char *call_text(int id, const char *tool, const char *arguments);

/* Sends a request in the way of the client's era, and returns its id. `params` are the members of params besides
   _meta, or "". */
int peer_send(peer *peer, const char *method, const char *params);

/* The same, with more members of _meta, as "\"progressToken\":1". */
int peer_send_with_meta(peer *peer, const char *method, const char *params, const char *meta);

/* Sends any line. */
void peer_send_line(peer *peer, const char *line);

/* Cancels the request `id`. */
void peer_cancel(peer *peer, int id);

/* The next line from the server, without its end; NULL at the end of the stream or after 30 seconds. Free it. */
char *peer_read(peer *peer);

/* The answer to request `id`, passing over everything else. Free it. */
char *peer_answer(peer *peer, int id);

/* Sends a request and returns its answer. Free it. */
char *peer_request(peer *peer, const char *method, const char *params);

/* Calls a tool and returns the answer. `arguments` is a JSON object. Free it. */
char *peer_call(peer *peer, const char *tool, const char *arguments);

/* Sends a call of a tool and returns its id. */
int peer_send_call(peer *peer, const char *tool, const char *arguments);

/* A server with a tool that has no arguments. `dispatch` is an mcp_dispatch. */
mcp_server *server_with(const char *tool, mcp_handler handler, void *user_data, int dispatch);

/* Adds a tool that has no arguments. */
void add_plain_tool(mcp_server *server, const char *tool, mcp_handler handler, void *user_data, mcp_free_fn user_free,
                    int dispatch);

#endif
