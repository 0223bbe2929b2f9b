/* Every pointer argument of every function may be NULL: it is refused by code, or is fine where the header says so.
   null_calls.c has the functions of calls. */

#include <stdlib.h>

#include "harness.h"
#include "peer.h"

#define IS_NULL_ARG(call) CHECK_STATUS(call, MCP_STATUS_ERR_NULL_ARG)

static void unused_handler(mcp_call *call, void *user_data)
{
    (void)call;
    (void)user_data;
}

static void unused_executor(mcp_job *job, void *user_data)
{
    (void)user_data;
    mcp_job_drop(job);
}

static void frees_take_null(void)
{
    mcp_text_free(NULL);
    mcp_tool_free(NULL);
    mcp_resource_free(NULL);
    mcp_resource_template_free(NULL);
    mcp_prompt_free(NULL);
    mcp_server_free(NULL);
    mcp_http_config_free(NULL);
    mcp_listener_free(NULL);
    mcp_session_free(NULL);
    mcp_endpoint_free(NULL);
    mcp_exchange_free(NULL);
    mcp_call_release(NULL);
    mcp_job_run(NULL);
    mcp_job_drop(NULL);
    CHECK_STR(mcp_last_error(), "");
}

static void tools(void)
{
    mcp_tool *tool = NULL;
    mcp_tool *none = NULL;
    IS_NULL_ARG(mcp_tool_new(NULL, &none));
    IS_NULL_ARG(mcp_tool_new("a", NULL));
    IS_NULL_ARG(mcp_tool_from_json(NULL, MCP_NUL_TERMINATED, &none));
    IS_NULL_ARG(mcp_tool_from_json("{\"name\":\"a\",\"inputSchema\":{}}", MCP_NUL_TERMINATED, NULL));
    CHECK_STATUS(mcp_tool_from_json(NULL, 0, &none), MCP_STATUS_ERR_INVALID_JSON);
    CHECK(none == NULL);

    CHECK_OK(mcp_tool_new("a", &tool));
    IS_NULL_ARG(mcp_tool_set_title(NULL, "t"));
    IS_NULL_ARG(mcp_tool_set_title(tool, NULL));
    IS_NULL_ARG(mcp_tool_set_description(NULL, "t"));
    IS_NULL_ARG(mcp_tool_set_description(tool, NULL));
    IS_NULL_ARG(mcp_tool_set_input_schema(NULL, "{}", 2));
    IS_NULL_ARG(mcp_tool_set_input_schema(tool, NULL, 2));
    IS_NULL_ARG(mcp_tool_set_output_schema(NULL, "{}", 2));
    IS_NULL_ARG(mcp_tool_set_output_schema(tool, NULL, 2));
    IS_NULL_ARG(mcp_tool_set_annotations(NULL, "{}", 2));
    IS_NULL_ARG(mcp_tool_set_annotations(tool, NULL, 2));
    IS_NULL_ARG(mcp_tool_set_icons(NULL, "[]", 2));
    IS_NULL_ARG(mcp_tool_set_icons(tool, NULL, 2));
    IS_NULL_ARG(mcp_tool_set_meta(NULL, "{}", 2));
    IS_NULL_ARG(mcp_tool_set_meta(tool, NULL, 2));
    IS_NULL_ARG(mcp_tool_add_argument(NULL, "x", MCP_TYPE_STRING, MCP_REQUIRED, NULL));
    IS_NULL_ARG(mcp_tool_add_argument(tool, NULL, MCP_TYPE_STRING, MCP_REQUIRED, NULL));
    CHECK_OK(mcp_tool_add_argument(tool, "x", MCP_TYPE_STRING, MCP_REQUIRED, NULL));
    IS_NULL_ARG(mcp_tool_mirror_argument(NULL, "x", "X"));
    IS_NULL_ARG(mcp_tool_mirror_argument(tool, NULL, "X"));
    IS_NULL_ARG(mcp_tool_mirror_argument(tool, "x", NULL));
    IS_NULL_ARG(mcp_tool_require_capability(NULL, "roots"));
    IS_NULL_ARG(mcp_tool_require_capability(tool, NULL));
    IS_NULL_ARG(mcp_tool_set_dispatch(NULL, MCP_DISPATCH_POOL));
    IS_NULL_ARG(mcp_tool_set_ui(NULL, "ui://a"));
    IS_NULL_ARG(mcp_tool_set_ui(tool, NULL));
    IS_NULL_ARG(mcp_tool_set_visibility(NULL, MCP_VISIBLE_TO_APP));
    mcp_tool_free(tool);
}

