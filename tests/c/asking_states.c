/* What is kept between the rounds of a call: the state that the client carries, memos, and marks of effects. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "rounds.h"

static mcp_server *new_server(void)
{
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    return server;
}

static void is_refused(peer *peer, const char *tool, const char *arguments, const char *state)
{
    char *answer = call_again(peer, tool, arguments, state, "{\"seat\":{\"action\":\"decline\"}}");
    CHECK_HAS(answer, "\"error\":{\"code\":-32602");
    free(answer);
}

static void a_state_that_is_not_ours(void)
{
    int rounds = 0, ran;
    size_t at, len;
    peer peer;
    char *state;
    mcp_server *server = new_server();
    add_plain_tool(server, "book", book, &rounds, NULL, MCP_DISPATCH_POOL);
    add_plain_tool(server, "other", book, &rounds, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    peer.capabilities = ASKS_FORMS;
    state = state_of(peer_call(&peer, "book", "{}"), "Say seat");
    ran = count_of(&rounds);
    len = strlen(state);
    for (at = 0; at < len; at += len / 7 + 1) {
        char was = state[at];
        state[at] = was == 'A' ? 'B' : 'A';
        is_refused(&peer, "book", "{}", state);
        state[at] = was;
    }
    is_refused(&peer, "other", "{}", state);
    is_refused(&peer, "book", "{}", "");
    is_refused(&peer, "book", "{}", "bm90IG91cnM");
    CHECK_INT(count_of(&rounds), ran);
    check_answer(call_again(&peer, "book", "{}", state, "{\"seat\":{\"action\":\"decline\"}}"), "no seat");
    free(state);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void principal_of_rounds(mcp_call *call, void *user_data)
{
    const char *principal = "nobody";
    mcp_call_principal(call, &principal);
    count_up(user_data);
    if (mcp_call_request_input(call, "seat", ASK_SEAT, MCP_NUL_TERMINATED, NULL, NULL) == MCP_STATUS_OK)
        CHECK_OK(mcp_call_finish_text(call, principal, MCP_NUL_TERMINATED));
}

typedef struct mailbox {
    char last[8192];
    int messages;
} mailbox;

static void deliver(const char *message, size_t len, void *user_data)
{
    mailbox *mailbox = user_data;
    CHECK(len < sizeof mailbox->last);
    memcpy(mailbox->last, message, len + 1);
    count_up(&mailbox->messages);
}

static void a_state_belongs_to_its_principal(void)
{
    static const char PARAMS[] = "\"name\":\"a\",\"requestState\":\"%s\",\"inputResponses\":{\"seat\":{\"action\":\"decline\"}}";
    static const char FORM[] = "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{%s,\"_meta\":{"
                               "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                               "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}}}}";
    static const char *const WHO[] = {"bob", "alice"};
    char params[4096], request[8192];
    mailbox mailbox = {"", 0};
    int rounds = 0, i;
    char *state;
    mcp_session *session = NULL;
    mcp_server *server = server_with("a", principal_of_rounds, &rounds, MCP_DISPATCH_INLINE);
    CHECK_OK(mcp_session_new(server, deliver, &mailbox, NULL, &session));
    CHECK_OK(mcp_session_set_principal(session, "alice"));
    snprintf(request, sizeof request, FORM, 1, "\"name\":\"a\"");
    CHECK_OK(mcp_session_receive(session, request, MCP_NUL_TERMINATED));
    CHECK(wait_for_count(&mailbox.messages, 1));
    state = member(mailbox.last, "requestState");
    CHECK(state != NULL);
    snprintf(params, sizeof params, PARAMS, state == NULL ? "" : state);
    for (i = 0; i < 2; i++) {
        CHECK_OK(mcp_session_set_principal(session, WHO[i]));
        snprintf(request, sizeof request, FORM, i + 2, params);
        CHECK_OK(mcp_session_receive(session, request, MCP_NUL_TERMINATED));
        CHECK(wait_for_count(&mailbox.messages, i + 2));
        CHECK_HAS(mailbox.last, i == 0 ? "\"code\":-32602" : "\"text\":\"alice\"");
    }
    free(state);
    mcp_session_free(session);
    mcp_server_free(server);
}

static void memos_and_effects(void)
{
    static const char SEAT[] = "{\"seat\":{\"action\":\"decline\"}}";
    static const char OTHER_SEAT[] = "{\"seat\":{\"action\":\"cancel\"}}";
    static const char COUNT[] = "{\"count\":{\"action\":\"decline\"}}";
    effects effects = {0, 0, 0};
    peer peer;
    char *first, *second, *other;
    mcp_server *server = server_with("a", remember, &effects, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    peer.capabilities = ASKS_FORMS;
    first = state_of(peer_call(&peer, "a", "{}"), "Say seat");
    second = state_of(call_again(&peer, "a", "{}", first, SEAT), "Say count");
    CHECK_INT(count_of(&effects.done), 1);
    /* An old round that comes again, with another answer, has the effect no second time. */
    other = state_of(call_again(&peer, "a", "{}", first, OTHER_SEAT), "Say count");
    CHECK_INT(count_of(&effects.done), 1);
    check_answer(call_again(&peer, "a", "{}", second, COUNT), "paid");
    CHECK_INT(count_of(&effects.rounds), 4);
    /* The same round once more gets the same answer, and runs nothing. */
    check_answer(call_again(&peer, "a", "{}", second, COUNT), "paid");
    CHECK_INT(count_of(&effects.rounds), 4);
    CHECK_INT(count_of(&effects.computed), 1);
    free(first);
    free(second);
    free(other);
    peer_stop(&peer);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"a state that is not ours is refused", a_state_that_is_not_ours},
    {"a state belongs to its principal", a_state_belongs_to_its_principal},
    {"memos are kept and effects happen once", memos_and_effects},
    {NULL, NULL},
};
