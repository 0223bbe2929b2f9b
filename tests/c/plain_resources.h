/* What the tests of resources share: plain ones, and how they are read. */

#ifndef MCP_TEST_PLAIN_RESOURCES_H
#define MCP_TEST_PLAIN_RESOURCES_H

#include "harness.h"
#include "peer.h"

void add_plain_resource(mcp_server *server, const char *uri, mcp_handler handler, void *user_data);
void add_plain_template(mcp_server *server, const char *uri_template, mcp_handler handler, void *user_data);

/* The answer to the read of `uri`; free it. */
char *read_uri(peer *peer, const char *uri);

/* A handler that says the text in its user data, or "plain text". */
void say_what(mcp_call *call, void *user_data);

#endif