static void resources(void)
{
    mcp_resource *resource = NULL;
    mcp_resource *none = NULL;
    IS_NULL_ARG(mcp_resource_new(NULL, "n", &none));
    IS_NULL_ARG(mcp_resource_new("a:b", NULL, &none));
    IS_NULL_ARG(mcp_resource_new("a:b", "n", NULL));
    IS_NULL_ARG(mcp_resource_from_json(NULL, MCP_NUL_TERMINATED, &none));
    IS_NULL_ARG(mcp_resource_from_json("{\"uri\":\"a:b\",\"name\":\"n\"}", MCP_NUL_TERMINATED, NULL));
    CHECK_STATUS(mcp_resource_from_json(NULL, 0, &none), MCP_STATUS_ERR_INVALID_JSON);
    CHECK(none == NULL);

    CHECK_OK(mcp_resource_new("ui://b", "n", &resource));
    IS_NULL_ARG(mcp_resource_set_title(NULL, "t"));
    IS_NULL_ARG(mcp_resource_set_title(resource, NULL));
    IS_NULL_ARG(mcp_resource_set_description(NULL, "t"));
    IS_NULL_ARG(mcp_resource_set_description(resource, NULL));
    IS_NULL_ARG(mcp_resource_set_mime_type(NULL, "text/plain"));
    IS_NULL_ARG(mcp_resource_set_mime_type(resource, NULL));
    IS_NULL_ARG(mcp_resource_set_size(NULL, 1));
    IS_NULL_ARG(mcp_resource_set_annotations(NULL, "{}", 2));
    IS_NULL_ARG(mcp_resource_set_annotations(resource, NULL, 2));
    IS_NULL_ARG(mcp_resource_set_icons(NULL, "[]", 2));
    IS_NULL_ARG(mcp_resource_set_icons(resource, NULL, 2));
    IS_NULL_ARG(mcp_resource_set_meta(NULL, "{}", 2));
    IS_NULL_ARG(mcp_resource_set_meta(resource, NULL, 2));
    IS_NULL_ARG(mcp_resource_set_ui(NULL, "{}", 2));
    IS_NULL_ARG(mcp_resource_set_ui(resource, NULL, 2));
    IS_NULL_ARG(mcp_resource_require_capability(NULL, "roots"));
    IS_NULL_ARG(mcp_resource_require_capability(resource, NULL));
    IS_NULL_ARG(mcp_resource_set_dispatch(NULL, MCP_DISPATCH_POOL));
    CHECK_OK(mcp_resource_set_ui(resource, NULL, 0));
    mcp_resource_free(resource);
}

