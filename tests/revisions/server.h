/* The server of the replay, by idea. */

#ifndef REVISIONS_SERVER_H
#define REVISIONS_SERVER_H

#include <mcp.h>

#define NUL MCP_NUL_TERMINATED

/* Ends the program, with the library's own words, unless `status` is MCP_STATUS_OK. */
void must(int status);

void add_tools(mcp_server *server);     /* tools.c */
void add_resources(mcp_server *server); /* resources.c */
void add_prompts(mcp_server *server);   /* prompts.c */

#endif
