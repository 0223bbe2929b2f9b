/* Completion: one handler for the arguments of prompts and the variables of templates. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"

static void unused(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish(call));
}

static mcp_server *server_to_complete(mcp_handler handler, void *user_data, mcp_free_fn user_free)
{
    mcp_server *server = NULL;
    mcp_prompt *prompt = NULL;
    mcp_resource_template *resource_template = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    CHECK_OK(mcp_prompt_new("greet", &prompt));
    CHECK_OK(mcp_prompt_add_argument(prompt, "who", MCP_REQUIRED, NULL));
    CHECK_OK(mcp_prompt_add_argument(prompt, "how", MCP_OPTIONAL, NULL));
    CHECK_OK(mcp_server_add_prompt(server, prompt, unused, NULL, NULL));
    mcp_prompt_free(prompt);
    CHECK_OK(mcp_resource_template_new("x:{folder}/{name}", "n", &resource_template));
    CHECK_OK(mcp_server_add_resource_template(server, resource_template, unused, NULL, NULL));
    mcp_resource_template_free(resource_template);
    CHECK_OK(mcp_server_set_completion(server, handler, user_data, user_free));
    return server;
}

static const char OF_PROMPT[] =
    "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},\"argument\":{\"name\":\"who\",\"value\":\"a\"},"
    "\"context\":{\"arguments\":{\"how\":\"loud\"}}";
static const char OF_TEMPLATE[] =
    "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x:{folder}/{name}\"},\"argument\":{\"name\":\"folder\",\"value\":\"\"}";

static void complete(mcp_call *call, void *user_data)
{
    const char *text, *json;
    count_up(user_data);
    CHECK_INT(mcp_call_kind(call), MCP_CALL_COMPLETION);
    if (strcmp(mcp_call_name(call), "greet") == 0) {
        CHECK_OK(mcp_call_get_string(call, "/ref/type", &text, NULL));
        CHECK_STR(text, "ref/prompt");
        CHECK_OK(mcp_call_get_string(call, "/argument/name", &text, NULL));
        CHECK_STR(text, "who");
        CHECK_OK(mcp_call_get_string(call, "/context/arguments/how", &text, NULL));
        CHECK_STR(text, "loud");
        CHECK_OK(mcp_call_get_json(call, "argument", &json, NULL));
        CHECK_HAS(json, "\"value\":\"a\"");
    } else {
        CHECK_STR(mcp_call_name(call), "x:{folder}/{name}");
        CHECK_STATUS(mcp_call_get_string(call, "/context/arguments/name", &text, NULL), MCP_STATUS_ERR_NOT_FOUND);
    }
    CHECK_STATUS(mcp_call_get_string(call, "value", &text, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_add_text(call, "t", 1), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_request_input(call, "k", "{\"method\":\"roots/list\"}", MCP_NUL_TERMINATED, NULL, NULL),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_call_add_completion(call, "ann"));
    CHECK_OK(mcp_call_add_completion(call, "a \"b\""));
    CHECK_OK(mcp_call_finish(call));
}

static void values(void)
{
    static const char *const REVISIONS[] = {NULL, "2025-11-25", "2024-11-05"};
    size_t i;
    for (i = 0; i < 3; i++) {
        int calls = 0;
        peer peer;
        char *answer;
        mcp_server *server = server_to_complete(complete, &calls, NULL);
        peer_start(&peer, server);
        if (REVISIONS[i] != NULL)
            free(peer_initialize(&peer, REVISIONS[i], "{}"));
        answer = peer_request(&peer, "completion/complete", OF_PROMPT);
        CHECK_HAS(answer, "\"completion\":{\"values\":[\"ann\",\"a \\\"b\\\"\"],\"hasMore\":false}");
        free(answer);
        answer = peer_request(&peer, "completion/complete", OF_TEMPLATE);
        CHECK_HAS(answer, "\"values\":[\"ann\"");
        free(answer);
        answer = peer_request(&peer, "completion/complete",
                              "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"none\"},"
                              "\"argument\":{\"name\":\"who\",\"value\":\"a\"}");
        CHECK_HAS(answer, "\"code\":-32602");
        free(answer);
        peer_stop(&peer);
        CHECK_INT(count_of(&calls), 2);
        mcp_server_free(server);
    }
}

static void add_many(mcp_call *call, void *user_data)
{
    int i;
    char value[16];
    for (i = 0; i < 130; i++) {
        snprintf(value, sizeof value, "v%d", i);
        CHECK_OK(mcp_call_add_completion(call, value));
    }
    if (user_data != NULL)
        CHECK_OK(mcp_call_set_completion_total(call, 1000));
    CHECK_OK(mcp_call_finish(call));
}

static void many_values(void)
{
    int with_total = 0;
    peer peer;
    char *answer;
    mcp_server *server = server_to_complete(add_many, NULL, NULL);
    peer_start(&peer, server);
    answer = peer_request(&peer, "completion/complete", OF_PROMPT);
    CHECK_HAS(answer, "\"v99\"],\"hasMore\":true");
    CHECK_LACKS(answer, "v100");
    free(answer);
    CHECK_OK(mcp_server_set_completion(server, add_many, &with_total, NULL));
    answer = peer_request(&peer, "completion/complete", OF_PROMPT);
    CHECK_HAS(answer, "\"v99\"],\"total\":1000,\"hasMore\":true");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void whole_result(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_STATUS(mcp_call_finish_json(call, "{\"values\":[]}", MCP_NUL_TERMINATED), MCP_STATUS_ERR_INVALID_RESULT);
    CHECK_OK(mcp_call_finish_json(call, "{\"completion\":{\"values\":[\"w\"],\"total\":3}}", MCP_NUL_TERMINATED));
}

static void a_whole_result(void)
{
    peer peer;
    char *answer;
    mcp_server *server = server_to_complete(whole_result, NULL, NULL);
    peer_start(&peer, server);
    answer = peer_request(&peer, "completion/complete", OF_PROMPT);
    CHECK_HAS(answer, "\"values\":[\"w\"],\"total\":3,\"hasMore\":true");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void replaced_and_taken_away(void)
{
    int first = 0, second = 0, third = 0;
    peer peer;
    char *answer;
    mcp_server *server = server_to_complete(complete, &first, count_free);
    CHECK_OK(mcp_server_set_completion(server, unused, &second, count_free));
    CHECK_INT(first, 1);
    peer_start(&peer, server);
    answer = peer_request(&peer, "server/discover", "");
    CHECK_HAS(answer, "\"completions\":{}");
    free(answer);
    answer = peer_request(&peer, "completion/complete", OF_TEMPLATE);
    CHECK_HAS(answer, "\"values\":[],\"hasMore\":false");
    free(answer);
    CHECK_OK(mcp_server_set_completion(server, NULL, &third, count_free));
    CHECK_INT(third, 1);
    CHECK(wait_for_count(&second, 1));
    answer = peer_request(&peer, "completion/complete", OF_TEMPLATE);
    CHECK_HAS(answer, "\"error\":{\"code\":-32603");
    free(answer);
    peer_stop(&peer);
    CHECK_OK(mcp_server_set_completion(server, unused, &first, count_free));
    mcp_server_free(server);
    CHECK(first == 2 && second == 1 && third == 1);
}

const test TESTS[] = {
    {"a handler gives values for prompts and templates", values},
    {"clients are sent the first hundred", many_values},
    {"a whole result may be given", a_whole_result},
    {"the handler may be replaced and taken away", replaced_and_taken_away},
    {NULL, NULL},
};
