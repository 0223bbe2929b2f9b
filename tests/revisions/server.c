/* The server of the replay: of each thing one that newer revisions know and older ones do not.
 *
 *     server stdio
 *     server http PORT     PORT 0 takes one that is free, and stderr tells which
 */
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void must(int status)
{
    if (status != MCP_STATUS_OK) {
        fprintf(stderr, "revisions server: %s\n", mcp_last_error());
        exit(1);
    }
}

static void serve_http(mcp_server *server, const char *port)
{
    mcp_http_config *config;
    mcp_listener *listener;

    must(mcp_http_config_new(&config));
    must(mcp_http_config_set_port(config, (uint16_t)atoi(port)));
    must(mcp_server_start_http(server, config, &listener));
    mcp_http_config_free(config);
    fprintf(stderr, "http://127.0.0.1:%u/mcp\n", (unsigned)mcp_listener_port(listener));
    must(mcp_server_wait(server, MCP_WAIT_FOREVER));
    mcp_listener_free(listener);
}

int main(int argc, char **argv)
{
    mcp_server *server;

    must(mcp_server_new("revisions", "1.0.0", &server));
    must(mcp_server_set_title(server, "All revisions"));
    must(mcp_server_set_instructions(server, "Speak any revision."));
    add_tools(server);
    add_resources(server);
    add_prompts(server);
    if (argc == 2 && strcmp(argv[1], "stdio") == 0) {
        must(mcp_server_run_stdio(server));
    } else if (argc == 3 && strcmp(argv[1], "http") == 0) {
        serve_http(server, argv[2]);
    } else {
        fprintf(stderr, "usage: server stdio | server http PORT\n");
        return 2;
    }
    mcp_server_free(server);
    return 0;
}
