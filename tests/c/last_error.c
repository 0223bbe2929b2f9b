/* The text of the last failure, as an argument of the next call. */

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"

/* What each of these functions does with the text, and how the call is ended. */
typedef struct use {
    int (*call)(mcp_call *call, const char *text);
    int status;
    bool finishes;
    /* What the client gets, behind which the text follows. */
    const char *before;
} use;

static int finish_text(mcp_call *call, const char *text)
{
    return mcp_call_finish_text(call, text, MCP_NUL_TERMINATED);
}

static int finish_text_of_known_length(mcp_call *call, const char *text)
{
    return mcp_call_finish_text(call, text, strlen(text));
}

static int finish_tool_error(mcp_call *call, const char *text)
{
    return mcp_call_finish_tool_error(call, text, MCP_NUL_TERMINATED);
}

static int finish_error(mcp_call *call, const char *text)
{
    return mcp_call_finish_error(call, -32603, text, NULL, 0);
}

static int add_text(mcp_call *call, const char *text)
{
    return mcp_call_add_text(call, text, MCP_NUL_TERMINATED);
}

static int set_structured(mcp_call *call, const char *text)
{
    return mcp_call_set_structured(call, text, MCP_NUL_TERMINATED);
}

static int progress_without_token(mcp_call *call, const char *text)
{
    return mcp_call_progress(call, 1, 0, text);
}

static const use USES[] = {
    {finish_text, MCP_STATUS_OK, true, "\"text\":\""},
    {finish_text_of_known_length, MCP_STATUS_OK, true, "\"text\":\""},
    {finish_tool_error, MCP_STATUS_OK, true, "\"text\":\""},
    {finish_error, MCP_STATUS_OK, true, "\"message\":\""},
    {add_text, MCP_STATUS_OK, false, "\"text\":\""},
    {progress_without_token, MCP_STATUS_OK, false, NULL},
    {set_structured, MCP_STATUS_ERR_INVALID_JSON, false, NULL},
};

static const char TEXT[] = "type 99 is none of MCP_TYPE_STRING (0) to MCP_TYPE_ARRAY (5)";

static void fail(void)
{
    mcp_tool *tool = NULL;
    CHECK_OK(mcp_tool_new("t", &tool));
    CHECK_STATUS(mcp_tool_add_argument(tool, "x", 99, MCP_REQUIRED, NULL), MCP_STATUS_ERR_INVALID_ARG);
    /* It frees nothing that the text needs. */
    mcp_tool_free(tool);
    CHECK_STR(mcp_last_error(), TEXT);
}

static void hand_it_on(mcp_call *call, void *user_data)
{
    const use *use = user_data;
    fail();
    CHECK_STATUS(use->call(call, mcp_last_error()), use->status);
    if (use->status == MCP_STATUS_OK)
        CHECK_STR(mcp_last_error(), "");
    else
        CHECK_HAS(mcp_last_error(), "not valid JSON");
    if (!use->finishes)
        CHECK_OK(mcp_call_finish(call));
}

static void every_function_reads_it(void)
{
    size_t i;
    for (i = 0; i < sizeof USES / sizeof *USES; i++) {
        use use = USES[i];
        peer peer;
        char *answer, wanted[sizeof TEXT + 20] = "";
        mcp_server *server = server_with("a", hand_it_on, &use, MCP_DISPATCH_POOL);
        peer_start(&peer, server);
        answer = peer_call(&peer, "a", "{}");
        if (use.before != NULL) {
            strcat(strcat(wanted, use.before), TEXT);
            CHECK_HAS(answer, wanted);
        }
        free(answer);
        peer_stop(&peer);
        mcp_server_free(server);
    }
}

static void a_builder_reads_it(void)
{
    mcp_tool *tool = NULL;
    CHECK_OK(mcp_tool_new("t", &tool));
    fail();
    CHECK_OK(mcp_tool_set_description(tool, mcp_last_error()));
    CHECK_STR(mcp_last_error(), "");
    fail();
    CHECK_STATUS(mcp_tool_require_capability(tool, mcp_last_error()), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), TEXT);
    mcp_tool_free(tool);
}

const test TESTS[] = {
    {"every function of a call reads the text of the failure before it", every_function_reads_it},
    {"so does a builder", a_builder_reads_it},
    {NULL, NULL},
};
