/* The server's own tools, prompts and resources, used by the program around it. */

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"

static mcp_server *new_server(void)
{
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    return server;
}

static void greet(mcp_call *call, void *user_data)
{
    const char *who = "nobody", *text;
    (void)user_data;
    mcp_call_get_string(call, "who", &who, NULL);
    CHECK_OK(mcp_call_protocol_version(call, &text));
    CHECK_STR(text, "2026-07-28");
    CHECK_STATUS(mcp_call_header(call, "host", &text, NULL), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_principal(call, &text), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_OK(mcp_call_progress(call, 1, 2, NULL));
    CHECK_OK(mcp_call_log(call, MCP_LOG_ERROR, NULL, "1", 1));
    CHECK_OK(mcp_call_close_stream(call, 0));
    CHECK_OK(mcp_call_finish_text(call, who, MCP_NUL_TERMINATED));
}

static void add_greeter(mcp_server *server)
{
    mcp_tool *tool = NULL;
    CHECK_OK(mcp_tool_new("greet", &tool));
    CHECK_OK(mcp_tool_add_argument(tool, "who", MCP_TYPE_STRING, MCP_OPTIONAL, NULL));
    CHECK_OK(mcp_server_add_tool(server, tool, greet, NULL, NULL));
    mcp_tool_free(tool);
}

/* Calls a tool that succeeds; the result. Free it with mcp_text_free. */
static char *call_tool(mcp_server *server, const char *name, const char *arguments)
{
    char *result = NULL;
    size_t len = 0;
    CHECK_OK(mcp_server_call_tool(server, name, arguments, MCP_NUL_TERMINATED, &result, &len));
    CHECK(result != NULL && strlen(result) == len);
    return result;
}

static void fails(mcp_server *server, const char *name, int status, const char *part)
{
    char *result = NULL;
    size_t len = 7;
    CHECK_STATUS(mcp_server_call_tool(server, name, NULL, 0, &result, &len), status);
    CHECK_HAS(mcp_last_error(), part);
    CHECK(result == NULL && len == 7);
}

static void fail_softly(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish_tool_error(call, "not today", MCP_NUL_TERMINATED));
}

static void fail_hard(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish_error(call, 4242, "broken", NULL, 0));
}

static void never_finish(mcp_call *call, void *user_data)
{
    (void)call;
    (void)user_data;
}

static void ask(mcp_call *call, void *user_data)
{
    CHECK_STATUS(mcp_call_request_input(call, "r", "{\"method\":\"roots/list\"}", MCP_NUL_TERMINATED, NULL, NULL),
                 MCP_STATUS_ERR_MISSING_CAPABILITY);
    if (user_data != NULL)
        CHECK_OK(mcp_call_finish_text(call, "without", MCP_NUL_TERMINATED));
}

static void ignore_line(int level, const char *message, void *user_data)
{
    (void)level;
    (void)message;
    (void)user_data;
}