static void resource_templates(void)
{
    mcp_resource_template *resource_template = NULL;
    mcp_resource_template *none = NULL;
    IS_NULL_ARG(mcp_resource_template_new(NULL, "n", &none));
    IS_NULL_ARG(mcp_resource_template_new("a:{b}", NULL, &none));
    IS_NULL_ARG(mcp_resource_template_new("a:{b}", "n", NULL));
    IS_NULL_ARG(mcp_resource_template_from_json(NULL, MCP_NUL_TERMINATED, &none));
    IS_NULL_ARG(mcp_resource_template_from_json("{\"uriTemplate\":\"a:{b}\",\"name\":\"n\"}", MCP_NUL_TERMINATED,
                                                NULL));
    CHECK_STATUS(mcp_resource_template_from_json(NULL, 0, &none), MCP_STATUS_ERR_INVALID_JSON);
    CHECK(none == NULL);

    CHECK_OK(mcp_resource_template_new("a:{b}", "n", &resource_template));
    IS_NULL_ARG(mcp_resource_template_set_title(NULL, "t"));
    IS_NULL_ARG(mcp_resource_template_set_title(resource_template, NULL));
    IS_NULL_ARG(mcp_resource_template_set_description(NULL, "t"));
    IS_NULL_ARG(mcp_resource_template_set_description(resource_template, NULL));
    IS_NULL_ARG(mcp_resource_template_set_mime_type(NULL, "text/plain"));
    IS_NULL_ARG(mcp_resource_template_set_mime_type(resource_template, NULL));
    IS_NULL_ARG(mcp_resource_template_set_annotations(NULL, "{}", 2));
    IS_NULL_ARG(mcp_resource_template_set_annotations(resource_template, NULL, 2));
    IS_NULL_ARG(mcp_resource_template_set_icons(NULL, "[]", 2));
    IS_NULL_ARG(mcp_resource_template_set_icons(resource_template, NULL, 2));
    IS_NULL_ARG(mcp_resource_template_set_meta(NULL, "{}", 2));
    IS_NULL_ARG(mcp_resource_template_set_meta(resource_template, NULL, 2));
    IS_NULL_ARG(mcp_resource_template_allow_traversal(NULL, "b"));
    IS_NULL_ARG(mcp_resource_template_allow_traversal(resource_template, NULL));
    IS_NULL_ARG(mcp_resource_template_require_capability(NULL, "roots"));
    IS_NULL_ARG(mcp_resource_template_require_capability(resource_template, NULL));
    IS_NULL_ARG(mcp_resource_template_set_dispatch(NULL, MCP_DISPATCH_POOL));
    mcp_resource_template_free(resource_template);
}

static void prompts(void)
{
    mcp_prompt *prompt = NULL;
    mcp_prompt *none = NULL;
    IS_NULL_ARG(mcp_prompt_new(NULL, &none));
    IS_NULL_ARG(mcp_prompt_new("p", NULL));
    IS_NULL_ARG(mcp_prompt_from_json(NULL, MCP_NUL_TERMINATED, &none));
    IS_NULL_ARG(mcp_prompt_from_json("{\"name\":\"p\"}", MCP_NUL_TERMINATED, NULL));
    CHECK_STATUS(mcp_prompt_from_json(NULL, 0, &none), MCP_STATUS_ERR_INVALID_JSON);
    CHECK(none == NULL);

    CHECK_OK(mcp_prompt_new("p", &prompt));
    IS_NULL_ARG(mcp_prompt_set_title(NULL, "t"));
    IS_NULL_ARG(mcp_prompt_set_title(prompt, NULL));
    IS_NULL_ARG(mcp_prompt_set_description(NULL, "t"));
    IS_NULL_ARG(mcp_prompt_set_description(prompt, NULL));
    IS_NULL_ARG(mcp_prompt_set_icons(NULL, "[]", 2));
    IS_NULL_ARG(mcp_prompt_set_icons(prompt, NULL, 2));
    IS_NULL_ARG(mcp_prompt_set_meta(NULL, "{}", 2));
    IS_NULL_ARG(mcp_prompt_set_meta(prompt, NULL, 2));
    IS_NULL_ARG(mcp_prompt_add_argument(NULL, "x", MCP_REQUIRED, NULL));
    IS_NULL_ARG(mcp_prompt_add_argument(prompt, NULL, MCP_REQUIRED, NULL));
    CHECK_OK(mcp_prompt_add_argument(prompt, "x", MCP_REQUIRED, NULL));
    IS_NULL_ARG(mcp_prompt_require_capability(NULL, "roots"));
    IS_NULL_ARG(mcp_prompt_require_capability(prompt, NULL));
    IS_NULL_ARG(mcp_prompt_set_dispatch(NULL, MCP_DISPATCH_POOL));
    mcp_prompt_free(prompt);
}

