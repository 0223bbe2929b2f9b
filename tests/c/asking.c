/* Asking the client: a handler names its question, returns, and runs again with the answer; in both eras. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"

#define FORM(field, type)                                                                                              \
    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Say " field "\",\"requestedSchema\":"               \
    "{\"type\":\"object\",\"properties\":{\"" field "\":{\"type\":\"" type "\"}},\"required\":[\"" field "\"]}}}"

static const char ASK_SEAT[] = FORM("seat", "string");
static const char ASK_COUNT[] = FORM("count", "integer");
static const char ASKS_FORMS[] = "{\"elicitation\":{\"form\":{}}}";

static mcp_server *new_server(void)
{
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    return server;
}

/* The text of the member `name` of an answer, a string without escapes. Free it. */
static char *member(const char *answer, const char *name)
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

/* The answer to a call of `tool` that echoes `state` with `responses`, a JSON object. Free it. */
static char *call_again(peer *peer, const char *tool, const char *arguments, const char *state, const char *responses)
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

/* The state of an answer that asks for `question`, which is freed. */
static char *state_of(char *answer, const char *question)
{
    char *state = member(answer, "requestState");
    CHECK_HAS(answer, "\"resultType\":\"input_required\"");
    CHECK_HAS(answer, question);
    CHECK(state != NULL);
    free(answer);
    return state == NULL ? calloc(1, 1) : state;
}

static void check_answer(char *answer, const char *part)
{
    CHECK_HAS(answer, part);
    CHECK_LACKS(answer, "input_required");
    free(answer);
}

/* Asks for a seat, and counts its rounds. */
static void book(mcp_call *call, void *user_data)
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