static void calls_from_the_host(void)
{
    static char without[] = "without";
    mcp_server *server = new_server();
    char *result = NULL;
    CHECK_OK(mcp_set_log_handler(ignore_line, NULL, NULL));
    add_greeter(server);
    add_plain_tool(server, "soft", fail_softly, NULL, NULL, MCP_DISPATCH_POOL);
    add_plain_tool(server, "hard", fail_hard, NULL, NULL, MCP_DISPATCH_INLINE);
    add_plain_tool(server, "never", never_finish, NULL, NULL, MCP_DISPATCH_POOL);
    add_plain_tool(server, "asks", ask, NULL, NULL, MCP_DISPATCH_POOL);
    add_plain_tool(server, "likes", ask, without, NULL, MCP_DISPATCH_POOL);
    result = call_tool(server, "greet", "{\"who\":\"you\"}");
    CHECK_HAS(result, "{\"content\":[{\"type\":\"text\",\"text\":\"you\"}],\"resultType\":\"complete\"");
    mcp_text_free(result);
    result = call_tool(server, "greet", "{\"who\":1}");
    CHECK_HAS(result, "/who");
    CHECK_HAS(result, "\"isError\":true");
    mcp_text_free(result);
    result = call_tool(server, "soft", "{}");
    CHECK_HAS(result, "\"text\":\"not today\"");
    CHECK_HAS(result, "\"isError\":true");
    mcp_text_free(result);
    result = call_tool(server, "likes", "{}");
    CHECK_HAS(result, "\"text\":\"without\"");
    mcp_text_free(result);
    fails(server, "none", MCP_STATUS_ERR_NOT_FOUND, "tool \"none\"");
    fails(server, "hard", MCP_STATUS_ERR_CALL_FAILED, "broken");
    fails(server, "never", MCP_STATUS_ERR_CALL_FAILED, "tool \"never\"");
    fails(server, "asks", MCP_STATUS_ERR_MISSING_CAPABILITY, "tool \"asks\"");
    result = NULL;
    CHECK_STATUS(mcp_server_call_tool(server, "greet", "{\"who\"", MCP_NUL_TERMINATED, &result, NULL),
                 MCP_STATUS_ERR_INVALID_JSON);
    CHECK_HAS(mcp_last_error(), "arguments_json");
    CHECK_STATUS(mcp_server_call_tool(server, "greet", "{\"who\":\"\xff\"}", MCP_NUL_TERMINATED, &result, NULL),
                 MCP_STATUS_ERR_INVALID_UTF8);
    CHECK_STATUS(mcp_server_call_tool(server, "greet", "[]", 2, &result, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK(result == NULL);
    /* All of it on this thread. */
    CHECK_INT(thread_count(), 1);
    mcp_server_free(server);
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
}

static void say_uri(mcp_call *call, void *user_data)
{
    const char *id = "no id";
    (void)user_data;
    mcp_call_get_string(call, "id", &id, NULL);
    if (strcmp(id, "0") == 0)
        CHECK_OK(mcp_call_finish_not_found(call));
    else
        CHECK_OK(mcp_call_finish_text(call, id, MCP_NUL_TERMINATED));
}

static void resources_and_prompts(void)
{
    mcp_server *server = new_server();
    mcp_resource *resource = NULL;
    mcp_resource_template *resource_template = NULL;
    mcp_prompt *prompt = NULL;
    char *result = NULL;
    size_t len = 0;
    CHECK_OK(mcp_resource_new("x:a", "a", &resource));
    CHECK_OK(mcp_server_add_resource(server, resource, say_uri, NULL, NULL));
    mcp_resource_free(resource);
    CHECK_OK(mcp_resource_template_new("t:{id}", "t", &resource_template));
    CHECK_OK(mcp_server_add_resource_template(server, resource_template, say_uri, NULL, NULL));
    mcp_resource_template_free(resource_template);
    CHECK_OK(mcp_prompt_new("p", &prompt));
    CHECK_OK(mcp_prompt_add_argument(prompt, "who", MCP_REQUIRED, NULL));
    CHECK_OK(mcp_server_add_prompt(server, prompt, greet, NULL, NULL));
    mcp_prompt_free(prompt);

    CHECK_OK(mcp_server_read_resource(server, "x:a", &result, &len));
    CHECK_HAS(result, "{\"contents\":[{\"uri\":\"x:a\",\"text\":\"no id\"}]");
    CHECK_INT(strlen(result), len);
    mcp_text_free(result);
    CHECK_OK(mcp_server_read_resource(server, "t:7", &result, NULL));
    CHECK_HAS(result, "{\"contents\":[{\"uri\":\"t:7\",\"text\":\"7\"}]");
    mcp_text_free(result);
    CHECK_STATUS(mcp_server_read_resource(server, "t:0", &result, NULL), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_server_read_resource(server, "y:0", &result, NULL), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_HAS(mcp_last_error(), "resource \"y:0\"");

    CHECK_OK(mcp_server_get_prompt(server, "p", "{\"who\":\"you\"}", MCP_NUL_TERMINATED, &result, &len));
    CHECK_HAS(result, "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"you\"}}]");
    CHECK_INT(strlen(result), len);
    mcp_text_free(result);
    CHECK_STATUS(mcp_server_get_prompt(server, "p", NULL, 0, &result, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "who");
    CHECK_STATUS(mcp_server_get_prompt(server, "p", "{", 1, &result, NULL), MCP_STATUS_ERR_INVALID_JSON);
    CHECK_STATUS(mcp_server_get_prompt(server, "q", NULL, 0, &result, NULL), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_HAS(mcp_last_error(), "prompt \"q\"");

    CHECK_OK(mcp_server_list_resources(server, &result, &len));
    CHECK_STR(result, "[{\"uri\":\"x:a\",\"name\":\"a\"}]");
    CHECK_INT(strlen(result), len);
    mcp_text_free(result);
    CHECK_OK(mcp_server_list_resource_templates(server, &result, NULL));
    CHECK_STR(result, "[{\"uriTemplate\":\"t:{id}\",\"name\":\"t\"}]");
    mcp_text_free(result);
    CHECK_OK(mcp_server_list_prompts(server, &result, NULL));
    CHECK_STR(result, "[{\"name\":\"p\",\"arguments\":[{\"name\":\"who\",\"required\":true}]}]");
    mcp_text_free(result);
    CHECK_OK(mcp_server_list_tools(server, &result, NULL));
    CHECK_STR(result, "[]");
    mcp_text_free(result);
    mcp_server_free(server);
}

static void is_exported(mcp_server *server, int format, const char *wanted)
{
    char *json = NULL;
    size_t len = 0;
    CHECK_OK(mcp_server_export_tools(server, format, &json, &len));
    CHECK_STR(json, wanted);
    CHECK_INT(json == NULL ? 0 : strlen(json), len);
    mcp_text_free(json);
}

static void lists_and_exports(void)
{
    static const char SCHEMA[] = "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}";
    mcp_server *server = new_server();
    mcp_tool *tool = NULL;
    char *json = NULL;
    CHECK_OK(mcp_tool_new("math.add", &tool));
    CHECK_OK(mcp_tool_set_description(tool, "Adds"));
    CHECK_OK(mcp_tool_set_input_schema(tool, SCHEMA, MCP_NUL_TERMINATED));
    CHECK_OK(mcp_server_add_tool(server, tool, greet, NULL, NULL));
    mcp_tool_free(tool);
    CHECK_OK(mcp_tool_new("refresh", &tool));
    CHECK_OK(mcp_tool_set_visibility(tool, MCP_VISIBLE_TO_APP));
    CHECK_OK(mcp_server_add_tool(server, tool, greet, NULL, NULL));
    mcp_tool_free(tool);
    CHECK_OK(mcp_server_list_tools(server, &json, NULL));
    CHECK_HAS(json, "[{\"name\":\"math.add\",");
    CHECK_HAS(json, "{\"name\":\"refresh\",");
    mcp_text_free(json);
    CHECK_OK(mcp_server_find_tool(server, "math.add", &json, NULL));
    CHECK_STR(json, "{\"name\":\"math.add\",\"description\":\"Adds\",\"inputSchema\":"
                    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}}");
    mcp_text_free(json);
    CHECK_STATUS(mcp_server_find_tool(server, "add", &json, NULL), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_HAS(mcp_last_error(), "tool \"add\"");

    is_exported(server, MCP_EXPORT_OPENAI_CHAT,
                "[{\"type\":\"function\",\"function\":{\"name\":\"math_add\",\"description\":\"Adds\",\"parameters\":"
                "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}}}]");
    is_exported(server, MCP_EXPORT_OPENAI_RESPONSES,
                "[{\"type\":\"function\",\"name\":\"math_add\",\"description\":\"Adds\",\"parameters\":"
                "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}},\"strict\":false}]");
    is_exported(server, MCP_EXPORT_ANTHROPIC,
                "[{\"name\":\"math_add\",\"description\":\"Adds\",\"input_schema\":"
                "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}}]");
    is_exported(server, MCP_EXPORT_GEMINI,
                "[{\"functionDeclarations\":[{\"name\":\"math.add\",\"description\":\"Adds\",\"parametersJsonSchema\":"
                "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}}]}]");
    CHECK_STATUS(mcp_server_export_tools(server, 4, &json, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "MCP_EXPORT_GEMINI (3)");
    /* A model calls by the name that it was told. */
    json = call_tool(server, "math_add", "{\"n\":1}");
    CHECK_HAS(json, "\"content\":[");
    mcp_text_free(json);
    mcp_server_free(server);
}

static void *finish_kept(void *call)
{
    CHECK_OK(mcp_call_finish_text(call, "later", MCP_NUL_TERMINATED));
    mcp_call_release(call);
    return NULL;
}

static void finish_later(mcp_call *call, void *user_data)
{
    CHECK_INT(pthread_create(user_data, NULL, finish_kept, mcp_call_retain(call)), 0);
}

static void a_tool_that_finishes_later(void)
{
    pthread_t finishing;
    mcp_server *server = server_with("a", finish_later, &finishing, MCP_DISPATCH_POOL);
    char *result = call_tool(server, "a", "{}");
    CHECK_HAS(result, "\"text\":\"later\"");
    mcp_text_free(result);
    pthread_join(finishing, NULL);
    mcp_server_free(server);
}

static int call_in_child(void *server)
{
    char *result = NULL;
    return mcp_server_call_tool(server, "greet", NULL, 0, &result, NULL) == MCP_STATUS_ERR_FORKED
        && mcp_server_list_tools(server, &result, NULL) == MCP_STATUS_ERR_FORKED;
}

static void a_forked_child(void)
{
    mcp_server *server = new_server();
    add_greeter(server);
    CHECK_INT(in_child(call_in_child, server), 1);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"the host calls tools", calls_from_the_host},
    {"the host reads resources and gets prompts", resources_and_prompts},
    {"tools are listed, found and exported", lists_and_exports},
    {"a tool may finish later", a_tool_that_finishes_later},
    {"a forked child is refused", a_forked_child},
    {NULL, NULL},
};