/* What a server offers besides tools. */
static void offers(void)
{
    mcp_server *server = NULL;
    mcp_resource *resource = NULL;
    mcp_resource_template *resource_template = NULL;
    mcp_prompt *prompt = NULL;
    int freed = 0;
    CHECK_OK(mcp_server_new("s", "1", &server));
    CHECK_OK(mcp_resource_new("a:b", "n", &resource));
    CHECK_OK(mcp_resource_template_new("a:{b}/c", "n", &resource_template));
    CHECK_OK(mcp_prompt_new("p", &prompt));
    IS_NULL_ARG(mcp_server_add_resource(NULL, resource, unused_handler, &freed, count_free));
    IS_NULL_ARG(mcp_server_add_resource(server, NULL, unused_handler, &freed, count_free));
    IS_NULL_ARG(mcp_server_add_resource(server, resource, NULL, &freed, count_free));
    IS_NULL_ARG(mcp_server_add_resource_template(NULL, resource_template, unused_handler, &freed, count_free));
    IS_NULL_ARG(mcp_server_add_resource_template(server, NULL, unused_handler, &freed, count_free));
    IS_NULL_ARG(mcp_server_add_resource_template(server, resource_template, NULL, &freed, count_free));
    IS_NULL_ARG(mcp_server_add_prompt(NULL, prompt, unused_handler, &freed, count_free));
    IS_NULL_ARG(mcp_server_add_prompt(server, NULL, unused_handler, &freed, count_free));
    IS_NULL_ARG(mcp_server_add_prompt(server, prompt, NULL, &freed, count_free));
    IS_NULL_ARG(mcp_server_set_completion(NULL, unused_handler, &freed, count_free));
    CHECK_INT(freed, 10);
    CHECK_OK(mcp_server_set_completion(server, NULL, &freed, count_free));
    CHECK_INT(freed, 11);
    CHECK_OK(mcp_server_add_resource(server, resource, unused_handler, NULL, NULL));
    CHECK_OK(mcp_server_add_resource_template(server, resource_template, unused_handler, NULL, NULL));
    CHECK_OK(mcp_server_add_prompt(server, prompt, unused_handler, NULL, NULL));
    IS_NULL_ARG(mcp_server_remove_resource(NULL, "a:b"));
    IS_NULL_ARG(mcp_server_remove_resource(server, NULL));
    IS_NULL_ARG(mcp_server_remove_resource_template(NULL, "a:{b}/c"));
    IS_NULL_ARG(mcp_server_remove_resource_template(server, NULL));
    IS_NULL_ARG(mcp_server_remove_prompt(NULL, "p"));
    IS_NULL_ARG(mcp_server_remove_prompt(server, NULL));
    IS_NULL_ARG(mcp_server_resource_updated(NULL, "a:b", NULL));
    IS_NULL_ARG(mcp_server_resource_updated(server, NULL, NULL));
    CHECK_OK(mcp_server_resource_updated(server, "a:b", NULL));
    IS_NULL_ARG(mcp_server_complete_elicitation(NULL, "id"));
    IS_NULL_ARG(mcp_server_complete_elicitation(server, NULL));
    mcp_prompt_free(prompt);
    mcp_resource_template_free(resource_template);
    mcp_resource_free(resource);
    mcp_server_free(server);
}

static void finish(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish(call));
}

