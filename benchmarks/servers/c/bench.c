/* The benchmark server: `add`, `echo`, and with MANY=n in the environment n trivial tools more.
 *
 *     bench stdio [pool]
 *     bench http [pool]      on the port that PORT names
 *
 * Handlers run inline, as fits handlers that never block; with `pool` on the handler pool.
 */
#include <mcp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int status)
{
    if (status != MCP_STATUS_OK) {
        fprintf(stderr, "bench: %s\n", mcp_last_error());
        exit(1);
    }
}

static void add(mcp_call *call, void *user_data)
{
    int64_t a = 0, b = 0;
    char json[48];
    int len;

    (void)user_data;
    if (mcp_call_get_int64(call, "a", &a) != MCP_STATUS_OK || mcp_call_get_int64(call, "b", &b) != MCP_STATUS_OK) {
        mcp_call_finish_tool_error(call, mcp_last_error(), MCP_NUL_TERMINATED);
        return;
    }
    len = snprintf(json, sizeof json, "{\"sum\":%lld}", (long long)((uint64_t)a + (uint64_t)b));
    mcp_call_set_structured(call, json, (size_t)len); /* the library adds the same JSON as text */
    mcp_call_finish(call);
}

static void echo(mcp_call *call, void *user_data)
{
    const char *text;
    size_t len;

    (void)user_data;
    if (mcp_call_get_string(call, "text", &text, &len) != MCP_STATUS_OK) {
        mcp_call_finish_tool_error(call, mcp_last_error(), MCP_NUL_TERMINATED);
        return;
    }
    mcp_call_finish_text(call, text, len);
}

static void trivial(mcp_call *call, void *user_data)
{
    (void)user_data;
    mcp_call_finish_text(call, "ok", MCP_NUL_TERMINATED);
}

struct argument {
    const char *name;
    int type;
};

static void add_tool(mcp_server *server, const char *name, const char *description, const struct argument *arguments,
                     size_t count, const char *output_schema, int dispatch, mcp_handler handler)
{
    mcp_tool *tool;

    must(mcp_tool_new(name, &tool));
    must(mcp_tool_set_description(tool, description));
    for (size_t i = 0; i < count; i++) {
        must(mcp_tool_add_argument(tool, arguments[i].name, arguments[i].type, MCP_REQUIRED, NULL));
    }
    if (output_schema != NULL) {
        must(mcp_tool_set_output_schema(tool, output_schema, MCP_NUL_TERMINATED));
    }
    must(mcp_tool_set_dispatch(tool, dispatch));
    must(mcp_server_add_tool(server, tool, handler, NULL, NULL));
    mcp_tool_free(tool);
}

static void add_tools(mcp_server *server, int dispatch)
{
    static const struct argument numbers[] = {{"a", MCP_TYPE_INTEGER}, {"b", MCP_TYPE_INTEGER}};
    static const struct argument text[] = {{"text", MCP_TYPE_STRING}};
    static const struct argument x[] = {{"x", MCP_TYPE_INTEGER}};
    static const char sum[] =
        "{\"type\":\"object\",\"properties\":{\"sum\":{\"type\":\"integer\"}},\"required\":[\"sum\"]}";
    const char *many = getenv("MANY");
    int count = many != NULL ? atoi(many) : 0;

    add_tool(server, "add", "Add two integers", numbers, 2, sum, dispatch, add);
    add_tool(server, "echo", "Echo a text", text, 1, NULL, dispatch, echo);
    for (int i = 0; i < count; i++) {
        char name[32], description[32];
        snprintf(name, sizeof name, "tool_%04d", i);
        snprintf(description, sizeof description, "trivial tool %04d", i);
        add_tool(server, name, description, x, 1, NULL, dispatch, trivial);
    }
}

static void serve_http(mcp_server *server)
{
    const char *port = getenv("PORT");
    mcp_http_config *config;
    mcp_listener *listener;

    must(mcp_http_config_new(&config));
    must(mcp_http_config_set_port(config, (uint16_t)(port != NULL ? atoi(port) : 0)));
    must(mcp_server_start_http(server, config, &listener));
    mcp_http_config_free(config);
    fprintf(stderr, "bench: serving http://127.0.0.1:%u/mcp\n", (unsigned)mcp_listener_port(listener));
    must(mcp_server_wait(server, MCP_WAIT_FOREVER));
    mcp_listener_free(listener);
}

int main(int argc, char **argv)
{
    int pool = argc > 2 && strcmp(argv[2], "pool") == 0;
    mcp_server *server;

    if (argc < 2 || (argc > 2 && !pool)) {
        fprintf(stderr, "usage: bench stdio|http [pool]\n");
        return 2;
    }
    must(mcp_server_new("bench", "1.0.0", &server));
    add_tools(server, pool ? MCP_DISPATCH_POOL : MCP_DISPATCH_INLINE);
    if (strcmp(argv[1], "stdio") == 0) {
        must(mcp_server_run_stdio(server));
    } else {
        serve_http(server);
    }
    mcp_server_free(server);
    return 0;
}
