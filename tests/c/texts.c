/* Texts: bad UTF-8 and bad JSON are refused by code, lengths are heeded, the last error says what was wrong. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"

#define BAD "\xff"
#define IS_BAD_UTF8(call) CHECK_STATUS(call, MCP_STATUS_ERR_INVALID_UTF8)
#define IS_BAD_JSON(call) CHECK_STATUS(call, MCP_STATUS_ERR_INVALID_JSON)

static void builders(void)
{
    mcp_tool *tool = NULL;
    mcp_server *server = NULL;
    mcp_http_config *config = NULL;
    IS_BAD_UTF8(mcp_tool_new(BAD, &tool));
    IS_BAD_UTF8(mcp_tool_from_json("{\"name\":\"" BAD "\"}", MCP_NUL_TERMINATED, &tool));
    CHECK_STR(mcp_last_error(), "the tool is not valid UTF-8 (byte 9)");
    IS_BAD_JSON(mcp_tool_from_json("{\"name\":}", MCP_NUL_TERMINATED, &tool));
    IS_BAD_JSON(mcp_tool_from_json("", 0, &tool));
    CHECK(tool == NULL);
    CHECK_OK(mcp_tool_new("a", &tool));
    IS_BAD_UTF8(mcp_tool_set_title(tool, BAD));
    IS_BAD_UTF8(mcp_tool_set_description(tool, BAD));
    IS_BAD_UTF8(mcp_tool_set_input_schema(tool, "\"" BAD "\"", 3));
    IS_BAD_JSON(mcp_tool_set_input_schema(tool, "{", 1));
    IS_BAD_UTF8(mcp_tool_set_output_schema(tool, "\"" BAD "\"", 3));
    CHECK_STR(mcp_last_error(), "tool \"a\": /outputSchema: is not valid UTF-8 (byte 1)");
    IS_BAD_JSON(mcp_tool_set_output_schema(tool, "{} {}", 5));
    CHECK_HAS(mcp_last_error(), "tool \"a\": /outputSchema: is not valid JSON");
    IS_BAD_UTF8(mcp_tool_set_annotations(tool, "\"" BAD "\"", 3));
    IS_BAD_JSON(mcp_tool_set_annotations(tool, "nul", 3));
    IS_BAD_UTF8(mcp_tool_set_icons(tool, "\"" BAD "\"", 3));
    IS_BAD_JSON(mcp_tool_set_icons(tool, "[1,]", 4));
    IS_BAD_UTF8(mcp_tool_set_meta(tool, "\"" BAD "\"", 3));
    IS_BAD_JSON(mcp_tool_set_meta(tool, "{'a':1}", 7));
    IS_BAD_UTF8(mcp_tool_add_argument(tool, BAD, MCP_TYPE_STRING, MCP_REQUIRED, NULL));
    IS_BAD_UTF8(mcp_tool_add_argument(tool, "x", MCP_TYPE_STRING, MCP_REQUIRED, BAD));
    IS_BAD_UTF8(mcp_tool_mirror_argument(tool, BAD, "X"));
    IS_BAD_UTF8(mcp_tool_mirror_argument(tool, "x", BAD));
    IS_BAD_UTF8(mcp_tool_require_capability(tool, BAD));
    mcp_tool_free(tool);

    IS_BAD_UTF8(mcp_server_new(BAD, "1", &server));
    IS_BAD_UTF8(mcp_server_new("s", BAD, &server));
    CHECK_OK(mcp_server_new("s", "1", &server));
    IS_BAD_UTF8(mcp_server_set_title(server, BAD));
    IS_BAD_UTF8(mcp_server_set_instructions(server, BAD));
    IS_BAD_UTF8(mcp_server_set_option(server, BAD, "1"));
    IS_BAD_UTF8(mcp_server_set_option(server, "max_depth", BAD));
    IS_BAD_UTF8(mcp_server_remove_tool(server, BAD));
    mcp_server_free(server);

    CHECK_OK(mcp_http_config_new(&config));
    IS_BAD_UTF8(mcp_http_config_set_bind(config, BAD));
    IS_BAD_UTF8(mcp_http_config_set_path(config, BAD));
    IS_BAD_UTF8(mcp_http_config_allow_origin(config, BAD));
    IS_BAD_UTF8(mcp_http_config_allow_host(config, BAD));
    IS_BAD_UTF8(mcp_http_config_set_option(config, BAD, "1"));
    IS_BAD_UTF8(mcp_http_config_set_option(config, "keep_alive_ms", BAD));
    mcp_http_config_free(config);
}

static void check_call(mcp_call *call, void *user_data)
{
    static const char JSON[] = "\"" BAD "\"";
    const char *text = NULL;
    int64_t number = 0;
    (void)user_data;
    IS_BAD_UTF8(mcp_call_get_string(call, BAD, &text, NULL));
    IS_BAD_UTF8(mcp_call_get_int64(call, BAD, &number));
    IS_BAD_UTF8(mcp_call_header(call, BAD, &text, NULL));
    IS_BAD_UTF8(mcp_call_progress(call, 1, 0, BAD));
    IS_BAD_UTF8(mcp_call_log(call, MCP_LOG_INFO, BAD, "1", 1));
    IS_BAD_UTF8(mcp_call_log(call, MCP_LOG_INFO, NULL, JSON, 3));
    CHECK_HAS(mcp_last_error(), "data_json is not valid UTF-8 (byte 1)");
    IS_BAD_JSON(mcp_call_log(call, MCP_LOG_INFO, NULL, "x", 1));
    CHECK_HAS(mcp_last_error(), "data_json is not valid JSON");
    CHECK_HAS(mcp_last_error(), "; a text is JSON in quotes");
    IS_BAD_UTF8(mcp_call_add_text(call, BAD, 1));
    IS_BAD_UTF8(mcp_call_add_text(call, "\xe2\x82\xac", 2));
    IS_BAD_UTF8(mcp_call_add_image(call, "x", 1, BAD));
    IS_BAD_UTF8(mcp_call_add_audio(call, "x", 1, BAD));
    IS_BAD_UTF8(mcp_call_add_resource_link(call, BAD, "n", NULL, NULL, NULL));
    IS_BAD_UTF8(mcp_call_add_resource_link(call, "a:b", BAD, NULL, NULL, NULL));
    IS_BAD_UTF8(mcp_call_add_resource_link(call, "a:b", "n", BAD, NULL, NULL));
    IS_BAD_UTF8(mcp_call_add_resource_link(call, "a:b", "n", NULL, BAD, NULL));
    IS_BAD_UTF8(mcp_call_add_resource_link(call, "a:b", "n", NULL, NULL, BAD));
    IS_BAD_UTF8(mcp_call_add_resource_text(call, "a:b", NULL, BAD, 1));
    IS_BAD_UTF8(mcp_call_add_content(call, JSON, 3));
    IS_BAD_JSON(mcp_call_add_content(call, "{\"type\":", MCP_NUL_TERMINATED));
    IS_BAD_UTF8(mcp_call_set_structured(call, JSON, 3));
    IS_BAD_JSON(mcp_call_set_structured(call, "{]", 2));
    IS_BAD_UTF8(mcp_call_set_meta(call, JSON, 3));
    IS_BAD_JSON(mcp_call_set_meta(call, "", 0));
    CHECK_STATUS(mcp_call_set_meta(call, "[]", 2), MCP_STATUS_ERR_INVALID_ARG);
    IS_BAD_UTF8(mcp_call_finish_text(call, BAD, 1));
    IS_BAD_UTF8(mcp_call_finish_json(call, JSON, 3));
    IS_BAD_JSON(mcp_call_finish_json(call, "{", 1));
    CHECK_STATUS(mcp_call_finish_json(call, "{}", 2), MCP_STATUS_ERR_INVALID_RESULT);
    IS_BAD_UTF8(mcp_call_finish_tool_error(call, BAD, 1));
    IS_BAD_UTF8(mcp_call_finish_error(call, 1, BAD, NULL, 0));
    IS_BAD_UTF8(mcp_call_finish_error(call, 1, "x", JSON, 3));
    IS_BAD_JSON(mcp_call_finish_error(call, 1, "x", "{", 1));
    CHECK_HAS(mcp_last_error(), "data_json is not valid JSON");

    /* Raw bytes have no end of their own. */
    CHECK_STATUS(mcp_call_add_image(call, "x", MCP_NUL_TERMINATED, "image/png"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "give their number instead of MCP_NUL_TERMINATED");
    CHECK_STATUS(mcp_call_add_text(call, "x", SIZE_MAX / 2 + 1), MCP_STATUS_ERR_INVALID_ARG);

    CHECK_OK(mcp_call_add_text(call, "abcdef", 3));
    CHECK_OK(mcp_call_finish_text(call, "a\0b", 3));
}