static void in_process(void)
{
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
    char *json = NULL;
    size_t len = 0;
    IS_NULL_ARG(mcp_server_call_tool(NULL, "a", "{}", 2, &json, &len));
    IS_NULL_ARG(mcp_server_call_tool(server, NULL, "{}", 2, &json, &len));
    IS_NULL_ARG(mcp_server_call_tool(server, "a", NULL, 2, &json, &len));
    IS_NULL_ARG(mcp_server_call_tool(server, "a", "{}", 2, NULL, &len));
    IS_NULL_ARG(mcp_server_read_resource(NULL, "a:b", &json, &len));
    IS_NULL_ARG(mcp_server_read_resource(server, NULL, &json, &len));
    IS_NULL_ARG(mcp_server_read_resource(server, "a:b", NULL, &len));
    IS_NULL_ARG(mcp_server_get_prompt(NULL, "p", "{}", 2, &json, &len));
    IS_NULL_ARG(mcp_server_get_prompt(server, NULL, "{}", 2, &json, &len));
    IS_NULL_ARG(mcp_server_get_prompt(server, "p", NULL, 2, &json, &len));
    IS_NULL_ARG(mcp_server_get_prompt(server, "p", "{}", 2, NULL, &len));
    IS_NULL_ARG(mcp_server_list_tools(NULL, &json, &len));
    IS_NULL_ARG(mcp_server_list_tools(server, NULL, &len));
    IS_NULL_ARG(mcp_server_list_resources(NULL, &json, &len));
    IS_NULL_ARG(mcp_server_list_resources(server, NULL, &len));
    IS_NULL_ARG(mcp_server_list_resource_templates(NULL, &json, &len));
    IS_NULL_ARG(mcp_server_list_resource_templates(server, NULL, &len));
    IS_NULL_ARG(mcp_server_list_prompts(NULL, &json, &len));
    IS_NULL_ARG(mcp_server_list_prompts(server, NULL, &len));
    IS_NULL_ARG(mcp_server_find_tool(NULL, "a", &json, &len));
    IS_NULL_ARG(mcp_server_find_tool(server, NULL, &json, &len));
    IS_NULL_ARG(mcp_server_find_tool(server, "a", NULL, &len));
    IS_NULL_ARG(mcp_server_export_tools(NULL, MCP_EXPORT_GEMINI, &json, &len));
    IS_NULL_ARG(mcp_server_export_tools(server, MCP_EXPORT_GEMINI, NULL, &len));
    CHECK(json == NULL && len == 0);
    CHECK_OK(mcp_server_call_tool(server, "a", NULL, 0, &json, NULL));
    CHECK_HAS(json, "\"content\":[]");
    mcp_text_free(json);
    mcp_server_free(server);
}

static void servers(void)
{
    mcp_server *server = NULL;
    mcp_tool *tool = NULL;
    int freed = 0;
    IS_NULL_ARG(mcp_server_new(NULL, "1", &server));
    IS_NULL_ARG(mcp_server_new("s", NULL, &server));
    IS_NULL_ARG(mcp_server_new("s", "1", NULL));
    CHECK(server == NULL);

    CHECK_OK(mcp_server_new("s", "1", &server));
    CHECK_OK(mcp_tool_new("a", &tool));
    IS_NULL_ARG(mcp_server_set_title(NULL, "t"));
    IS_NULL_ARG(mcp_server_set_title(server, NULL));
    IS_NULL_ARG(mcp_server_set_instructions(NULL, "t"));
    IS_NULL_ARG(mcp_server_set_instructions(server, NULL));
    IS_NULL_ARG(mcp_server_set_option(NULL, "max_depth", "9"));
    IS_NULL_ARG(mcp_server_set_option(server, NULL, "9"));
    IS_NULL_ARG(mcp_server_set_option(server, "max_depth", NULL));
    IS_NULL_ARG(mcp_server_add_tool(NULL, tool, unused_handler, &freed, count_free));
    IS_NULL_ARG(mcp_server_add_tool(server, NULL, unused_handler, &freed, count_free));
    IS_NULL_ARG(mcp_server_add_tool(server, tool, NULL, &freed, count_free));
    CHECK_INT(freed, 3);
    CHECK_OK(mcp_server_add_tool(server, tool, unused_handler, NULL, NULL));
    IS_NULL_ARG(mcp_server_remove_tool(NULL, "a"));
    IS_NULL_ARG(mcp_server_remove_tool(server, NULL));
    IS_NULL_ARG(mcp_server_set_executor(NULL, unused_executor, &freed, count_free));
    IS_NULL_ARG(mcp_server_set_executor(server, NULL, &freed, count_free));
    CHECK_INT(freed, 5);
    IS_NULL_ARG(mcp_server_run_stdio(NULL));
    IS_NULL_ARG(mcp_server_shutdown(NULL, 0));
    IS_NULL_ARG(mcp_server_wait(NULL, 0));
    mcp_tool_free(tool);
    mcp_server_free(server);
}

