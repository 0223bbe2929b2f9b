/* The arguments of a call and what else its request says. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"

static const char SCHEMA[] =
    "{\"type\":\"object\",\"properties\":{\"text\":{},\"whole\":{},\"real\":{},\"truth\":{},\"list\":{},\"nested\":{},"
    "\"absent\":{},\"nothing\":{},\"big\":{},\"nul\":{}}}";

/* Runs `handler` once on `arguments`. */
static void with_arguments(mcp_handler handler, const char *arguments)
{
    mcp_server *server = NULL;
    mcp_tool *tool = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    CHECK_OK(mcp_tool_new("read", &tool));
    CHECK_OK(mcp_tool_set_input_schema(tool, SCHEMA, MCP_NUL_TERMINATED));
    CHECK_OK(mcp_server_add_tool(server, tool, handler, NULL, NULL));
    mcp_tool_free(tool);
    peer_start(&peer, server);
    answer = peer_call(&peer, "read", arguments);
    CHECK_HAS(answer, "\"text\":\"read\"");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void finish(mcp_call *call)
{
    CHECK_OK(mcp_call_finish_text(call, "read", MCP_NUL_TERMINATED));
}

static void check_strings(mcp_call *call, void *user_data)
{
    const char *text = NULL;
    const char *again = NULL;
    size_t len = 0;
    (void)user_data;
    CHECK_STR(mcp_call_name(call), "read");
    CHECK_OK(mcp_call_get_string(call, "text", &text, &len));
    CHECK_STR(text, "na\xc3\xafve \"x\"\n");
    CHECK_INT(len, 11);
    CHECK_OK(mcp_call_get_string(call, "text", &again, NULL));
    CHECK(again == text);
    CHECK_OK(mcp_call_get_string(call, "/list/1", &text, NULL));
    CHECK_STR(text, "second");
    CHECK_OK(mcp_call_get_string(call, "/nested/a~1b/~0c", &text, NULL));
    CHECK_STR(text, "deep");
    CHECK_OK(mcp_call_get_string(call, "nul", &text, &len));
    CHECK(len == 3 && memcmp(text, "a\0b", 4) == 0);
    CHECK_STATUS(mcp_call_get_string(call, "nul", &again, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "NUL");
    CHECK_OK(mcp_call_get_string(call, "/list/0", &text, &len));
    CHECK(len == 0 && text[0] == '\0');
    finish(call);
}

static void strings(void)
{
    with_arguments(check_strings,
                   "{\"text\":\"na\\u00efve \\\"x\\\"\\n\",\"list\":[\"\",\"second\"],"
                   "\"nested\":{\"a/b\":{\"~c\":\"deep\"}},\"nul\":\"a\\u0000b\"}");
}

static void check_numbers(mcp_call *call, void *user_data)
{
    static const struct {
        const char *name;
        int status;
        int64_t value;
    } WHOLE[] = {
        {"/list/0", MCP_STATUS_OK, 3},
        {"/list/1", MCP_STATUS_OK, -3},
        {"/list/2", MCP_STATUS_OK, 300},
        {"/list/3", MCP_STATUS_ERR_WRONG_TYPE, 0},
        {"/list/4", MCP_STATUS_OK, INT64_MAX},
        {"/list/5", MCP_STATUS_OK, INT64_MIN},
        {"/list/6", MCP_STATUS_ERR_OUT_OF_RANGE, 0},
        {"/list/7", MCP_STATUS_ERR_OUT_OF_RANGE, 0},
        {"/list/8", MCP_STATUS_OK, 9007199254740993},
        {"/list/9", MCP_STATUS_ERR_WRONG_TYPE, 0},
        {"truth", MCP_STATUS_ERR_WRONG_TYPE, 0},
        {"list", MCP_STATUS_ERR_WRONG_TYPE, 0},
    };
    size_t i;
    int64_t value;
    double real = 0;
    bool truth = false;
    (void)user_data;
    for (i = 0; i < sizeof WHOLE / sizeof WHOLE[0]; i++) {
        value = 77;
        CHECK_STATUS(mcp_call_get_int64(call, WHOLE[i].name, &value), WHOLE[i].status);
        CHECK(value == (WHOLE[i].status == MCP_STATUS_OK ? WHOLE[i].value : 77));
    }
    CHECK_OK(mcp_call_get_double(call, "real", &real));
    CHECK(real > 0.0999 && real < 0.1001);
    CHECK_OK(mcp_call_get_double(call, "/list/0", &real));
    CHECK(real > 2.99 && real < 3.01);
    CHECK_OK(mcp_call_get_double(call, "/list/7", &real));
    CHECK(real > 9.9e29);
    CHECK_STATUS(mcp_call_get_double(call, "truth", &real), MCP_STATUS_ERR_WRONG_TYPE);
    CHECK_OK(mcp_call_get_bool(call, "truth", &truth));
    CHECK(truth);
    CHECK_STATUS(mcp_call_get_bool(call, "real", &truth), MCP_STATUS_ERR_WRONG_TYPE);
    CHECK_HAS(mcp_last_error(), "\"real\" is a number, not true or false");
    finish(call);
}

static void numbers(void)
{
    with_arguments(check_numbers, "{\"list\":[3.0,-3,3e2,3.5,9223372036854775807,-9223372036854775808,"
                                  "9223372036854775808,1e30,9007199254740993,\"3\"],\"real\":0.1,\"truth\":true}");
}

static void check_absent(mcp_call *call, void *user_data)
{
    const char *text = "untouched";
    size_t len = 77;
    int64_t number = 77;
    double real = 7;
    bool truth = true;
    (void)user_data;
    CHECK_STATUS(mcp_call_get_string(call, "absent", &text, &len), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_get_int64(call, "absent", &number), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_get_double(call, "absent", &real), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_get_bool(call, "absent", &truth), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_get_json(call, "absent", &text, &len), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_get_string(call, "/list/7", &text, &len), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_get_string(call, "/absent/x", &text, &len), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_get_string(call, "nothing", &text, &len), MCP_STATUS_ERR_NULL_VALUE);
    CHECK_STATUS(mcp_call_get_int64(call, "nothing", &number), MCP_STATUS_ERR_NULL_VALUE);
    CHECK_STATUS(mcp_call_get_double(call, "nothing", &real), MCP_STATUS_ERR_NULL_VALUE);
    CHECK_STATUS(mcp_call_get_bool(call, "nothing", &truth), MCP_STATUS_ERR_NULL_VALUE);
    CHECK_STATUS(mcp_call_get_json(call, "nothing", &text, &len), MCP_STATUS_ERR_NULL_VALUE);
    CHECK_STATUS(mcp_call_get_string(call, "mistake", &text, &len), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "\"mistake\"");
    CHECK_STATUS(mcp_call_get_int64(call, "/mistake/0", &number), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_get_string(call, "whole", &text, &len), MCP_STATUS_ERR_WRONG_TYPE);
    CHECK_STR(text, "untouched");
    CHECK(len == 77 && number == 77 && truth);
    /* A name outside the schema that the client gave is there. */
    CHECK_OK(mcp_call_get_int64(call, "extra", &number));
    CHECK_INT(number, 1);
    finish(call);
}

static void absent_null_and_unknown(void)
{
    with_arguments(check_absent, "{\"nothing\":null,\"whole\":5,\"list\":[1],\"extra\":1}");
}

static void check_json(mcp_call *call, void *user_data)
{
    const char *text = NULL;
    size_t len = 0;
    (void)user_data;
    CHECK_OK(mcp_call_arguments(call, &text, &len));
    CHECK_STR(text, "{\"big\":123456789012345678901234567890, \"nested\":{ \"a\": [1.0,null] } }");
    CHECK_INT(len, strlen(text));
    CHECK_OK(mcp_call_get_json(call, "big", &text, &len));
    CHECK_STR(text, "123456789012345678901234567890");
    CHECK_OK(mcp_call_get_json(call, "nested", &text, NULL));
    CHECK_STR(text, "{ \"a\": [1.0,null] }");
    CHECK_OK(mcp_call_get_json(call, "/nested/a", &text, &len));
    CHECK_STR(text, "[1.0,null]");
    CHECK_OK(mcp_call_meta(call, &text, &len));
    CHECK(len == strlen(text) && text[0] == '{');
    CHECK_HAS(text, "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"");
    CHECK_OK(mcp_call_client_capabilities(call, &text, &len));
    CHECK_STR(text, "{}");
    CHECK_OK(mcp_call_protocol_version(call, &text));
    CHECK_STR(text, "2026-07-28");
    CHECK_STATUS(mcp_call_header(call, "Mcp-Method", &text, &len), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_HAS(mcp_last_error(), "HTTP");
    finish(call);
}

static void json_and_the_request(void)
{
    with_arguments(check_json, "{\"big\":123456789012345678901234567890, \"nested\":{ \"a\": [1.0,null] } }");
}

static void *read_again(void *context)
{
    mcp_call *call = context;
    const char *text = NULL;
    int i;
    for (i = 0; i < 200; i++) {
        CHECK_OK(mcp_call_get_string(call, "text", &text, NULL));
        CHECK_STR(text, "shared");
        CHECK_OK(mcp_call_get_json(call, "list", &text, NULL));
        CHECK_STR(text, "[1]");
    }
    return NULL;
}

static void check_threads(mcp_call *call, void *user_data)
{
    pthread_t threads[4];
    int i;
    (void)user_data;
    for (i = 0; i < 4; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, read_again, call), 0);
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    finish(call);
}

static void reading_from_several_threads(void)
{
    with_arguments(check_threads, "{\"text\":\"shared\",\"list\":[1]}");
}

static mcp_call *kept;
static const char *kept_text;
static int kept_count;

static void keep(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_get_string(call, "text", &kept_text, NULL));
    kept = mcp_call_retain(call);
    finish(call);
    count_up(&kept_count);
}

static void borrowed_texts_outlive_the_handler(void)
{
    kept_count = 0;
    with_arguments(keep, "{\"text\":\"kept\"}");
    CHECK(wait_for_count(&kept_count, 1));
    /* The server is gone, the call is not. */
    CHECK_STR(kept_text, "kept");
    CHECK_STR(mcp_call_name(kept), "read");
    mcp_call_release(kept);
}

const test TESTS[] = {
    {"strings, by name and by pointer", strings},
    {"numbers and booleans, with their ranges", numbers},
    {"absent, null and unknown arguments differ", absent_null_and_unknown},
    {"JSON texts are the client's own", json_and_the_request},
    {"several threads may read one call", reading_from_several_threads},
    {"borrowed texts live as long as the call", borrowed_texts_outlive_the_handler},
    {NULL, NULL},
};
