#include "plain_resources.h"

#include <stdio.h>

void add_plain_resource(mcp_server *server, const char *uri, mcp_handler handler, void *user_data)
{
    mcp_resource *resource = NULL;
    CHECK_OK(mcp_resource_new(uri, "plain", &resource));
    CHECK_OK(mcp_server_add_resource(server, resource, handler, user_data, NULL));
    mcp_resource_free(resource);
}

void add_plain_template(mcp_server *server, const char *uri_template, mcp_handler handler, void *user_data)
{
    mcp_resource_template *resource_template = NULL;
    CHECK_OK(mcp_resource_template_new(uri_template, "plain", &resource_template));
    CHECK_OK(mcp_server_add_resource_template(server, resource_template, handler, user_data, NULL));
    mcp_resource_template_free(resource_template);
}

char *read_uri(peer *peer, const char *uri)
{
    char params[256];
    snprintf(params, sizeof params, "\"uri\":\"%s\"", uri);
    return peer_request(peer, "resources/read", params);
}

void say_what(mcp_call *call, void *user_data)
{
    CHECK_INT(mcp_call_kind(call), MCP_CALL_RESOURCE);
    CHECK_OK(mcp_call_finish_text(call, user_data == NULL ? "plain text" : user_data, MCP_NUL_TERMINATED));
}
