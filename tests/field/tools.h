/* The tools of the fixture server: what a test can make a C handler do. */
#ifndef FIELD_TOOLS_H
#define FIELD_TOOLS_H

#include <mcp.h>

/* The server that the process offers; the tools that change or stop it use it. */
extern mcp_server *fixture_server;

/* A handler and the name by which tests ask for it. */
struct fixture_tool {
    const char *name;
    mcp_handler run;
    int dispatch;
};

/* All of them, ended by an entry without a name. */
extern const struct fixture_tool fixture_tools[];

/* The handler of that name, or NULL. */
const struct fixture_tool *fixture_tool_named(const char *name);

/* Writes one line `@ ...` to stderr, in one write: what happened inside, for the test to wait for. */
void event(const char *format, ...);

#endif
