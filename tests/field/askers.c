#include "askers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SEAT[] =
    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Which seat?\",\"requestedSchema\":{\"type\":\"object\","
    "\"required\":[\"seat\"],\"properties\":{\"seat\":{\"type\":\"string\",\"minLength\":2}}}}}";
static const char SURE[] =
    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Sure?\",\"requestedSchema\":{\"type\":\"object\","
    "\"required\":[\"sure\"],\"properties\":{\"sure\":{\"type\":\"boolean\"}}}}}";

static atomic_long effects;

/* Asks each of `questions`, {"key","request"}; once all are answered, the answer is them. With `step` one at a time, with
   `early` it ends the round itself, with `swallow` it goes on as if it had been answered, with `without` it does without
   what the client cannot be asked. */
static void ask(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text text = {0};
    char pointer[48];
    bool required = false;
    event("asking %s", mcp_call_name(call));
    text_add(&text, "{", 1);
    for (int i = 0;; i++) {
        const char *request;
        const char *answer = NULL;
        size_t len, answer_len = 0;
        snprintf(pointer, sizeof pointer, "/questions/%d/request", i);
        if (mcp_call_get_json(call, pointer, &request, &len) != MCP_STATUS_OK) {
            break;
        }
        snprintf(pointer, sizeof pointer, "/questions/%d/key", i);
        char *key = string_or(call, pointer, "");
        int status = mcp_call_request_input(call, key, request, len, &answer, &answer_len);
        required = required || status == MCP_STATUS_ERR_INPUT_REQUIRED;
        if (status != MCP_STATUS_OK) {
            event("asked %s %d %s", key, status, mcp_last_error());
        }
        text_format(&text, "%s", text.len > 1 ? "," : "");
        text_json_string(&text, key, strlen(key));
        free(key);
        text_add(&text, ":", 1);
        if (status == MCP_STATUS_OK) {
            text_add(&text, answer, answer_len);
        } else {
            text_format(&text, "%d", status);
        }
        bool goes_on = status == MCP_STATUS_OK || truth_of(call, "without") ||
                       (status == MCP_STATUS_ERR_INPUT_REQUIRED && !truth_of(call, "step"));
        if (!goes_on) {
            text_drop(&text);
            return;
        }
    }
    text_add(&text, "}", 1);
    if (required && truth_of(call, "swallow")) {
        event("swallowed %d", mcp_call_finish_text(call, "swallowed", 9));
    } else if (required && truth_of(call, "early")) {
        event("ended %d", mcp_call_finish_input_required(call));
    } else if (!required) {
        finish_with(call, &text);
    }
    text_drop(&text);
}

/* Two questions with an effect between them, which is to happen once, and takes `ms`. */
static void book(mcp_call *call, void *user_data) {
    (void)user_data;
    bool first = false;
    bool sure = false;
    const char *seat = "none";
    const char *answer = NULL;
    event("booking");
    if (mcp_call_request_input(call, "seat", SEAT, MCP_NUL_TERMINATED, NULL, NULL) != MCP_STATUS_OK) {
        return;
    }
    mcp_call_input_string(call, "seat", "/content/seat", &seat, NULL);
    if (mcp_call_once(call, "pay", &first) == MCP_STATUS_OK && first) {
        atomic_fetch_add(&effects, 1);
        event("paid %s", seat);
    }
    event("held %s", seat);
    for (int64_t left = integer_or(call, "ms", 0) / 5; left > 0 && !mcp_call_is_cancelled(call); left--) {
        pause_ms(5);
    }
    if (mcp_call_is_cancelled(call)) {
        event("cancelled %s", seat);
        return;
    }
    if (mcp_call_request_input(call, "sure", SURE, MCP_NUL_TERMINATED, NULL, NULL) != MCP_STATUS_OK) {
        return;
    }
    if (mcp_call_input_json(call, "sure", "/content/sure", &answer, NULL) == MCP_STATUS_OK) {
        sure = strcmp(answer, "true") == 0;
    }
    atomic_fetch_add(&effects, 1);
    event("booked %s", seat);
    struct text text = {0};
    text_format(&text, "{\"seat\":");
    text_json_string(&text, seat, strlen(seat));
    text_format(&text, ",\"sure\":%s}", sure ? "true" : "false");
    finish_with(call, &text);
}

