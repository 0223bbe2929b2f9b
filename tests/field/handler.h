/* What the handlers of the fixture server share: how tests name them, and how they read what they are called with. */
#ifndef FIELD_HANDLER_H
#define FIELD_HANDLER_H

#include "text.h"

#include <mcp.h>
#include <stdint.h>

/* The server that the process offers; the handlers that change or stop it use it. */
extern mcp_server *fixture_server;

/* A handler and the name by which tests ask for it. */
struct fixture_handler {
    const char *name;
    mcp_handler run;
    int dispatch;
};

/* The handler of that name in a list that ends with an entry without one, or NULL. */
const struct fixture_handler *handler_named(const struct fixture_handler *handlers, const char *name);

/* Writes one line `@ ...` to stderr, in one write: what happened inside, for the test to wait for. */
void event(const char *format, ...);

/* Sleeps. */
void pause_ms(int64_t ms);

/* An argument of the call, or what it is without it. */
int64_t integer_or(mcp_call *call, const char *name, int64_t otherwise);
bool truth_of(mcp_call *call, const char *name);

/* A copy that outlives the call; to be freed. */
char *string_or(mcp_call *call, const char *name, const char *otherwise);

/* Finishes with a text, and drops it. */
void finish_with(mcp_call *call, struct text *text);

/* Adds `{"status":N,"error":"..."}` for what the library just returned to a JSON array that was opened. */
void append_status(struct text *text, int status);

#endif
