#include "rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

char *member(const char *answer, const char *name)
{
    char key[64];
    const char *start, *end;
    char *text;
    snprintf(key, sizeof key, "\"%s\":\"", name);
    start = answer == NULL ? NULL : strstr(answer, key);
    end = start == NULL ? NULL : strchr(start + strlen(key), '"');
    if (end == NULL)
        return NULL;
    start += strlen(key);
    text = malloc((size_t)(end - start) + 1);
    if (text == NULL)
        abort();
    memcpy(text, start, (size_t)(end - start));
    text[end - start] = '\0';
    return text;
}

char *state_of(char *answer, const char *question)
{
    char *state = member(answer, "requestState");
    CHECK_HAS(answer, "\"resultType\":\"input_required\"");
    CHECK_HAS(answer, question);
    CHECK(state != NULL);
    free(answer);
    return state == NULL ? calloc(1, 1) : state;
}

char *call_again(peer *peer, const char *tool, const char *arguments, const char *state, const char *responses)
{
    size_t size = strlen(tool) + strlen(arguments) + strlen(state) + strlen(responses) + 128;
    char *params = malloc(size);
    char *answer;
    if (params == NULL)
        abort();
    snprintf(params, size, "\"name\":\"%s\",\"arguments\":%s,\"requestState\":\"%s\",\"inputResponses\":%s", tool,
             arguments, state, responses);
    answer = peer_request(peer, "tools/call", params);
    free(params);
    return answer;
}

void check_answer(char *answer, const char *part)
{
    CHECK_HAS(answer, part);
    CHECK_LACKS(answer, "input_required");
    free(answer);
}

void book(mcp_call *call, void *user_data)
{
    const char *seat, *answer, *action;
    size_t len;
    count_up(user_data);
    if (mcp_call_request_input(call, "seat", ASK_SEAT, MCP_NUL_TERMINATED, &answer, &len) != MCP_STATUS_OK)
        return;
    CHECK_INT(strlen(answer), len);
    CHECK_OK(mcp_call_input_string(call, "seat", "action", &action, NULL));
    CHECK_HAS(answer, action);
    if (strcmp(action, "accept") == 0) {
        CHECK_OK(mcp_call_input_string(call, "seat", "/content/seat", &seat, &len));
        CHECK_INT(strlen(seat), len);
        CHECK_OK(mcp_call_finish_text(call, seat, MCP_NUL_TERMINATED));
    } else {
        CHECK_STATUS(mcp_call_input_string(call, "seat", "/content/seat", &seat, NULL), MCP_STATUS_ERR_NOT_FOUND);
        CHECK_OK(mcp_call_finish_text(call, "no seat", MCP_NUL_TERMINATED));
    }
}

void remember(mcp_call *call, void *user_data)
{
    effects *effects = user_data;
    const char *memo, *newer;
    size_t len;
    bool first = false;
    count_up(&effects->rounds);
    if (mcp_call_memo_get(call, "price", &memo, &len) == MCP_STATUS_ERR_NOT_FOUND) {
        count_up(&effects->computed);
        CHECK_OK(mcp_call_memo_set(call, "price", " [ 4, 2 ] ", MCP_NUL_TERMINATED));
        CHECK_OK(mcp_call_memo_get(call, "price", &memo, &len));
    }
    CHECK_STR(memo, "[4,2]");
    CHECK_INT(strlen(memo), len);
    CHECK_OK(mcp_call_memo_set(call, "passing", "1", 1));
    CHECK_OK(mcp_call_memo_get(call, "passing", &memo, NULL));
    CHECK_OK(mcp_call_memo_set(call, "passing", "2", 1));
    CHECK_OK(mcp_call_memo_get(call, "passing", &newer, NULL));
    CHECK_STR(memo, "1");
    CHECK_STR(newer, "2");
    if (mcp_call_request_input(call, "seat", ASK_SEAT, MCP_NUL_TERMINATED, NULL, NULL) != MCP_STATUS_OK)
        return;
    CHECK_OK(mcp_call_once(call, "pay", &first));
    if (first)
        count_up(&effects->done);
    CHECK_OK(mcp_call_once(call, "pay", &first));
    CHECK(!first);
    if (mcp_call_request_input(call, "count", ASK_COUNT, MCP_NUL_TERMINATED, NULL, NULL) != MCP_STATUS_OK)
        return;
    CHECK_OK(mcp_call_finish_text(call, "paid", MCP_NUL_TERMINATED));
}
