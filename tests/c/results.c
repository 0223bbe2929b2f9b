/* Results: every content type, structured content, and the output schema. */

#include <stdlib.h>

#include "harness.h"
#include "peer.h"

/* Runs `handler` once, as the tool "a" of `server`, and returns the answer. */
static char *answer_of(mcp_handler handler)
{
    peer peer;
    char *answer;
    mcp_server *server = server_with("a", handler, NULL, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_server_set_option(server, "server_info_in_results", "false"));
    peer_start(&peer, server);
    answer = peer_call(&peer, "a", "{}");
    peer_stop(&peer);
    mcp_server_free(server);
    return answer;
}

static void answers(mcp_handler handler, const char *wanted)
{
    char *answer = answer_of(handler);
    CHECK_STR(answer, wanted);
    free(answer);
}

static void add_every_type(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_add_text(call, "one\n\"two\"", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_add_image(call, "\xff\xfe", 2, "image/png"));
    CHECK_OK(mcp_call_add_audio(call, "abc", 3, "audio/wav"));
    CHECK_STATUS(mcp_call_add_image(call, "x", 1, "png"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "\"image/png\"");
    CHECK_STATUS(mcp_call_add_image(call, "x", 1, "audio/wav"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_add_audio(call, "x", 1, "audio/"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "mcp_call_add_resource_blob");
    CHECK_OK(mcp_call_add_resource_link(call, "file:///a", "a", "A", "An a", "text/plain"));
    CHECK_OK(mcp_call_add_resource_link(call, "file:///b", "b", NULL, NULL, NULL));
    CHECK_OK(mcp_call_add_resource_text(call, "file:///a", "text/plain", "text", 4));
    CHECK_OK(mcp_call_add_resource_blob(call, "file:///a", NULL, "abc", 3));
    CHECK_OK(mcp_call_add_content(call, "{ \"type\":\"text\", \"text\":\"annotated\",\n"
                                        "\"annotations\":{\"priority\":1}, \"_meta\":{\"com.example/a\":1} }",
                                  MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_set_meta(call, "{\"com.example/b\": [1, 2]}", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_finish(call));
}

static void every_content_type(void)
{
    answers(add_every_type,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":["
            "{\"type\":\"text\",\"text\":\"one\\n\\\"two\\\"\"},"
            "{\"type\":\"image\",\"data\":\"//4=\",\"mimeType\":\"image/png\"},"
            "{\"type\":\"audio\",\"data\":\"YWJj\",\"mimeType\":\"audio/wav\"},"
            "{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\",\"title\":\"A\","
            "\"description\":\"An a\",\"mimeType\":\"text/plain\"},"
            "{\"type\":\"resource_link\",\"uri\":\"file:///b\",\"name\":\"b\"},"
            "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a\",\"mimeType\":\"text/plain\","
            "\"text\":\"text\"}},"
            "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a\",\"blob\":\"YWJj\"}},"
            "{\"type\":\"text\",\"text\":\"annotated\",\"annotations\":{\"priority\":1},"
            "\"_meta\":{\"com.example/a\":1}}],"
            "\"resultType\":\"complete\",\"_meta\":{\"com.example/b\":[1,2]}}}");
}

static void refuse_bad_content(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_STATUS(mcp_call_add_resource_link(call, "nowhere", "n", NULL, NULL, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "nowhere");
    CHECK_STATUS(mcp_call_add_resource_link(call, "a:b", "", NULL, NULL, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_add_resource_text(call, "nowhere", NULL, "x", 1), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_add_resource_blob(call, "nowhere", NULL, "x", 1), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_add_content(call, "{\"type\":\"txt\",\"text\":\"\"}", MCP_NUL_TERMINATED),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "did you mean \"text\"?");
    CHECK_STATUS(mcp_call_finish_json(call, "{\"content\":[{\"type\":\"text\"}]}", MCP_NUL_TERMINATED),
                 MCP_STATUS_ERR_INVALID_RESULT);
    CHECK_HAS(mcp_last_error(), "/content/0");
    CHECK_STATUS(mcp_call_finish_error(call, -32000, "reserved", NULL, 0), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_call_finish(call));
}

static void content_that_is_none(void)
{
    char *answer = answer_of(refuse_bad_content);
    CHECK_HAS(answer, "\"content\":[]");
    free(answer);
}

static void structure(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_set_structured(call, "{ \"sum\" : 12345678901234567890 }", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_finish(call));
}

static void structure_with_text(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_set_structured(call, "[null]", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_finish_text(call, "a list", MCP_NUL_TERMINATED));
}

static void structured_content(void)
{
    answers(structure, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
                       "\"{\\\"sum\\\":12345678901234567890}\"}],"
                       "\"structuredContent\":{\"sum\":12345678901234567890},\"resultType\":\"complete\"}}");
    answers(structure_with_text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
                                 "\"text\":\"a list\"}],\"structuredContent\":[null],\"resultType\":\"complete\"}}");
}

static void whole(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_add_text(call, "dropped", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_finish_json(call, "{\"content\":[{\"type\":\"text\",\"text\":\"whole\"}], \"isError\":true}",
                                  MCP_NUL_TERMINATED));
}

static void fail_kindly(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_add_text(call, "dropped", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_finish_tool_error(call, "no such city", MCP_NUL_TERMINATED));
}

static void fail_hard(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish_error(call, 4242, "broken", "{ \"why\" : 1 }", MCP_NUL_TERMINATED));
}

static void fail_without_data(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish_error(call, -32603, "broken", NULL, 0));
}

static void whole_results_and_errors(void)
{
    answers(whole, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"whole\"}],"
                   "\"isError\":true,\"resultType\":\"complete\"}}");
    answers(fail_kindly, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
                         "\"text\":\"no such city\"}],\"isError\":true,\"resultType\":\"complete\"}}");
    answers(fail_hard,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":4242,\"message\":\"broken\",\"data\":{\"why\":1}}}");
    answers(fail_without_data, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"broken\"}}");
}

static void finish_again(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_INVALID_RESULT);
    CHECK_HAS(mcp_last_error(), "structured content");
    CHECK_OK(mcp_call_set_structured(call, "{\"sum\":\"3\"}", MCP_NUL_TERMINATED));
    CHECK_STATUS(mcp_call_finish_text(call, "refused", MCP_NUL_TERMINATED), MCP_STATUS_ERR_INVALID_RESULT);
    CHECK_HAS(mcp_last_error(), "/sum");
    CHECK_STATUS(mcp_call_finish_json(call, "{\"structuredContent\":{}}", MCP_NUL_TERMINATED),
                 MCP_STATUS_ERR_INVALID_RESULT);
    CHECK_OK(mcp_call_set_structured(call, "{\"sum\":3}", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_finish_text(call, "three", MCP_NUL_TERMINATED));
}

static void never_right(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_STATUS(mcp_call_finish_json(call, "{\"structuredContent\":{\"sum\":\"secret\"}}", MCP_NUL_TERMINATED),
                 MCP_STATUS_ERR_INVALID_RESULT);
}

static void an_error_needs_no_schema(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish_tool_error(call, "not today", MCP_NUL_TERMINATED));
}

static char *answer_with_schema(mcp_handler handler)
{
    static const char SCHEMA[] =
        "{\"type\":\"object\",\"properties\":{\"sum\":{\"type\":\"integer\"}},\"required\":[\"sum\"]}";
    mcp_server *server = NULL;
    mcp_tool *tool = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    CHECK_OK(mcp_tool_new("a", &tool));
    CHECK_OK(mcp_tool_set_output_schema(tool, SCHEMA, MCP_NUL_TERMINATED));
    CHECK_OK(mcp_server_add_tool(server, tool, handler, NULL, NULL));
    mcp_tool_free(tool);
    peer_start(&peer, server);
    answer = peer_call(&peer, "a", "{}");
    peer_stop(&peer);
    mcp_server_free(server);
    return answer;
}

static void quiet(int level, const char *message, void *user_data)
{
    (void)level;
    CHECK_HAS(message, user_data);
    CHECK_LACKS(message, "secret");
}

static void the_output_schema(void)
{
    static char expected[] = "tool \"a\"";
    char *answer = answer_with_schema(finish_again);
    CHECK_HAS(answer, "\"content\":[{\"type\":\"text\",\"text\":\"three\"}],\"structuredContent\":{\"sum\":3}");
    free(answer);
    answer = answer_with_schema(an_error_needs_no_schema);
    CHECK_HAS(answer, "\"isError\":true");
    free(answer);
    CHECK_OK(mcp_set_log_handler(quiet, expected, NULL));
    answer = answer_with_schema(never_right);
    CHECK_HAS(answer, "\"code\":-32603");
    CHECK_LACKS(answer, "secret");
    free(answer);
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
}

const test TESTS[] = {
    {"every content type", every_content_type},
    {"content that is none is refused", content_that_is_none},
    {"structured content has a text twin unless there is a text", structured_content},
    {"whole results, tool errors and protocol errors", whole_results_and_errors},
    {"a result that breaks the output schema may be mended", the_output_schema},
    {NULL, NULL},
};