static void http(void)
{
    mcp_server *server = NULL;
    mcp_http_config *config = NULL;
    mcp_listener *listener = NULL;
    CHECK_OK(mcp_server_new("s", "1", &server));
    IS_NULL_ARG(mcp_http_config_new(NULL));
    CHECK_OK(mcp_http_config_new(&config));
    IS_NULL_ARG(mcp_http_config_set_bind(NULL, "::1"));
    IS_NULL_ARG(mcp_http_config_set_bind(config, NULL));
    IS_NULL_ARG(mcp_http_config_set_port(NULL, 0));
    IS_NULL_ARG(mcp_http_config_set_path(NULL, "/"));
    IS_NULL_ARG(mcp_http_config_set_path(config, NULL));
    IS_NULL_ARG(mcp_http_config_allow_origin(NULL, "https://a.example"));
    IS_NULL_ARG(mcp_http_config_allow_origin(config, NULL));
    IS_NULL_ARG(mcp_http_config_allow_host(NULL, "a.example"));
    IS_NULL_ARG(mcp_http_config_allow_host(config, NULL));
    IS_NULL_ARG(mcp_http_config_set_tls_files(NULL, "cert.pem", "key.pem"));
    IS_NULL_ARG(mcp_http_config_set_tls_files(config, NULL, "key.pem"));
    IS_NULL_ARG(mcp_http_config_set_tls_files(config, "cert.pem", NULL));
    IS_NULL_ARG(mcp_http_config_set_option(NULL, "keep_alive_ms", "1"));
    IS_NULL_ARG(mcp_http_config_set_option(config, NULL, "1"));
    IS_NULL_ARG(mcp_http_config_set_option(config, "keep_alive_ms", NULL));
    IS_NULL_ARG(mcp_server_start_http(NULL, config, &listener));
    IS_NULL_ARG(mcp_server_start_http(server, config, NULL));
    CHECK(listener == NULL);
    CHECK_INT(mcp_listener_port(NULL), 0);
    IS_NULL_ARG(mcp_listener_shutdown(NULL, 0));
    mcp_http_config_free(config);
    mcp_server_free(server);
}

static void unused_send(const char *message, size_t len, void *user_data)
{
    (void)message;
    (void)len;
    (void)user_data;
}

static void sessions(void)
{
    mcp_server *server = NULL;
    mcp_session *session = NULL;
    int freed = 0;
    CHECK_OK(mcp_server_new("s", "1", &server));
    IS_NULL_ARG(mcp_session_new(NULL, unused_send, &freed, count_free, &session));
    IS_NULL_ARG(mcp_session_new(server, NULL, &freed, count_free, &session));
    IS_NULL_ARG(mcp_session_new(server, unused_send, &freed, count_free, NULL));
    CHECK_INT(freed, 3);
    CHECK(session == NULL);
    CHECK_OK(mcp_session_new(server, unused_send, NULL, NULL, &session));
    IS_NULL_ARG(mcp_session_receive(NULL, "{}", 2));
    IS_NULL_ARG(mcp_session_receive(session, NULL, 2));
    IS_NULL_ARG(mcp_session_receive(session, NULL, MCP_NUL_TERMINATED));
    IS_NULL_ARG(mcp_session_set_principal(NULL, "p"));
    CHECK_OK(mcp_session_set_principal(session, NULL));
    mcp_session_free(session);
    mcp_server_free(server);
}

