/* MCP Apps: tools with user interfaces, tools for user interfaces alone, and the interfaces themselves. */

#include <stdlib.h>

#include "harness.h"
#include "peer.h"

static const char APP_HOST[] =
    "{\"extensions\":{\"io.modelcontextprotocol/ui\":{\"mimeTypes\":[\"text/html;profile=mcp-app\"]}}}";

static void finish(mcp_call *call, void *user_data)
{
    CHECK_OK(mcp_call_finish_text(call, user_data == NULL ? "done" : user_data, MCP_NUL_TERMINATED));
}

static void add_tool(mcp_server *server, const char *name, const char *ui, int visibility)
{
    mcp_tool *tool = NULL;
    CHECK_OK(mcp_tool_new(name, &tool));
    if (ui != NULL)
        CHECK_OK(mcp_tool_set_ui(tool, ui));
    if (visibility != 0)
        CHECK_OK(mcp_tool_set_visibility(tool, visibility));
    CHECK_OK(mcp_server_add_tool(server, tool, finish, NULL, NULL));
    mcp_tool_free(tool);
}

static mcp_server *server_with_apps(void)
{
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    add_tool(server, "plain", NULL, 0);
    add_tool(server, "show", "ui://clock", MCP_VISIBLE_TO_MODEL | MCP_VISIBLE_TO_APP);
    add_tool(server, "refresh", "ui://clock", MCP_VISIBLE_TO_APP);
    return server;
}

static void what_hosts_see(void)
{
    mcp_server *server = server_with_apps();
    peer peer;
    char *answer;
    peer_start(&peer, server);
    peer.capabilities = APP_HOST;
    answer = peer_request(&peer, "tools/list", "");
    CHECK_HAS(answer, "\"name\":\"plain\"");
    CHECK_HAS(answer, "\"_meta\":{\"ui\":{\"resourceUri\":\"ui://clock\",\"visibility\":[\"model\",\"app\"]}}");
    CHECK_HAS(answer, "\"_meta\":{\"ui\":{\"resourceUri\":\"ui://clock\",\"visibility\":[\"app\"]}}");
    CHECK_HAS(answer, "\"cacheScope\":\"private\"");
    free(answer);
    answer = peer_request(&peer, "server/discover", "");
    CHECK_HAS(answer, "\"io.modelcontextprotocol/ui\":{");
    free(answer);
    answer = peer_call(&peer, "refresh", "{}");
    CHECK_HAS(answer, "\"text\":\"done\"");
    free(answer);
    peer.capabilities = NULL;
    answer = peer_request(&peer, "tools/list", "");
    CHECK_HAS(answer, "\"name\":\"show\"");
    CHECK_LACKS(answer, "refresh");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void what_older_hosts_see(void)
{
    mcp_server *server = server_with_apps();
    peer peer;
    char *answer;
    peer_start(&peer, server);
    free(peer_initialize(&peer, "2025-11-25", APP_HOST));
    answer = peer_request(&peer, "tools/list", "");
    CHECK_HAS(answer, "\"name\":\"refresh\"");
    free(answer);
    peer_stop(&peer);
    peer_start(&peer, server);
    free(peer_initialize(&peer, "2025-11-25", "{}"));
    answer = peer_request(&peer, "tools/list", "");
    CHECK_HAS(answer, "\"name\":\"show\"");
    CHECK_LACKS(answer, "refresh");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void an_interface(void)
{
    static const char UI[] = "{\"csp\":{\"connectDomains\":[\"https://a.example\"]}, \"prefersBorder\":true}";
    static char html[] = "<title>Clock</title>";
    mcp_server *server = NULL;
    mcp_resource *resource = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    CHECK_OK(mcp_resource_new("ui://clock", "clock", &resource));
    CHECK_OK(mcp_resource_set_ui(resource, UI, MCP_NUL_TERMINATED));
    CHECK_OK(mcp_server_add_resource(server, resource, finish, html, NULL));
    mcp_resource_free(resource);
    peer_start(&peer, server);
    answer = peer_request(&peer, "resources/list", "");
    CHECK_HAS(answer,
              "{\"uri\":\"ui://clock\",\"name\":\"clock\",\"mimeType\":\"text/html;profile=mcp-app\",\"_meta\":{\"ui\":"
              "{\"csp\":{\"connectDomains\":[\"https://a.example\"]},\"prefersBorder\":true}}}");
    free(answer);
    answer = peer_request(&peer, "resources/read", "\"uri\":\"ui://clock\"");
    CHECK_HAS(answer, "{\"uri\":\"ui://clock\",\"mimeType\":\"text/html;profile=mcp-app\",\"text\":\"<title>Clock</title>\","
                      "\"_meta\":{\"ui\":{\"csp\":{\"connectDomains\":[\"https://a.example\"]},\"prefersBorder\":true}}}");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void what_is_none(void)
{
    mcp_tool *tool = NULL;
    mcp_resource *resource = NULL;
    CHECK_OK(mcp_tool_new("t", &tool));
    CHECK_STATUS(mcp_tool_set_ui(tool, "https://a.example"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "ui://");
    CHECK_STATUS(mcp_tool_set_visibility(tool, 0), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_tool_set_visibility(tool, 4), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "MCP_VISIBLE_TO_MODEL");
    mcp_tool_free(tool);
    CHECK_OK(mcp_resource_new("https://a.example", "n", &resource));
    CHECK_STATUS(mcp_resource_set_ui(resource, NULL, 0), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "ui://");
    mcp_resource_free(resource);
    CHECK_OK(mcp_resource_new("ui://a", "n", &resource));
    CHECK_STATUS(mcp_resource_set_ui(resource, "{\"csp\"", MCP_NUL_TERMINATED), MCP_STATUS_ERR_INVALID_JSON);
    CHECK_HAS(mcp_last_error(), "resource \"ui://a\": /_meta/ui:");
    CHECK_STATUS(mcp_resource_set_ui(resource, "[]", 2), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_resource_set_ui(resource, "", 0), MCP_STATUS_ERR_INVALID_JSON);
    CHECK_OK(mcp_resource_set_ui(resource, NULL, 0));
    mcp_resource_free(resource);
}

static void finish_empty(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_INVALID_RESULT);
    CHECK_HAS(mcp_last_error(), "user interface");
    CHECK_OK(mcp_call_finish_text(call, "mended", MCP_NUL_TERMINATED));
}

static void a_result_without_content(void)
{
    mcp_server *server = NULL;
    mcp_tool *tool = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    CHECK_OK(mcp_tool_new("t", &tool));
    CHECK_OK(mcp_tool_set_ui(tool, "ui://clock"));
    CHECK_OK(mcp_server_add_tool(server, tool, finish_empty, NULL, NULL));
    mcp_tool_free(tool);
    peer_start(&peer, server);
    answer = peer_call(&peer, "t", "{}");
    CHECK_HAS(answer, "mended");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"hosts of user interfaces see more than other clients", what_hosts_see},
    {"older hosts do so too", what_older_hosts_see},
    {"an interface is listed and read with what its host must know", an_interface},
    {"what is no user interface is refused", what_is_none},
    {"a tool with a user interface has content for others", a_result_without_content},
    {NULL, NULL},
};
