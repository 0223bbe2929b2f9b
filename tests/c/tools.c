/* Tool definitions: built field by field and read from JSON, listed as they were written. */

#include <stdlib.h>

#include "harness.h"
#include "peer.h"

static void finish(mcp_call *call, void *user_data)
{
    CHECK_OK(mcp_call_finish_text(call, user_data == NULL ? "done" : user_data, MCP_NUL_TERMINATED));
}

static char *list(mcp_server *server)
{
    peer peer;
    char *answer;
    peer_start(&peer, server);
    answer = peer_request(&peer, "tools/list", "");
    peer_stop(&peer);
    return answer;
}

static mcp_server *new_server(void)
{
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    return server;
}

static void a_built_tool(void)
{
    mcp_server *server = new_server();
    mcp_tool *tool = NULL;
    char *answer;
    CHECK_OK(mcp_tool_new("forecast", &tool));
    CHECK_OK(mcp_tool_set_meta(tool, "{\"com.example/k\": 1}", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_tool_set_annotations(tool, "{\"readOnlyHint\":true}", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_tool_set_icons(tool, "[{\"src\":\"https://a.example/i.png\"}]", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_tool_set_title(tool, "Forecast"));
    CHECK_OK(mcp_tool_set_description(tool, "Weather \"soon\""));
    CHECK_OK(mcp_tool_add_argument(tool, "city", MCP_TYPE_STRING, MCP_REQUIRED, "City name"));
    CHECK_OK(mcp_tool_add_argument(tool, "days", MCP_TYPE_INTEGER, MCP_OPTIONAL, NULL));
    CHECK_OK(mcp_tool_add_argument(tool, "scale", MCP_TYPE_NUMBER, MCP_OPTIONAL, NULL));
    CHECK_OK(mcp_tool_add_argument(tool, "exact", MCP_TYPE_BOOLEAN, MCP_OPTIONAL, NULL));
    CHECK_OK(mcp_tool_add_argument(tool, "where", MCP_TYPE_OBJECT, MCP_OPTIONAL, NULL));
    CHECK_OK(mcp_tool_add_argument(tool, "tags", MCP_TYPE_ARRAY, MCP_OPTIONAL, NULL));
    CHECK_OK(mcp_tool_mirror_argument(tool, "city", "City"));
    CHECK_OK(mcp_tool_set_output_schema(tool, "{\"type\":\"object\"}", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_server_add_tool(server, tool, finish, NULL, NULL));
    mcp_tool_free(tool);
    answer = list(server);
    CHECK_HAS(answer,
              "\"tools\":[{\"name\":\"forecast\",\"title\":\"Forecast\",\"description\":\"Weather \\\"soon\\\"\","
              "\"icons\":[{\"src\":\"https://a.example/i.png\"}],"
              "\"inputSchema\":{\"type\":\"object\",\"properties\":{"
              "\"city\":{\"type\":\"string\",\"description\":\"City name\",\"x-mcp-header\":\"City\"},"
              "\"days\":{\"type\":\"integer\"},\"scale\":{\"type\":\"number\"},\"exact\":{\"type\":\"boolean\"},"
              "\"where\":{\"type\":\"object\"},\"tags\":{\"type\":\"array\"}},"
              "\"required\":[\"city\"],\"additionalProperties\":false},"
              "\"outputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":true},"
              "\"_meta\":{\"com.example/k\":1}}]");
    free(answer);
    mcp_server_free(server);
}

static void a_tool_from_json(void)
{
    static const char JSON[] =
        "{\"inputSchema\": {\"type\":\"object\", \"x-z\":1.0, \"properties\":{\"b\":{},\"a\":{\"type\":\"string\"}}},"
        " \"description\":\"d\", \"name\":\"from_json\"}";
    mcp_server *server = new_server();
    mcp_tool *tool = NULL;
    char *answer;
    CHECK_OK(mcp_tool_from_json(JSON, MCP_NUL_TERMINATED, &tool));
    CHECK_OK(mcp_tool_mirror_argument(tool, "a", "A"));
    CHECK_OK(mcp_tool_set_title(tool, "From JSON"));
    CHECK_OK(mcp_server_add_tool(server, tool, finish, NULL, NULL));
    mcp_tool_free(tool);
    answer = list(server);
    CHECK_HAS(answer, "\"inputSchema\":{\"type\":\"object\",\"x-z\":1.0,\"properties\":{\"b\":{},"
                      "\"a\":{\"x-mcp-header\":\"A\",\"type\":\"string\"}}}");
    CHECK_HAS(answer, "\"title\":\"From JSON\"");
    free(answer);

    CHECK_STATUS(mcp_tool_from_json("{\"name\":\"a\"}", MCP_NUL_TERMINATED, &tool), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "\"inputSchema\" is missing");
    CHECK_STATUS(mcp_tool_from_json("{\"name\":\"a\",\"inputSchema\":{},\"handler\":1}", MCP_NUL_TERMINATED, &tool),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "unknown key \"handler\"");
    CHECK_STATUS(mcp_tool_from_json("[]", 2, &tool), MCP_STATUS_ERR_INVALID_ARG);
    mcp_server_free(server);
}

static void a_tool_without_arguments(void)
{
    mcp_server *server = server_with("bare", finish, NULL, MCP_DISPATCH_POOL);
    peer peer;
    char *answer = list(server);
    CHECK_HAS(answer, "{\"name\":\"bare\",\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false}}");
    free(answer);
    peer_start(&peer, server);
    answer = peer_call(&peer, "bare", "{\"x\":1}");
    CHECK_HAS(answer, "\"isError\":true");
    free(answer);
    answer = peer_call(&peer, "bare", "{}");
    CHECK_HAS(answer, "\"text\":\"done\"");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

/* The status and text with which the tool is refused. */
static void is_refused(mcp_tool *tool, int status, const char *part)
{
    mcp_server *server = new_server();
    int freed = 0;
    CHECK_STATUS(mcp_server_add_tool(server, tool, finish, &freed, count_free), status);
    CHECK_HAS(mcp_last_error(), part);
    CHECK_INT(freed, 1);
    mcp_server_free(server);
    mcp_tool_free(tool);
}

static mcp_tool *tool_with_schema(const char *schema)
{
    mcp_tool *tool = NULL;
    CHECK_OK(mcp_tool_new("t", &tool));
    CHECK_OK(mcp_tool_set_input_schema(tool, schema, MCP_NUL_TERMINATED));
    return tool;
}

static void schemas_that_cannot_be_used(void)
{
    mcp_tool *tool = tool_with_schema("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"int\"}}}");
    is_refused(tool, MCP_STATUS_ERR_INVALID_SCHEMA, "/properties/a/type");
    tool = tool_with_schema("{\"type\":\"object\",\"$schema\":\"https://a.example/draft-99\"}");
    is_refused(tool, MCP_STATUS_ERR_INVALID_SCHEMA, "https://a.example/draft-99");
    tool = tool_with_schema("{\"type\":\"object\"}");
    CHECK_OK(mcp_tool_set_output_schema(tool, "{\"type\":5}", MCP_NUL_TERMINATED));
    is_refused(tool, MCP_STATUS_ERR_INVALID_SCHEMA, "output schema");
}

static void declared_arguments_and_schema(void)
{
    static const char SCHEMA[] =
        "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}";
    mcp_server *server = new_server();
    mcp_tool *tool = tool_with_schema(SCHEMA);
    CHECK_OK(mcp_tool_add_argument(tool, "n", MCP_TYPE_INTEGER, MCP_REQUIRED, NULL));
    CHECK_STATUS(mcp_tool_add_argument(tool, "n", MCP_TYPE_INTEGER, MCP_REQUIRED, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_tool_add_argument(tool, "", MCP_TYPE_INTEGER, MCP_REQUIRED, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_server_add_tool(server, tool, finish, NULL, NULL));
    mcp_tool_free(tool);
    mcp_server_free(server);

    tool = tool_with_schema(SCHEMA);
    CHECK_OK(mcp_tool_add_argument(tool, "n", MCP_TYPE_STRING, MCP_REQUIRED, NULL));
    is_refused(tool, MCP_STATUS_ERR_INVALID_SCHEMA, "argument \"n\"");
    tool = tool_with_schema(SCHEMA);
    CHECK_OK(mcp_tool_add_argument(tool, "n", MCP_TYPE_INTEGER, MCP_OPTIONAL, NULL));
    is_refused(tool, MCP_STATUS_ERR_INVALID_SCHEMA, "argument \"n\"");
    tool = tool_with_schema(SCHEMA);
    CHECK_OK(mcp_tool_add_argument(tool, "m", MCP_TYPE_INTEGER, MCP_REQUIRED, NULL));
    is_refused(tool, MCP_STATUS_ERR_INVALID_SCHEMA, "argument \"m\"");
}

static void mirrored_arguments(void)
{
    mcp_tool *tool = tool_with_schema("{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}");
    CHECK_OK(mcp_tool_mirror_argument(tool, "citi", "City"));
    CHECK_STATUS(mcp_tool_mirror_argument(tool, "citi", "Other"), MCP_STATUS_ERR_INVALID_ARG);
    is_refused(tool, MCP_STATUS_ERR_INVALID_SCHEMA, "did you mean \"city\"?");
    CHECK_OK(mcp_tool_new("t", &tool));
    CHECK_OK(mcp_tool_mirror_argument(tool, "city", "City"));
    is_refused(tool, MCP_STATUS_ERR_INVALID_SCHEMA, "no argument \"city\"");
    CHECK_OK(mcp_tool_new("t", &tool));
    CHECK_OK(mcp_tool_add_argument(tool, "scale", MCP_TYPE_NUMBER, MCP_OPTIONAL, NULL));
    CHECK_OK(mcp_tool_mirror_argument(tool, "scale", "Scale"));
    is_refused(tool, MCP_STATUS_ERR_INVALID_SCHEMA, "number");
}

static void required_capabilities(void)
{
    mcp_server *server = new_server();
    mcp_tool *tool = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_tool_new("ask", &tool));
    CHECK_STATUS(mcp_tool_require_capability(tool, "elicit"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "elicitation");
    CHECK_OK(mcp_tool_require_capability(tool, "elicitation.url"));
    CHECK_OK(mcp_tool_require_capability(tool, "extensions.com.example/x"));
    CHECK_OK(mcp_server_add_tool(server, tool, finish, NULL, NULL));
    mcp_tool_free(tool);
    peer_start(&peer, server);
    answer = peer_call(&peer, "ask", "{}");
    CHECK_HAS(answer, "\"code\":-32021");
    CHECK_HAS(answer, "\"elicitation\":{\"url\":{}}");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void the_list_changes_while_serving(void)
{
    static char second[] = "second";
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
    peer peer;
    char *line;
    peer_start(&peer, server);
    peer_send(&peer, "subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true}");
    line = peer_read(&peer);
    CHECK_HAS(line, "notifications/subscriptions/acknowledged");
    free(line);
    add_plain_tool(server, "a", finish, second, NULL, MCP_DISPATCH_INLINE);
    line = peer_read(&peer);
    CHECK_HAS(line, "notifications/tools/list_changed");
    free(line);
    line = peer_call(&peer, "a", "{}");
    CHECK_HAS(line, "\"text\":\"second\"");
    free(line);
    CHECK_OK(mcp_server_remove_tool(server, "a"));
    line = peer_read(&peer);
    CHECK_HAS(line, "notifications/tools/list_changed");
    free(line);
    line = peer_call(&peer, "a", "{}");
    CHECK_HAS(line, "\"code\":-32602");
    free(line);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void what_a_server_says_of_itself(void)
{
    mcp_server *server = new_server();
    peer peer;
    char *answer;
    CHECK_OK(mcp_server_set_title(server, "The \"test\""));
    CHECK_OK(mcp_server_set_instructions(server, "Be kind."));
    CHECK_OK(mcp_server_set_option(server, "description", "For tests"));
    CHECK_OK(mcp_server_set_option(server, "website_url", "https://a.example"));
    CHECK_OK(mcp_server_set_option(server, "tools", "true"));
    peer_start(&peer, server);
    answer = peer_request(&peer, "server/discover", "");
    CHECK_HAS(answer, "\"title\":\"The \\\"test\\\"\"");
    CHECK_HAS(answer, "\"instructions\":\"Be kind.\"");
    CHECK_HAS(answer, "\"description\":\"For tests\"");
    CHECK_HAS(answer, "\"websiteUrl\":\"https://a.example\"");
    CHECK_HAS(answer, "\"tools\":{");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"a built tool is listed with every field", a_built_tool},
    {"a tool from JSON is listed as it was written", a_tool_from_json},
    {"a tool without arguments takes none", a_tool_without_arguments},
    {"schemas that cannot be used are refused", schemas_that_cannot_be_used},
    {"declared arguments and an explicit schema must agree", declared_arguments_and_schema},
    {"only arguments that exist can be mirrored", mirrored_arguments},
    {"a required capability is demanded before the handler", required_capabilities},
    {"the list changes while serving", the_list_changes_while_serving},
    {"a server says what it is", what_a_server_says_of_itself},
    {NULL, NULL},
};
