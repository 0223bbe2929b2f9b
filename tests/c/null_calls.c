/* Every pointer argument of the functions of calls may be NULL: it is refused by code, or is fine where the header says
   so. */

#include <math.h>
#include <stdlib.h>

#include "harness.h"
#include "peer.h"

#define IS_NULL_ARG(call) CHECK_STATUS(call, MCP_STATUS_ERR_NULL_ARG)

static void unused_handler(mcp_call *call, void *user_data)
{
    (void)call;
    (void)user_data;
}

static void calls_without_a_call(void)
{
    const char *text = NULL;
    size_t len = 0;
    int64_t number = 0;
    double real = 0;
    bool truth = false;
    int freed = 0;
    CHECK(mcp_call_retain(NULL) == NULL);
    CHECK(mcp_call_name(NULL) == NULL);
    CHECK(!mcp_call_is_cancelled(NULL));
    CHECK(mcp_call_server(NULL) == NULL);
    CHECK_INT(mcp_call_kind(NULL), MCP_STATUS_ERR_NULL_ARG);
    IS_NULL_ARG(mcp_call_close_stream(NULL, 0));
    IS_NULL_ARG(mcp_call_request_input(NULL, "k", "{}", 2, &text, &len));
    IS_NULL_ARG(mcp_call_input(NULL, "k", &text, &len));
    IS_NULL_ARG(mcp_call_input_string(NULL, "k", "action", &text, &len));
    IS_NULL_ARG(mcp_call_input_json(NULL, "k", "action", &text, &len));
    IS_NULL_ARG(mcp_call_finish_input_required(NULL));
    IS_NULL_ARG(mcp_call_memo_get(NULL, "k", &text, &len));
    IS_NULL_ARG(mcp_call_memo_set(NULL, "k", "1", 1));
    IS_NULL_ARG(mcp_call_once(NULL, "k", &truth));
    IS_NULL_ARG(mcp_call_elicitation_id(NULL, "k", &text));
    IS_NULL_ARG(mcp_call_set_role(NULL, MCP_ROLE_USER));
    IS_NULL_ARG(mcp_call_set_description(NULL, "d"));
    IS_NULL_ARG(mcp_call_add_blob(NULL, "x", 1));
    IS_NULL_ARG(mcp_call_set_cache(NULL, 1, MCP_CACHE_PUBLIC));
    IS_NULL_ARG(mcp_call_finish_not_found(NULL));
    IS_NULL_ARG(mcp_call_add_completion(NULL, "v"));
    IS_NULL_ARG(mcp_call_set_completion_total(NULL, 1));
    IS_NULL_ARG(mcp_call_arguments(NULL, &text, &len));
    IS_NULL_ARG(mcp_call_get_string(NULL, "x", &text, &len));
    IS_NULL_ARG(mcp_call_get_int64(NULL, "x", &number));
    IS_NULL_ARG(mcp_call_get_double(NULL, "x", &real));
    IS_NULL_ARG(mcp_call_get_bool(NULL, "x", &truth));
    IS_NULL_ARG(mcp_call_get_json(NULL, "x", &text, &len));
    IS_NULL_ARG(mcp_call_meta(NULL, &text, &len));
    IS_NULL_ARG(mcp_call_header(NULL, "x", &text, &len));
    IS_NULL_ARG(mcp_call_principal(NULL, &text));
    IS_NULL_ARG(mcp_call_protocol_version(NULL, &text));
    IS_NULL_ARG(mcp_call_client_capabilities(NULL, &text, &len));
    IS_NULL_ARG(mcp_call_progress(NULL, 1, NAN, NULL));
    IS_NULL_ARG(mcp_call_log(NULL, MCP_LOG_INFO, NULL, "1", 1));
    IS_NULL_ARG(mcp_call_on_cancel(NULL, unused_handler, &freed, count_free));
    CHECK_INT(freed, 1);
    IS_NULL_ARG(mcp_call_add_text(NULL, "x", 1));
    IS_NULL_ARG(mcp_call_add_image(NULL, "x", 1, "image/png"));
    IS_NULL_ARG(mcp_call_add_audio(NULL, "x", 1, "audio/wav"));
    IS_NULL_ARG(mcp_call_add_resource_link(NULL, "a:b", "n", NULL, NULL, NULL));
    IS_NULL_ARG(mcp_call_add_resource_text(NULL, "a:b", NULL, "x", 1));
    IS_NULL_ARG(mcp_call_add_resource_blob(NULL, "a:b", NULL, "x", 1));
    IS_NULL_ARG(mcp_call_add_content(NULL, "{}", 2));
    IS_NULL_ARG(mcp_call_set_structured(NULL, "{}", 2));
    IS_NULL_ARG(mcp_call_set_meta(NULL, "{}", 2));
    IS_NULL_ARG(mcp_call_finish(NULL));
    IS_NULL_ARG(mcp_call_finish_text(NULL, "x", 1));
    IS_NULL_ARG(mcp_call_finish_json(NULL, "{}", 2));
    IS_NULL_ARG(mcp_call_finish_tool_error(NULL, "x", 1));
    IS_NULL_ARG(mcp_call_finish_error(NULL, 1, "x", NULL, 0));
    CHECK(text == NULL);
}