/* Asks for a name, and answers with it, whatever it is: a tool, a prompt or a resource. */
static void name(mcp_call *call, void *user_data) {
    (void)user_data;
    static const char question[] =
        "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Your name?\",\"requestedSchema\":{\"type\":\"object\","
        "\"required\":[\"name\"],\"properties\":{\"name\":{\"type\":\"string\"}}}}}";
    const char *name = "somebody";
    if (mcp_call_request_input(call, "name", question, MCP_NUL_TERMINATED, NULL, NULL) != MCP_STATUS_OK) {
        return;
    }
    mcp_call_input_string(call, "name", "/content/name", &name, NULL);
    atomic_fetch_add(&effects, 1);
    mcp_call_finish_text(call, name, MCP_NUL_TERMINATED);
}

static void effects_so_far(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text text = {0};
    text_format(&text, "%ld", atomic_load(&effects));
    finish_with(call, &text);
}

/* Asks `rounds` times, one after another, and carries `bytes` along; the answer is how often it ran. */
static void rounds(mcp_call *call, void *user_data) {
    (void)user_data;
    const char *memo = "0";
    size_t bytes = (size_t)integer_or(call, "bytes", 0);
    mcp_call_memo_get(call, "runs", &memo, NULL);
    struct text runs = {0};
    text_format(&runs, "%ld", strtol(memo, NULL, 10) + 1);
    mcp_call_memo_set(call, "runs", runs.bytes, runs.len);
    char *load = malloc(bytes + 3);
    if (load == NULL) {
        abort();
    }
    memset(load, 'm', bytes + 2);
    load[0] = load[bytes + 1] = '"';
    mcp_call_memo_set(call, "load", load, bytes + 2);
    free(load);
    int status = MCP_STATUS_OK;
    for (int64_t round = 0; round < integer_or(call, "rounds", 1) && status == MCP_STATUS_OK; round++) {
        char key[32];
        snprintf(key, sizeof key, "r%lld", (long long)round);
        status = mcp_call_request_input(call, key, SURE, MCP_NUL_TERMINATED, NULL, NULL);
    }
    if (status == MCP_STATUS_OK) {
        mcp_call_finish_text(call, runs.bytes, runs.len);
    }
    text_drop(&runs);
}

/* Sends the user to a page, whose address has the id of the question in it. */
static void page(mcp_call *call, void *user_data) {
    (void)user_data;
    const char *id = "";
    struct text question = {0};
    mcp_call_elicitation_id(call, "page", &id);
    event("page %s", id);
    text_format(&question, "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"message\":\"Sign in\",\"url\":"
                           "\"https://example.com/%s\"}}", id);
    const char *action = "";
    if (mcp_call_request_input(call, "page", question.bytes, question.len, NULL, NULL) == MCP_STATUS_OK &&
        mcp_call_input_string(call, "page", "action", &action, NULL) == MCP_STATUS_OK) {
        mcp_call_finish_text(call, action, MCP_NUL_TERMINATED);
    }
    text_drop(&question);
}

static void page_done(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text text = {0};
    char *id = string_or(call, "id", "");
    text_format(&text, "%d", mcp_server_complete_elicitation(fixture_server, id));
    free(id);
    finish_with(call, &text);
}

static void *ask_there(void *argument) {
    mcp_call *call = argument;
    if (mcp_call_request_input(call, "seat", SEAT, MCP_NUL_TERMINATED, NULL, NULL) == MCP_STATUS_OK) {
        mcp_call_finish_text(call, "seated", 6);
    }
    mcp_call_release(call);
    return NULL;
}

/* Asks on a thread of its own, when its handler has returned. */
static void ask_later(mcp_call *call, void *user_data) {
    (void)user_data;
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask_there, mcp_call_retain(call)) != 0) {
        abort();
    }
    pthread_detach(thread);
}

static void who(mcp_call *call, void *user_data) {
    (void)user_data;
    const char *principal = "nobody";
    mcp_call_principal(call, &principal);
    mcp_call_finish_text(call, principal, MCP_NUL_TERMINATED);
}

const struct fixture_handler fixture_askers[] = {
    {"ask", ask, MCP_DISPATCH_POOL}, {"ask_inline", ask, MCP_DISPATCH_INLINE},
    {"ask_later", ask_later, MCP_DISPATCH_INLINE}, {"book", book, MCP_DISPATCH_POOL},
    {"effects", effects_so_far, MCP_DISPATCH_INLINE}, {"name", name, MCP_DISPATCH_INLINE},
    {"page", page, MCP_DISPATCH_INLINE}, {"page_done", page_done, MCP_DISPATCH_INLINE},
    {"rounds", rounds, MCP_DISPATCH_INLINE}, {"who", who, MCP_DISPATCH_INLINE},
    {NULL, NULL, 0},
};
