/* The server of the subscription benchmark: its tool `change` changes the list of tools.
 *
 *     server http       on a free port, which it prints
 *     server stdio
 */
#include <mcp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int status)
{
    if (status != MCP_STATUS_OK) {
        fprintf(stderr, "server: %s\n", mcp_last_error());
        exit(1);
    }
}

static void nothing(mcp_call *call, void *user_data)
{
    (void)user_data;
    mcp_call_finish_text(call, "ok", MCP_NUL_TERMINATED);
}

static void add_tool(mcp_server *server, const char *name, mcp_handler handler)
{
    mcp_tool *tool;
    must(mcp_tool_new(name, &tool));
    must(mcp_tool_set_dispatch(tool, MCP_DISPATCH_INLINE));
    must(mcp_server_add_tool(server, tool, handler, server, NULL));
    mcp_tool_free(tool);
}

static void change(mcp_call *call, void *server)
{
    add_tool(server, "nothing", nothing);
    mcp_call_finish_text(call, "changed", MCP_NUL_TERMINATED);
}

int main(int argc, char **argv)
{
    mcp_server *server;
    mcp_http_config *config;
    mcp_listener *listener;

    must(mcp_server_new("subscriptions", "1", &server));
    must(mcp_server_set_option(server, "max_subscriptions", "100000"));
    must(mcp_server_set_option(server, "max_in_flight_per_connection", "100000"));
    add_tool(server, "change", change);
    if (argc > 1 && strcmp(argv[1], "http") == 0) {
        must(mcp_http_config_new(&config));
        must(mcp_http_config_set_option(config, "max_connections", "100000"));
        must(mcp_server_start_http(server, config, &listener));
        mcp_http_config_free(config);
        printf("%u\n", (unsigned)mcp_listener_port(listener));
        fflush(stdout);
        must(mcp_server_wait(server, MCP_WAIT_FOREVER));
        mcp_listener_free(listener);
    } else {
        must(mcp_server_run_stdio(server));
    }
    mcp_server_free(server);
    return 0;
}