static void a_round_trip(void)
{
    int rounds = 0;
    peer peer;
    char *state;
    mcp_server *server = server_with("book", book, &rounds, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    peer.capabilities = ASKS_FORMS;
    state = state_of(peer_call(&peer, "book", "{}"), "\"inputRequests\":{\"seat\":{\"method\":\"elicitation/create\"");
    check_answer(call_again(&peer, "book", "{}", state, "{\"seat\":{\"action\":\"decline\"}}"), "\"text\":\"no seat\"");
    CHECK_INT(count_of(&rounds), 2);
    free(state);
    state = state_of(peer_call(&peer, "book", "{}"), "Say seat");
    check_answer(call_again(&peer, "book", "{}", state, "{\"seat\":{\"action\":\"accept\",\"content\":{\"seat\":\"12A\"}}}"),
                 "\"text\":\"12A\"");
    free(state);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void answers_that_are_none(void)
{
    static const char *const RESPONSES[] = {
        "{}",
        "{\"other\":{\"action\":\"accept\",\"content\":{\"seat\":\"12A\"}}}",
        "{\"seat\":{\"action\":\"accept\"}}",
        "{\"seat\":{\"action\":\"accept\",\"content\":{\"seat\":12}}}",
        "{\"seat\":{\"action\":\"perhaps\"}}",
        "{\"seat\":\"12A\"}",
    };
    size_t i;
    int rounds = 0;
    peer peer;
    mcp_server *server = server_with("book", book, &rounds, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    peer.capabilities = ASKS_FORMS;
    for (i = 0; i < sizeof RESPONSES / sizeof *RESPONSES; i++) {
        char *state = state_of(peer_call(&peer, "book", "{}"), "Say seat");
        char *again = state_of(call_again(&peer, "book", "{}", state, RESPONSES[i]), "Say seat");
        CHECK(strcmp(state, again) != 0);
        free(again);
        free(state);
    }
    peer_stop(&peer);
    mcp_server_free(server);
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

static void is_refused_to_start(mcp_call *call, void *user_data)
{
    const char *text;
    (void)user_data;
    CHECK_STATUS(mcp_call_request_input(call, "k", "{\"method\":\"ping\"}", MCP_NUL_TERMINATED, NULL, NULL),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "elicitation/create");
    CHECK_STATUS(mcp_call_request_input(call, "k", "{\"method\":\"elicitation/create\",\"params\":{\"massage\":\"m\"}}",
                                        MCP_NUL_TERMINATED, NULL, NULL),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "did you mean \"message\"?");
    CHECK_STATUS(mcp_call_request_input(call, "k", "{", 1, NULL, NULL), MCP_STATUS_ERR_INVALID_JSON);
    CHECK_STATUS(mcp_call_request_input(call, "k", "{\"\xff\":1}", MCP_NUL_TERMINATED, NULL, NULL),
                 MCP_STATUS_ERR_INVALID_UTF8);
    CHECK_STATUS(mcp_call_request_input(call, "", ASK_SEAT, MCP_NUL_TERMINATED, NULL, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_input(call, "k", &text, NULL), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_input_string(call, "k", "action", &text, NULL), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_finish_input_required(call), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_memo_set(call, "m", "text", MCP_NUL_TERMINATED), MCP_STATUS_ERR_INVALID_JSON);
    CHECK_HAS(mcp_last_error(), "in quotes");
    /* Nothing of that was asked. */
    CHECK_OK(mcp_call_finish_text(call, "nothing asked", MCP_NUL_TERMINATED));
    CHECK_STATUS(mcp_call_request_input(call, "k", ASK_SEAT, MCP_NUL_TERMINATED, NULL, NULL),
                 MCP_STATUS_ERR_ALREADY_FINISHED);
    CHECK_STATUS(mcp_call_input(call, "k", &text, NULL), MCP_STATUS_ERR_ALREADY_FINISHED);
}

static void questions_that_are_none(void)
{
    peer peer;
    mcp_server *server = server_with("a", is_refused_to_start, NULL, MCP_DISPATCH_INLINE);
    peer_start(&peer, server);
    peer.capabilities = ASKS_FORMS;
    check_answer(peer_call(&peer, "a", "{}"), "nothing asked");
    peer_stop(&peer);
    mcp_server_free(server);
}

/* Asks for two things at once, and finishes with both. */
static void ask_two(mcp_call *call, void *user_data)
{
    char text[64];
    const char *seat, *count;
    int first = mcp_call_request_input(call, "seat", ASK_SEAT, MCP_NUL_TERMINATED, NULL, NULL);
    int second = mcp_call_request_input(call, "count", ASK_COUNT, MCP_NUL_TERMINATED, NULL, NULL);
    count_up(user_data);
    if (first != MCP_STATUS_OK || second != MCP_STATUS_OK) {
        CHECK_OK(mcp_call_finish_input_required(call));
        return;
    }
    CHECK_OK(mcp_call_input_string(call, "seat", "/content/seat", &seat, NULL));
    CHECK_STATUS(mcp_call_input_string(call, "count", "/content/count", &count, NULL), MCP_STATUS_ERR_WRONG_TYPE);
    CHECK_HAS(mcp_last_error(), "mcp_call_input_json");
    CHECK_OK(mcp_call_input_json(call, "count", "/content/count", &count, NULL));
    snprintf(text, sizeof text, "%s times %s", count, seat);
    CHECK_OK(mcp_call_finish_text(call, text, MCP_NUL_TERMINATED));
}

static void several_questions(void)
{
    int rounds = 0;
    peer peer;
    char *answer, *state, *next;
    mcp_server *server = server_with("two", ask_two, &rounds, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    peer.capabilities = ASKS_FORMS;
    answer = peer_call(&peer, "two", "{}");
    CHECK_HAS(answer, "Say seat");
    state = state_of(answer, "Say count");
    answer = call_again(&peer, "two", "{}", state, "{\"seat\":{\"action\":\"accept\",\"content\":{\"seat\":\"12A\"}}}");
    CHECK_LACKS(answer, "Say seat");
    next = state_of(answer, "Say count");
    check_answer(call_again(&peer, "two", "{}", next, "{\"count\":{\"action\":\"accept\",\"content\":{\"count\":3}}}"),
                 "\"text\":\"3 times 12A\"");
    CHECK_INT(count_of(&rounds), 3);
    free(next);
    free(state);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void look_at_the_answer(mcp_call *call, void *user_data)
{
    const char *first, *second, *text, *unread = NULL;
    size_t len = 0;
    (void)user_data;
    if (mcp_call_request_input(call, "seat", ASK_SEAT, MCP_NUL_TERMINATED, &first, NULL) != MCP_STATUS_OK)
        return;
    CHECK_OK(mcp_call_input(call, "seat", &second, &len));
    CHECK(first == second && strlen(first) == len);
    CHECK_STATUS(mcp_call_input_string(call, "seat", "/content", &text, NULL), MCP_STATUS_ERR_WRONG_TYPE);
    CHECK_OK(mcp_call_input_json(call, "seat", "content", &text, NULL));
    CHECK_STR(text, "{\"seat\":\"a\\u0000b\", \"more\": null}");
    CHECK_STATUS(mcp_call_input_json(call, "seat", "/content/more", &text, NULL), MCP_STATUS_ERR_NULL_VALUE);
    CHECK_STATUS(mcp_call_input_json(call, "seat", "/content/none", &text, NULL), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_input_json(call, "other", "action", &text, NULL), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_input_string(call, "seat", "/content/seat", &unread, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "NUL");
    CHECK(unread == NULL);
    CHECK_OK(mcp_call_input_string(call, "seat", "/content/seat", &text, &len));
    CHECK(len == 3 && memcmp(text, "a\0b", 4) == 0);
    CHECK_OK(mcp_call_finish_text(call, "looked", MCP_NUL_TERMINATED));
    /* What was borrowed stays until the call goes. */
    CHECK_HAS(first, "accept");
    CHECK_STR(second, first);
}

static void parts_of_an_answer(void)
{
    peer peer;
    char *state;
    mcp_server *server = server_with("look", look_at_the_answer, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    peer.capabilities = ASKS_FORMS;
    state = state_of(peer_call(&peer, "look", "{}"), "Say seat");
    check_answer(call_again(&peer, "look", "{}", state,
                            "{\"seat\":{\"action\":\"accept\",\"content\":{\"seat\":\"a\\u0000b\", \"more\": null}}}"),
                 "looked");
    free(state);
    peer_stop(&peer);
    mcp_server_free(server);
}

/* Goes on without an answer if the client cannot give one, in the way that `user_data` says. */
static void ask_who_cannot_be_asked(mcp_call *call, void *user_data)
{
    int status = mcp_call_request_input(call, "seat", ASK_SEAT, MCP_NUL_TERMINATED, NULL, NULL);
    if (status == MCP_STATUS_ERR_MISSING_CAPABILITY) {
        CHECK_HAS(mcp_last_error(), "elicitation");
        if (user_data != NULL)
            CHECK_OK(mcp_call_finish_text(call, "any seat", MCP_NUL_TERMINATED));
    } else {
        CHECK_STATUS(status, MCP_STATUS_ERR_INPUT_REQUIRED);
    }
}

static void a_client_that_cannot_be_asked(void)
{
    static char goes_on[] = "goes on";
    mcp_server *server = new_server();
    peer peer;
    char *answer;
    add_plain_tool(server, "needs", ask_who_cannot_be_asked, NULL, NULL, MCP_DISPATCH_POOL);
    add_plain_tool(server, "likes", ask_who_cannot_be_asked, goes_on, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    answer = peer_call(&peer, "needs", "{}");
    CHECK_HAS(answer, "\"code\":-32021");
    CHECK_HAS(answer, "\"requiredCapabilities\":{\"elicitation\":{\"form\":{}}}");
    free(answer);
    check_answer(peer_call(&peer, "likes", "{}"), "any seat");
    free(peer_initialize(&peer, "2025-11-25", "{}"));
    check_answer(peer_call(&peer, "needs", "{}"), "\"isError\":true");
    check_answer(peer_call(&peer, "likes", "{}"), "any seat");
    peer_stop(&peer);
    mcp_server_free(server);
}

static void finish_all_the_same(mcp_call *call, void *user_data)
{
    int how = *(int *)user_data;
    if (mcp_call_request_input(call, "seat", ASK_SEAT, MCP_NUL_TERMINATED, NULL, NULL) == MCP_STATUS_OK) {
        CHECK_OK(mcp_call_finish_text(call, "answered", MCP_NUL_TERMINATED));
        return;
    }
    CHECK_STATUS(how == 0   ? mcp_call_finish(call)
                 : how == 1 ? mcp_call_finish_text(call, "dropped", MCP_NUL_TERMINATED)
                 : how == 2 ? mcp_call_finish_json(call, "{\"content\":[]}", MCP_NUL_TERMINATED)
                 : how == 3 ? mcp_call_finish_tool_error(call, "dropped", MCP_NUL_TERMINATED)
                            : mcp_call_finish_error(call, -32603, "dropped", NULL, 0),
                 MCP_STATUS_ERR_INPUT_REQUIRED);
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_ALREADY_FINISHED);
}

static void ignore_line(int level, const char *message, void *user_data)
{
    (void)level;
    (void)message;
    (void)user_data;
}

static void a_finish_after_the_question(void)
{
    int how = 0;
    peer peer;
    mcp_server *server = server_with("a", finish_all_the_same, &how, MCP_DISPATCH_INLINE);
    CHECK_OK(mcp_set_log_handler(ignore_line, NULL, NULL));
    peer_start(&peer, server);
    peer.capabilities = ASKS_FORMS;
    for (how = 0; how < 5; how++) {
        char *state = state_of(peer_call(&peer, "a", "{}"), "Say seat");
        check_answer(call_again(&peer, "a", "{}", state, "{\"seat\":{\"action\":\"cancel\"}}"), "answered");
        free(state);
    }
    peer_stop(&peer);
    mcp_server_free(server);
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
}

typedef struct later {
    mcp_call *kept;
    int ready;
    bool finishes;
} later;

static void *ask_later(void *user_data)
{
    later *later = user_data;
    CHECK_STATUS(mcp_call_request_input(later->kept, "seat", ASK_SEAT, MCP_NUL_TERMINATED, NULL, NULL),
                 MCP_STATUS_ERR_INPUT_REQUIRED);
    if (later->finishes)
        CHECK_OK(mcp_call_finish_input_required(later->kept));
    mcp_call_release(later->kept);
    return NULL;
}

static void keep_and_ask(mcp_call *call, void *user_data)
{
    later *later = user_data;
    const char *answer;
    if (mcp_call_input(call, "seat", &answer, NULL) == MCP_STATUS_OK) {
        CHECK_OK(mcp_call_finish_text(call, "answered", MCP_NUL_TERMINATED));
        return;
    }
    later->kept = mcp_call_retain(call);
    count_up(&later->ready);
}

static void a_question_from_another_thread(void)
{
    later later = {NULL, 0, false};
    peer peer;
    int i;
    mcp_server *server = server_with("a", keep_and_ask, &later, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    peer.capabilities = ASKS_FORMS;
    for (i = 0; i < 2; i++) {
        pthread_t asking;
        char *state;
        int id = peer_send_call(&peer, "a", "{}");
        CHECK(wait_for_count(&later.ready, i + 1));
        later.finishes = i == 1;
        CHECK_INT(pthread_create(&asking, NULL, ask_later, &later), 0);
        state = state_of(peer_answer(&peer, id), "Say seat");
        pthread_join(asking, NULL);
        check_answer(call_again(&peer, "a", "{}", state, "{\"seat\":{\"action\":\"cancel\"}}"), "answered");
        free(state);
    }
    peer_stop(&peer);
    mcp_server_free(server);
}

typedef struct effects {
    int computed;
    int done;
    int rounds;
} effects;

static void remember(mcp_call *call, void *user_data)
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

/* The params of a request of a resource or prompt in its second round. */
static void second_round(char *params, size_t size, const char *first, char *state)
{
    snprintf(params, size, "%s,\"requestState\":\"%s\",\"inputResponses\":{\"seat\":{\"action\":\"accept\","
                           "\"content\":{\"seat\":\"12A\"}}}", first, state);
    free(state);
}

static void prompts_and_resources(void)
{
    int rounds = 0;
    char params[4096];
    peer peer;
    mcp_prompt *prompt = NULL;
    mcp_resource *resource = NULL;
    mcp_server *server = new_server();
    CHECK_OK(mcp_prompt_new("p", &prompt));
    CHECK_OK(mcp_server_add_prompt(server, prompt, book, &rounds, NULL));
    mcp_prompt_free(prompt);
    CHECK_OK(mcp_resource_new("x:r", "r", &resource));
    CHECK_OK(mcp_server_add_resource(server, resource, book, &rounds, NULL));
    mcp_resource_free(resource);
    peer_start(&peer, server);
    peer.capabilities = ASKS_FORMS;
    second_round(params, sizeof params, "\"name\":\"p\"",
                 state_of(peer_request(&peer, "prompts/get", "\"name\":\"p\""), "Say seat"));
    check_answer(peer_request(&peer, "prompts/get", params), "\"content\":{\"type\":\"text\",\"text\":\"12A\"}");
    second_round(params, sizeof params, "\"uri\":\"x:r\"",
                 state_of(peer_request(&peer, "resources/read", "\"uri\":\"x:r\""), "Say seat"));
    check_answer(peer_request(&peer, "resources/read", params), "\"uri\":\"x:r\",\"text\":\"12A\"");
    CHECK_INT(count_of(&rounds), 4);
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

/* The next message of the server's that is a request of `method`; its id comes out. Free it. */
static char *request_from_server(peer *peer, const char *method, int *id)
{
    char *line = peer_read(peer);
    const char *at = line == NULL ? NULL : strstr(line, "\"id\":");
    CHECK_HAS(line, method);
    *id = at == NULL ? -1 : atoi(at + 5);
    return line;
}

static void respond(peer *peer, int id, const char *result)
{
    char line[1024];
    snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":%s}", id, result);
    peer_send_line(peer, line);
}

static void older_clients(void)
{
    static const struct {
        const char *revision, *capabilities;
    } CLIENTS[] = {
        {"2025-06-18", "{\"elicitation\":{}}"},
        {"2025-11-25", "{\"elicitation\":{\"form\":{}}}"},
    };
    size_t i;
    for (i = 0; i < 2; i++) {
        int rounds = 0, id, question;
        peer peer;
        mcp_server *server = server_with("book", book, &rounds, MCP_DISPATCH_POOL);
        peer_start(&peer, server);
        free(peer_initialize(&peer, CLIENTS[i].revision, CLIENTS[i].capabilities));
        id = peer_send_call(&peer, "book", "{}");
        free(request_from_server(&peer, "\"method\":\"elicitation/create\"", &question));
        respond(&peer, question, "{\"action\":\"accept\",\"content\":{\"seat\":3}}");
        free(request_from_server(&peer, "\"method\":\"elicitation/create\"", &question));
        respond(&peer, question, "{\"action\":\"accept\",\"content\":{\"seat\":\"12A\"}}");
        check_answer(peer_answer(&peer, id), "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"12A\"}]}");
        CHECK_INT(count_of(&rounds), 3);
        peer_stop(&peer);
        mcp_server_free(server);
    }
}

static void memos_of_older_clients(void)
{
    effects effects = {0, 0, 0};
    int id, question;
    peer peer;
    mcp_server *server = server_with("a", remember, &effects, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    free(peer_initialize(&peer, "2025-11-25", "{\"elicitation\":{}}"));
    id = peer_send_call(&peer, "a", "{}");
    free(request_from_server(&peer, "Say seat", &question));
    respond(&peer, question, "{\"action\":\"decline\"}");
    free(request_from_server(&peer, "Say count", &question));
    respond(&peer, question, "{\"action\":\"decline\"}");
    check_answer(peer_answer(&peer, id), "paid");
    CHECK(effects.computed == 1 && effects.done == 1 && effects.rounds == 3);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void ask_model_and_roots(mcp_call *call, void *user_data)
{
    static const char MODEL[] = "{\"method\":\"sampling/createMessage\",\"params\":{\"maxTokens\":9,\"messages\":["
                                "{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Well?\"}}]}}";
    const char *text, *uri;
    (void)user_data;
    if (mcp_call_request_input(call, "roots", "{\"method\":\"roots/list\"}", MCP_NUL_TERMINATED, NULL, NULL) != MCP_STATUS_OK
        || mcp_call_request_input(call, "model", MODEL, MCP_NUL_TERMINATED, NULL, NULL) != MCP_STATUS_OK)
        return;
    CHECK_OK(mcp_call_input_string(call, "roots", "/roots/0/uri", &uri, NULL));
    CHECK_OK(mcp_call_input_string(call, "model", "/content/text", &text, NULL));
    CHECK_OK(mcp_call_add_text(call, uri, MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_finish_text(call, text, MCP_NUL_TERMINATED));
}

static void the_model_and_the_roots(void)
{
    int id, question;
    peer peer;
    mcp_server *server = server_with("a", ask_model_and_roots, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    free(peer_initialize(&peer, "2024-11-05", "{\"sampling\":{},\"roots\":{}}"));
    id = peer_send_call(&peer, "a", "{}");
    free(request_from_server(&peer, "\"method\":\"roots/list\"", &question));
    respond(&peer, question, "{\"roots\":[{\"uri\":\"file:///home\"}]}");
    free(request_from_server(&peer, "\"method\":\"sampling/createMessage\"", &question));
    respond(&peer, question,
            "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":\"text\",\"text\":\"Quite.\"}}");
    check_answer(peer_answer(&peer, id), "\"text\":\"file:///home\"},{\"type\":\"text\",\"text\":\"Quite.\"}");
    peer_stop(&peer);
    mcp_server_free(server);
}

static void send_to_a_page(mcp_call *call, void *user_data)
{
    char question[256];
    const char *id;
    CHECK_OK(mcp_call_elicitation_id(call, "page", &id));
    if (((char *)user_data)[0] == '\0')
        strcpy(user_data, id);
    CHECK_STR(id, user_data);
    snprintf(question, sizeof question,
             "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"message\":\"Log in\","
             "\"url\":\"https://a.example/%s\"}}",
             id);
    if (mcp_call_request_input(call, "page", question, MCP_NUL_TERMINATED, NULL, NULL) == MCP_STATUS_OK)
        CHECK_OK(mcp_call_finish_text(call, "sent", MCP_NUL_TERMINATED));
}

static void a_page_to_visit(void)
{
    char page[64] = "";
    int id, question;
    peer peer;
    char *line, *own;
    mcp_server *server = server_with("a", send_to_a_page, page, MCP_DISPATCH_POOL);
    CHECK_STATUS(mcp_server_complete_elicitation(server, "none"), MCP_STATUS_ERR_NOT_FOUND);
    peer_start(&peer, server);
    free(peer_initialize(&peer, "2025-11-25", "{\"elicitation\":{\"url\":{}}}"));
    id = peer_send_call(&peer, "a", "{}");
    line = request_from_server(&peer, "\"mode\":\"url\"", &question);
    own = member(line, "elicitationId");
    CHECK_STR(own, page);
    CHECK_HAS(line, own);
    respond(&peer, question, "{\"action\":\"accept\"}");
    check_answer(peer_answer(&peer, id), "\"text\":\"sent\"");
    CHECK_OK(mcp_server_complete_elicitation(server, page));
    free(line);
    line = peer_read(&peer);
    CHECK_HAS(line, "\"method\":\"notifications/elicitation/complete\"");
    CHECK_HAS(line, page);
    CHECK_STATUS(mcp_server_complete_elicitation(server, page), MCP_STATUS_ERR_NOT_FOUND);
    free(line);
    free(own);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void a_call_cancelled_while_it_asks(void)
{
    int rounds = 0, id, question;
    peer peer;
    char *line;
    mcp_server *server = server_with("book", book, &rounds, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    free(peer_initialize(&peer, "2025-11-25", "{\"elicitation\":{}}"));
    id = peer_send_call(&peer, "book", "{}");
    free(request_from_server(&peer, "Say seat", &question));
    peer_cancel(&peer, id);
    line = peer_read(&peer);
    CHECK_HAS(line, "\"method\":\"notifications/cancelled\"");
    free(line);
    respond(&peer, question, "{\"action\":\"decline\"}");
    line = peer_request(&peer, "ping", "");
    CHECK_HAS(line, "\"result\":{}");
    free(line);
    CHECK_INT(count_of(&rounds), 1);
    peer_stop(&peer);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"a question goes to the client and its answer comes back", a_round_trip},
    {"an answer that is none is asked for again", answers_that_are_none},
    {"a state that is not ours is refused", a_state_that_is_not_ours},
    {"questions that are none are refused", questions_that_are_none},
    {"several questions are asked at once", several_questions},
    {"parts of an answer are read by name", parts_of_an_answer},
    {"a client that cannot be asked is not", a_client_that_cannot_be_asked},
    {"a finish after the question sends the question", a_finish_after_the_question},
    {"a question may come from another thread", a_question_from_another_thread},
    {"memos are kept and effects happen once", memos_and_effects},
    {"prompts and resources may ask too", prompts_and_resources},
    {"a state belongs to its principal", a_state_belongs_to_its_principal},
    {"older clients are asked by requests", older_clients},
    {"memos are kept for older clients", memos_of_older_clients},
    {"the model and the roots are asked for", the_model_and_the_roots},
    {"a client is told when a page was visited", a_page_to_visit},
    {"a call may be cancelled while it asks", a_call_cancelled_while_it_asks},
    {NULL, NULL},
};