static void calls(void)
{
    peer peer;
    char *answer;
    mcp_server *server = server_with("a", check_call, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    answer = peer_call(&peer, "a", "{}");
    CHECK_HAS(answer, "\"content\":[{\"type\":\"text\",\"text\":\"abc\"},{\"type\":\"text\",\"text\":\"a\\u0000b\"}]");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void *on_another_thread(void *seen)
{
    CHECK_STR(mcp_last_error(), "");
    *(bool *)seen = true;
    return NULL;
}

static void the_last_error(void)
{
    mcp_tool *tool = NULL;
    pthread_t thread;
    bool seen = false;
    CHECK_STATUS(mcp_tool_new("a b", &tool), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "\"a b\"");
    CHECK_HAS(mcp_last_error(), "a space");
    CHECK_INT(pthread_create(&thread, NULL, on_another_thread, &seen), 0);
    pthread_join(thread, NULL);
    CHECK(seen);
    /* A function that cannot fail leaves the text alone, one that can clears it. */
    CHECK_STR(mcp_status_name(MCP_STATUS_ERR_NOT_FOUND), "MCP_STATUS_ERR_NOT_FOUND");
    CHECK(mcp_last_error()[0] != '\0');
    CHECK_OK(mcp_tool_new("a", &tool));
    CHECK_STR(mcp_last_error(), "");
    CHECK_STATUS(mcp_tool_set_annotations(tool, "{\"readonlyHint\":true}", MCP_NUL_TERMINATED),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STR(mcp_last_error(),
              "tool \"a\": /annotations: unknown key \"readonlyHint\"; did you mean \"readOnlyHint\"?");
    mcp_tool_free(tool);
}

static void hand_on(mcp_call *call, void *user_data)
{
    const char *text = NULL;
    (void)user_data;
    CHECK_STATUS(mcp_call_get_string(call, "city", &text, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_call_add_text(call, mcp_last_error(), MCP_NUL_TERMINATED));
    CHECK_STATUS(mcp_call_get_string(call, "town", &text, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_call_finish_tool_error(call, mcp_last_error(), MCP_NUL_TERMINATED));
}

static void the_last_error_as_an_argument(void)
{
    peer peer;
    char *answer;
    mcp_server *server = server_with("a", hand_on, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    answer = peer_call(&peer, "a", "{}");
    CHECK_HAS(answer, "tool \\\"a\\\" declares no argument \\\"town\\\"");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void names_and_versions(void)
{
    CHECK_STR(mcp_status_name(MCP_STATUS_OK), "MCP_STATUS_OK");
    CHECK_STR(mcp_status_name(MCP_STATUS_ERR_PANIC), "MCP_STATUS_ERR_PANIC");
    CHECK_STR(mcp_status_name(1), "MCP_STATUS_UNKNOWN");
    CHECK_STR(mcp_status_name(-1000), "MCP_STATUS_UNKNOWN");
    CHECK_INT(mcp_version_number(), MCP_VERSION_NUMBER);
    CHECK_STR(mcp_version_string(), MCP_VERSION_STRING);
}

static void numbers_that_are_no_enum_value(void)
{
    mcp_tool *tool = NULL;
    CHECK_OK(mcp_tool_new("a", &tool));
    CHECK_STATUS(mcp_tool_add_argument(tool, "x", -1, MCP_REQUIRED, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_tool_add_argument(tool, "x", 6, MCP_REQUIRED, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_tool_add_argument(tool, "x", MCP_TYPE_STRING, 2, NULL), MCP_STATUS_ERR_INVALID_ARG);
    /* Type and presence in each other's place. */
    CHECK_STATUS(mcp_tool_add_argument(tool, "x", MCP_REQUIRED, MCP_TYPE_STRING, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_tool_add_argument(tool, "x", MCP_OPTIONAL, MCP_TYPE_NUMBER, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_tool_add_argument(tool, "x", MCP_TYPE_STRING, MCP_TYPE_NUMBER, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_tool_add_argument(tool, "x", MCP_TYPE_STRING, MCP_REQUIRED, NULL));
    CHECK_STATUS(mcp_tool_set_dispatch(tool, 3), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_tool_set_dispatch(tool, -1), MCP_STATUS_ERR_INVALID_ARG);
    mcp_tool_free(tool);
}

static void options(void)
{
    mcp_server *server = NULL;
    mcp_http_config *config = NULL;
    CHECK_OK(mcp_server_new("s", "1", &server));
    CHECK_OK(mcp_server_set_option(server, "max_depth", "20"));
    CHECK_STATUS(mcp_server_set_option(server, "max_dept", "20"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "did you mean \"max_depth\"?");
    CHECK_STATUS(mcp_server_set_option(server, "max_depth", "many"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_server_set_option(server, "keep_alive_ms", "1"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STR(mcp_last_error(), "\"keep_alive_ms\" is no option of a server; mcp_http_config_set_option sets it");
    CHECK_STATUS(mcp_server_remove_tool(server, "none"), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_HAS(mcp_last_error(), "\"none\"");
    mcp_server_free(server);
    CHECK_OK(mcp_http_config_new(&config));
    CHECK_OK(mcp_http_config_set_option(config, "keep_alive_ms", "250"));
    CHECK_STATUS(mcp_http_config_set_option(config, "keepalive_ms", "250"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "did you mean \"keep_alive_ms\"?");
    CHECK_STATUS(mcp_http_config_set_option(config, "drain_ms", "250"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "mcp_server_set_option");
    CHECK_STATUS(mcp_http_config_set_bind(config, "nowhere"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_http_config_set_bind(config, "127.0.0.1:80"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "the port has mcp_http_config_set_port");
    CHECK_OK(mcp_http_config_set_bind(config, "localhost"));
    mcp_http_config_free(config);
    CHECK_STATUS(mcp_server_new("", "1", &server), MCP_STATUS_ERR_INVALID_ARG);
}

const test TESTS[] = {
    {"builders refuse bad texts", builders},
    {"calls refuse bad texts and heed lengths", calls},
    {"the last error is this thread's and says what was wrong", the_last_error},
    {"the last error may be an argument of the next call", the_last_error_as_an_argument},
    {"statuses have names, the library a version", names_and_versions},
    {"numbers that are no value of an enum are refused", numbers_that_are_no_enum_value},
    {"options are checked by name and value", options},
    {NULL, NULL},
};