static void unused_head(int status, const char *const *names, const char *const *values, size_t headers, void *user_data)
{
    (void)status;
    (void)names;
    (void)values;
    (void)headers;
    (void)user_data;
}

static void unused_body(const void *bytes, size_t len, void *user_data)
{
    (void)bytes;
    (void)len;
    (void)user_data;
}

static void unused_end(void *user_data)
{
    (void)user_data;
}

static void exchanges(void)
{
    mcp_server *server = NULL;
    mcp_endpoint *endpoint = NULL;
    mcp_exchange *exchange = NULL;
    int freed = 0;
    CHECK_OK(mcp_server_new("s", "1", &server));
    IS_NULL_ARG(mcp_endpoint_new(NULL, NULL, &endpoint));
    IS_NULL_ARG(mcp_endpoint_new(server, NULL, NULL));
    CHECK(endpoint == NULL);
    CHECK_OK(mcp_endpoint_new(server, NULL, &endpoint));
    IS_NULL_ARG(mcp_exchange_new(NULL, "POST", "/mcp", &exchange));
    IS_NULL_ARG(mcp_exchange_new(endpoint, NULL, "/mcp", &exchange));
    IS_NULL_ARG(mcp_exchange_new(endpoint, "POST", NULL, &exchange));
    IS_NULL_ARG(mcp_exchange_new(endpoint, "POST", "/mcp", NULL));
    CHECK(exchange == NULL);
    CHECK_OK(mcp_exchange_new(endpoint, "POST", "/mcp", &exchange));
    IS_NULL_ARG(mcp_exchange_add_header(NULL, "a", "b"));
    IS_NULL_ARG(mcp_exchange_add_header(exchange, NULL, "b"));
    IS_NULL_ARG(mcp_exchange_add_header(exchange, "a", NULL));
    IS_NULL_ARG(mcp_exchange_set_principal(NULL, "p"));
    CHECK_OK(mcp_exchange_set_principal(exchange, NULL));
    IS_NULL_ARG(mcp_exchange_start(NULL, NULL, 0, unused_head, unused_body, unused_end, &freed, count_free));
    IS_NULL_ARG(mcp_exchange_start(exchange, NULL, 1, unused_head, unused_body, unused_end, &freed, count_free));
    IS_NULL_ARG(mcp_exchange_start(exchange, NULL, 0, NULL, unused_body, unused_end, &freed, count_free));
    IS_NULL_ARG(mcp_exchange_start(exchange, NULL, 0, unused_head, NULL, unused_end, &freed, count_free));
    IS_NULL_ARG(mcp_exchange_start(exchange, NULL, 0, unused_head, unused_body, NULL, &freed, count_free));
    CHECK_INT(freed, 5);
    IS_NULL_ARG(mcp_exchange_abort(NULL));
    CHECK_OK(mcp_exchange_start(exchange, NULL, 0, unused_head, unused_body, unused_end, NULL, NULL));
    mcp_endpoint_free(endpoint);
    mcp_exchange_free(exchange);
    mcp_server_free(server);
}

static void a_log_handler_may_be_null(void)
{
    int freed = 0;
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
    CHECK_OK(mcp_set_log_handler(NULL, &freed, count_free));
    CHECK_INT(freed, 1);
}

const test TESTS[] = {
    {"frees take NULL", frees_take_null},
    {"functions of tools refuse NULL", tools},
    {"functions of resources refuse NULL", resources},
    {"functions of resource templates refuse NULL", resource_templates},
    {"functions of prompts refuse NULL", prompts},
    {"functions of servers refuse NULL", servers},
    {"functions that add and remove what a server offers refuse NULL", offers},
    {"functions that use a server in process refuse NULL", in_process},
    {"functions of HTTP refuse NULL", http},
    {"functions of sessions refuse NULL", sessions},
    {"functions of exchanges refuse NULL", exchanges},
    {"a log handler may be NULL", a_log_handler_may_be_null},
    {NULL, NULL},
};