static void check_call_arguments(mcp_call *call, void *user_data)
{
    const char *text = NULL;
    size_t len = 0;
    int freed = 0;
    (void)user_data;
    IS_NULL_ARG(mcp_call_arguments(call, NULL, &len));
    IS_NULL_ARG(mcp_call_get_string(call, NULL, &text, &len));
    IS_NULL_ARG(mcp_call_get_string(call, "x", NULL, &len));
    IS_NULL_ARG(mcp_call_get_int64(call, NULL, NULL));
    IS_NULL_ARG(mcp_call_get_int64(call, "x", NULL));
    IS_NULL_ARG(mcp_call_get_double(call, NULL, NULL));
    IS_NULL_ARG(mcp_call_get_double(call, "x", NULL));
    IS_NULL_ARG(mcp_call_get_bool(call, NULL, NULL));
    IS_NULL_ARG(mcp_call_get_bool(call, "x", NULL));
    IS_NULL_ARG(mcp_call_get_json(call, NULL, &text, &len));
    IS_NULL_ARG(mcp_call_get_json(call, "x", NULL, &len));
    IS_NULL_ARG(mcp_call_meta(call, NULL, &len));
    IS_NULL_ARG(mcp_call_header(call, NULL, &text, &len));
    IS_NULL_ARG(mcp_call_header(call, "x", NULL, &len));
    IS_NULL_ARG(mcp_call_principal(call, NULL));
    IS_NULL_ARG(mcp_call_protocol_version(call, NULL));
    IS_NULL_ARG(mcp_call_client_capabilities(call, NULL, &len));
    IS_NULL_ARG(mcp_call_log(call, MCP_LOG_INFO, NULL, NULL, MCP_NUL_TERMINATED));
    IS_NULL_ARG(mcp_call_request_input(call, NULL, "{}", 2, &text, &len));
    IS_NULL_ARG(mcp_call_request_input(call, "k", NULL, 2, &text, &len));
    IS_NULL_ARG(mcp_call_input(call, NULL, &text, &len));
    IS_NULL_ARG(mcp_call_input(call, "k", NULL, &len));
    IS_NULL_ARG(mcp_call_input_string(call, NULL, "action", &text, &len));
    IS_NULL_ARG(mcp_call_input_string(call, "k", NULL, &text, &len));
    IS_NULL_ARG(mcp_call_input_string(call, "k", "action", NULL, &len));
    IS_NULL_ARG(mcp_call_input_json(call, NULL, "action", &text, &len));
    IS_NULL_ARG(mcp_call_input_json(call, "k", NULL, &text, &len));
    IS_NULL_ARG(mcp_call_input_json(call, "k", "action", NULL, &len));
    IS_NULL_ARG(mcp_call_memo_get(call, NULL, &text, &len));
    IS_NULL_ARG(mcp_call_memo_get(call, "k", NULL, &len));
    IS_NULL_ARG(mcp_call_memo_set(call, NULL, "1", 1));
    IS_NULL_ARG(mcp_call_memo_set(call, "k", NULL, 1));
    IS_NULL_ARG(mcp_call_once(call, NULL, NULL));
    IS_NULL_ARG(mcp_call_once(call, "k", NULL));
    IS_NULL_ARG(mcp_call_elicitation_id(call, NULL, &text));
    IS_NULL_ARG(mcp_call_elicitation_id(call, "k", NULL));
    IS_NULL_ARG(mcp_call_set_description(call, NULL));
    IS_NULL_ARG(mcp_call_add_blob(call, NULL, 1));
    IS_NULL_ARG(mcp_call_add_completion(call, NULL));
    IS_NULL_ARG(mcp_call_on_cancel(call, NULL, &freed, count_free));
    CHECK_INT(freed, 1);
    IS_NULL_ARG(mcp_call_add_text(call, NULL, MCP_NUL_TERMINATED));
    IS_NULL_ARG(mcp_call_add_image(call, NULL, 1, "image/png"));
    IS_NULL_ARG(mcp_call_add_image(call, "x", 1, NULL));
    IS_NULL_ARG(mcp_call_add_audio(call, NULL, 1, "audio/wav"));
    IS_NULL_ARG(mcp_call_add_audio(call, "x", 1, NULL));
    IS_NULL_ARG(mcp_call_add_resource_link(call, NULL, "n", NULL, NULL, NULL));
    IS_NULL_ARG(mcp_call_add_resource_link(call, "a:b", NULL, NULL, NULL, NULL));
    IS_NULL_ARG(mcp_call_add_resource_text(call, NULL, NULL, "x", 1));
    IS_NULL_ARG(mcp_call_add_resource_text(call, "a:b", NULL, NULL, 1));
    IS_NULL_ARG(mcp_call_add_resource_blob(call, NULL, NULL, "x", 1));
    IS_NULL_ARG(mcp_call_add_resource_blob(call, "a:b", NULL, NULL, 1));
    IS_NULL_ARG(mcp_call_add_content(call, NULL, 2));
    IS_NULL_ARG(mcp_call_set_structured(call, NULL, 2));
    IS_NULL_ARG(mcp_call_set_meta(call, NULL, 2));
    IS_NULL_ARG(mcp_call_finish_text(call, NULL, 1));
    IS_NULL_ARG(mcp_call_finish_json(call, NULL, 1));
    IS_NULL_ARG(mcp_call_finish_tool_error(call, NULL, 1));
    IS_NULL_ARG(mcp_call_finish_error(call, 1, NULL, NULL, 0));
    CHECK(text == NULL && len == 0);

    /* What may be NULL. */
    CHECK_OK(mcp_call_progress(call, 1, NAN, NULL));
    CHECK_OK(mcp_call_log(call, MCP_LOG_INFO, NULL, "1", 1));
    CHECK_OK(mcp_call_arguments(call, &text, NULL));
    CHECK_STR(text, "{}");
    CHECK_OK(mcp_call_meta(call, &text, NULL));
    CHECK_OK(mcp_call_client_capabilities(call, &text, NULL));
    CHECK_OK(mcp_call_add_text(call, NULL, 0));
    CHECK_OK(mcp_call_add_image(call, NULL, 0, "image/png"));
    CHECK_OK(mcp_call_add_resource_link(call, "a:b", "n", NULL, NULL, NULL));
    CHECK_OK(mcp_call_add_resource_text(call, "a:b", NULL, NULL, 0));
    CHECK_OK(mcp_call_add_resource_blob(call, "a:b", NULL, NULL, 0));
    CHECK_OK(mcp_call_finish(call));
}

static void calls(void)
{
    peer peer;
    char *answer;
    mcp_server *server = server_with("a", check_call_arguments, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    answer = peer_call(&peer, "a", "{}");
    CHECK_HAS(answer, "\"content\":[{\"type\":\"text\",\"text\":\"\"},{\"type\":\"image\"");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"functions of calls refuse a call that is NULL", calls_without_a_call},
    {"functions of calls refuse NULL", calls},
    {NULL, NULL},
};
