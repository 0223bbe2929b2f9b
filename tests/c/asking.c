/* Asking the client: a handler names its question, returns, and runs again with the answer. */

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

const test TESTS[] = {
    {"a question goes to the client and its answer comes back", a_round_trip},
    {"an answer that is none is asked for again", answers_that_are_none},
    {"questions that are none are refused", questions_that_are_none},
    {"several questions are asked at once", several_questions},
    {"parts of an answer are read by name", parts_of_an_answer},
    {"a client that cannot be asked is not", a_client_that_cannot_be_asked},
    {"a finish after the question sends the question", a_finish_after_the_question},
    {"a question may come from another thread", a_question_from_another_thread},
    {"prompts and resources may ask too", prompts_and_resources},
    {NULL, NULL},
};
