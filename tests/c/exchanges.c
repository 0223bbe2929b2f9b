/* The host's own web server, played by the tests: requests go in whole, responses come piece by piece. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"

/* What became of an exchange. */
typedef struct reply {
    mcp_exchange *exchange;
    int status;
    char headers[2048];
    char body[1 << 16];
    size_t len;
    int heads;
    int pieces;
    int ended;
    int freed;
    int busy;
    /* What a callback does with the exchange. */
    void (*on_head)(struct reply *);
    void (*on_end)(struct reply *);
    void *context;
} reply;

static void take_head(int status, const char *const *names, const char *const *values, size_t headers, void *user_data)
{
    reply *reply = user_data;
    size_t i, len = 0;
    CHECK_INT(reply->busy++, 0);
    CHECK_INT(reply->heads + reply->pieces + reply->ended, 0);
    reply->status = status;
    for (i = 0; i < headers && len < sizeof reply->headers; i++)
        len += (size_t)snprintf(reply->headers + len, sizeof reply->headers - len, "%s: %s\n", names[i], values[i]);
    if (reply->on_head != NULL)
        reply->on_head(reply);
    reply->busy--;
    count_up(&reply->heads);
}

static void take_body(const void *bytes, size_t len, void *user_data)
{
    reply *reply = user_data;
    CHECK_INT(reply->busy++, 0);
    CHECK_INT(reply->ended, 0);
    if (reply->len + len < sizeof reply->body) {
        memcpy(reply->body + reply->len, bytes, len);
        reply->len += len;
    }
    reply->busy--;
    count_up(&reply->pieces);
}

static void take_end(void *user_data)
{
    reply *reply = user_data;
    CHECK_INT(reply->busy++, 0);
    CHECK_INT(reply->freed, 0);
    if (reply->on_end != NULL)
        reply->on_end(reply);
    reply->busy--;
    count_up(&reply->ended);
}

static void count_freed(void *user_data)
{
    count_up(&((reply *)user_data)->freed);
}

static mcp_exchange *request(mcp_endpoint *endpoint, const char *path)
{
    mcp_exchange *exchange = NULL;
    CHECK_OK(mcp_exchange_new(endpoint, "POST", path, &exchange));
    CHECK_OK(mcp_exchange_add_header(exchange, "Host", "localhost"));
    CHECK_OK(mcp_exchange_add_header(exchange, "Content-Type", "application/json"));
    CHECK_OK(mcp_exchange_add_header(exchange, "MCP-Protocol-Version", "2026-07-28"));
    return exchange;
}

static mcp_exchange *request_to_call(mcp_endpoint *endpoint, const char *tool)
{
    mcp_exchange *exchange = request(endpoint, "/mcp");
    CHECK_OK(mcp_exchange_add_header(exchange, "Mcp-Method", "tools/call"));
    CHECK_OK(mcp_exchange_add_header(exchange, "Mcp-Name", tool));
    return exchange;
}

/* Starts it with a text, which is freed. */
static int start(mcp_exchange *exchange, char *text, reply *reply)
{
    int status;
    reply->exchange = exchange;
    status = mcp_exchange_start(exchange, text, text == NULL ? 0 : strlen(text), take_head, take_body, take_end, reply,
                                count_freed);
    free(text);
    return status;
}

static void wait_for_end(reply *reply)
{
    CHECK(wait_for_count(&reply->freed, 1));
    CHECK_INT(reply->ended, 1);
    CHECK_INT(reply->freed, 1);
}

static mcp_endpoint *endpoint_of(mcp_server *server)
{
    mcp_endpoint *endpoint = NULL;
    CHECK_OK(mcp_endpoint_new(server, NULL, &endpoint));
    return endpoint;
}

static void finish(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish_text(call, "done", MCP_NUL_TERMINATED));
}

static void free_it(reply *reply)
{
    mcp_exchange_free(reply->exchange);
}

static void an_answer(void)
{
    reply reply = {0};
    char length[64];
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    mcp_endpoint *endpoint = endpoint_of(server);
    CHECK_INT(thread_count(), 1);
    reply.on_end = free_it;
    CHECK_OK(start(request_to_call(endpoint, "a"), call_text(1, "a", "{}"), &reply));
    wait_for_end(&reply);
    CHECK_INT(reply.status, 200);
    CHECK_HAS(reply.body, "\"text\":\"done\"");
    CHECK_HAS(reply.headers, "content-type: application/json\n");
    snprintf(length, sizeof length, "content-length: %u\n", (unsigned)reply.len);
    CHECK_HAS(reply.headers, length);
    mcp_endpoint_free(endpoint);
    mcp_server_free(server);
    CHECK_INT(thread_count(), 1);
}

static void talk(mcp_call *call, void *user_data)
{
    CHECK_OK(mcp_call_progress(call, 1, 2, NULL));
    CHECK(wait_for_count(user_data, 1));
    CHECK_OK(mcp_call_finish_text(call, "done", MCP_NUL_TERMINATED));
}

static void a_stream(void)
{
    reply reply = {0};
    int go_on = 0;
    mcp_server *server = server_with("a", talk, &go_on, MCP_DISPATCH_POOL);
    mcp_endpoint *endpoint = endpoint_of(server);
    CHECK_OK(start(request_to_call(endpoint, "a"),
                   request_text(1, "tools/call", "\"name\":\"a\"", "\"progressToken\":7"), &reply));
    CHECK(wait_for_count(&reply.pieces, 1));
    CHECK_HAS(reply.headers, "content-type: text/event-stream\n");
    CHECK_LACKS(reply.headers, "content-length");
    CHECK_HAS(reply.body, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"");
    count_up(&go_on);
    wait_for_end(&reply);
    CHECK_HAS(reply.body, "\"text\":\"done\"");
    mcp_exchange_free(reply.exchange);
    mcp_endpoint_free(endpoint);
    mcp_server_free(server);
}

static int status_of(mcp_exchange *exchange, char *text)
{
    reply reply = {0};
    CHECK_OK(start(exchange, text, &reply));
    wait_for_end(&reply);
    CHECK_LACKS(reply.headers, "connection");
    mcp_exchange_free(exchange);
    return reply.status;
}

static void what_is_asked_of_a_request(void)
{
    mcp_exchange *exchange;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    mcp_endpoint *endpoint = NULL;
    mcp_http_config *config = NULL;
    char *large = calloc(1, 1026);
    CHECK_OK(mcp_server_set_option(server, "max_message_bytes", "1024"));
    CHECK_OK(mcp_http_config_new(&config));
    CHECK_OK(mcp_http_config_set_path(config, "mcp"));
    CHECK_STATUS(mcp_endpoint_new(server, config, &endpoint), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_http_config_set_path(config, "/api/mcp"));
    CHECK_OK(mcp_http_config_allow_origin(config, "https://app.example"));
    CHECK_OK(mcp_endpoint_new(server, config, &endpoint));
    mcp_http_config_free(config);
    CHECK_INT(status_of(request(endpoint, "/mcp"), call_text(1, "a", "{}")), 404);
    exchange = request(endpoint, "/api/mcp?query");
    CHECK_OK(mcp_exchange_add_header(exchange, "Mcp-Method", "server/discover"));
    CHECK_OK(mcp_exchange_add_header(exchange, "Origin", "https://app.example"));
    CHECK_INT(status_of(exchange, request_text(1, "server/discover", "", "")), 200);
    exchange = request(endpoint, "/api/mcp");
    CHECK_OK(mcp_exchange_add_header(exchange, "Origin", "https://evil.example"));
    CHECK_INT(status_of(exchange, call_text(1, "a", "{}")), 403);
    exchange = request(endpoint, "/api/mcp");
    CHECK_OK(mcp_exchange_add_header(exchange, "Accept", "text/plain"));
    CHECK_INT(status_of(exchange, call_text(1, "a", "{}")), 406);
    memset(large, ' ', 1025);
    CHECK_INT(status_of(request(endpoint, "/api/mcp"), large), 413);
    CHECK_OK(mcp_exchange_new(endpoint, "PATCH", "/api/mcp", &exchange));
    CHECK_OK(mcp_exchange_add_header(exchange, "Host", "localhost"));
    CHECK_INT(status_of(exchange, NULL), 405);
    mcp_endpoint_free(endpoint);
    mcp_server_free(server);
}

static void what_is_no_request(void)
{
    reply reply = {0};
    mcp_exchange *exchange = NULL;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    mcp_endpoint *endpoint = endpoint_of(server);
    CHECK_STATUS(mcp_exchange_new(endpoint, "PO ST", "/mcp", &exchange), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_exchange_new(endpoint, "POST", "/m cp", &exchange), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "/m cp");
    CHECK(exchange == NULL);
    exchange = request(endpoint, "/mcp");
    CHECK_STATUS(mcp_exchange_add_header(exchange, "a:b", "c"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_exchange_add_header(exchange, "a", "b\r\nc: d"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_exchange_add_header(exchange, "a", "b\xff"));
    CHECK_OK(start(exchange, call_text(1, "a", "{}"), &reply));
    wait_for_end(&reply);
    CHECK_STATUS(mcp_exchange_add_header(exchange, "a", "b"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_exchange_set_principal(exchange, "a"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(start(exchange, NULL, &reply), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_INT(reply.freed, 2);
    CHECK_OK(mcp_exchange_abort(exchange));
    mcp_exchange_free(exchange);
    /* One that is never started. */
    mcp_exchange_free(request(endpoint, "/mcp"));
    mcp_endpoint_free(endpoint);
    mcp_server_free(server);
}

typedef struct watched {
    int started;
    int cancelled;
    int ended;
} watched;

static void note_cancelled(mcp_call *call, void *user_data)
{
    (void)call;
    count_up(&((watched *)user_data)->cancelled);
}

static void wait_for_cancellation(mcp_call *call, void *user_data)
{
    watched *watched = user_data;
    CHECK_OK(mcp_call_on_cancel(call, note_cancelled, watched, NULL));
    count_up(&watched->started);
    CHECK(wait_for_count(&watched->cancelled, 1));
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_CANCELLED);
    count_up(&watched->ended);
}

static void a_client_that_has_gone(void)
{
    int frees;
    for (frees = 0; frees < 2; frees++) {
        reply reply = {0};
        watched watched = {0};
        mcp_server *server = server_with("a", wait_for_cancellation, &watched, MCP_DISPATCH_POOL);
        mcp_endpoint *endpoint = endpoint_of(server);
        CHECK_OK(start(request_to_call(endpoint, "a"), call_text(1, "a", "{}"), &reply));
        CHECK(wait_for_count(&watched.started, 1));
        if (!frees) {
            CHECK_OK(mcp_exchange_abort(reply.exchange));
            CHECK_OK(mcp_exchange_abort(reply.exchange));
        }
        mcp_exchange_free(reply.exchange);
        wait_for_end(&reply);
        CHECK(wait_for_count(&watched.ended, 1));
        CHECK_INT(reply.heads + reply.pieces, 0);
        mcp_endpoint_free(endpoint);
        mcp_server_free(server);
    }
}

static void abort_it(reply *reply)
{
    CHECK_OK(mcp_exchange_abort(reply->exchange));
}

static void aborted_by_its_own_callback(void)
{
    reply reply = {0};
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    mcp_endpoint *endpoint = endpoint_of(server);
    reply.on_head = abort_it;
    CHECK_OK(start(request_to_call(endpoint, "a"), call_text(1, "a", "{}"), &reply));
    wait_for_end(&reply);
    CHECK_INT(reply.heads, 1);
    CHECK_INT(reply.pieces, 0);
    mcp_exchange_free(reply.exchange);
    mcp_endpoint_free(endpoint);
    mcp_server_free(server);
}

static void free_the_endpoint(reply *reply)
{
    mcp_endpoint_free(reply->context);
    CHECK_HAS(mcp_last_error(), "handler or callback");
}

static void count_line(int level, const char *message, void *user_data)
{
    (void)level;
    if (strstr(message, "mcp_endpoint_free is refused") != NULL)
        count_up(user_data);
}

static void freeing_the_endpoint_inside(void)
{
    reply reply = {0};
    int logged = 0;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    mcp_endpoint *endpoint = endpoint_of(server);
    CHECK_OK(mcp_set_log_handler(count_line, &logged, NULL));
    reply.context = endpoint;
    reply.on_head = free_the_endpoint;
    reply.on_end = free_the_endpoint;
    CHECK_OK(start(request_to_call(endpoint, "a"), call_text(1, "a", "{}"), &reply));
    wait_for_end(&reply);
    CHECK_INT(count_of(&logged), 2);
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
    mcp_exchange_free(reply.exchange);
    mcp_endpoint_free(endpoint);
    mcp_server_free(server);
}

static void the_end_of_the_endpoint(void)
{
    reply listening = {0}, running = {0};
    watched watched = {0};
    mcp_exchange *exchange;
    mcp_server *server = server_with("a", wait_for_cancellation, &watched, MCP_DISPATCH_POOL);
    mcp_endpoint *endpoint = endpoint_of(server);
    CHECK_OK(mcp_server_set_option(server, "drain_ms", "50"));
    exchange = request(endpoint, "/mcp");
    CHECK_OK(mcp_exchange_add_header(exchange, "Mcp-Method", "subscriptions/listen"));
    CHECK_OK(start(exchange, request_text(1, "subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true}", ""),
                   &listening));
    CHECK(wait_for_count(&listening.pieces, 1));
    CHECK_OK(start(request_to_call(endpoint, "a"), call_text(2, "a", "{}"), &running));
    CHECK(wait_for_count(&watched.started, 1));
    mcp_endpoint_free(endpoint);
    CHECK_INT(listening.ended, 1);
    CHECK_HAS(listening.body, "\"id\":1,\"result\"");
    CHECK_INT(running.ended, 1);
    CHECK_INT(running.heads, 0);
    CHECK(wait_for_count(&watched.ended, 1));
    mcp_exchange_free(listening.exchange);
    mcp_exchange_free(running.exchange);
    CHECK_OK(mcp_server_wait(server, MCP_WAIT_FOREVER));
    mcp_server_free(server);
    CHECK_INT(thread_count(), 1);
}

static void the_end_of_its_server(void)
{
    reply reply = {0};
    mcp_endpoint *none = NULL;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    mcp_endpoint *endpoint = endpoint_of(server);
    mcp_exchange *exchange = request_to_call(endpoint, "a");
    CHECK_STATUS(mcp_server_wait(server, 0), MCP_STATUS_ERR_TIMEOUT);
    CHECK_OK(mcp_server_shutdown(server, 0));
    CHECK_OK(mcp_server_wait(server, MCP_WAIT_FOREVER));
    CHECK_STATUS(mcp_endpoint_new(server, NULL, &none), MCP_STATUS_ERR_SHUTDOWN);
    mcp_server_free(server);
    CHECK_STATUS(start(exchange, call_text(1, "a", "{}"), &reply), MCP_STATUS_ERR_SHUTDOWN);
    CHECK_INT(reply.freed, 1);
    CHECK_INT(reply.ended, 0);
    mcp_endpoint_free(endpoint);
    mcp_exchange_free(exchange);
}

static void tell_who(mcp_call *call, void *user_data)
{
    const char *principal = "nobody", *header = NULL;
    (void)user_data;
    mcp_call_principal(call, &principal);
    CHECK_OK(mcp_call_header(call, "x-own", &header, NULL));
    CHECK_STR(header, "one, two");
    CHECK_OK(mcp_call_finish_text(call, principal, MCP_NUL_TERMINATED));
}

static void who_it_is(void)
{
    static const char *const PRINCIPALS[] = {"ann", NULL};
    size_t i;
    mcp_server *server = server_with("a", tell_who, NULL, MCP_DISPATCH_INLINE);
    mcp_endpoint *endpoint = endpoint_of(server);
    for (i = 0; i < 2; i++) {
        reply reply = {0};
        mcp_exchange *exchange = request_to_call(endpoint, "a");
        CHECK_OK(mcp_exchange_add_header(exchange, "X-Own", "one"));
        CHECK_OK(mcp_exchange_add_header(exchange, "x-own", "two"));
        CHECK_OK(mcp_exchange_set_principal(exchange, PRINCIPALS[i]));
        CHECK_OK(start(exchange, call_text(1, "a", "{}"), &reply));
        wait_for_end(&reply);
        CHECK_HAS(reply.body, PRINCIPALS[i] == NULL ? "nobody" : PRINCIPALS[i]);
        mcp_exchange_free(exchange);
    }
    mcp_endpoint_free(endpoint);
    mcp_server_free(server);
}

typedef struct family {
    mcp_endpoint *endpoint;
    mcp_exchange *exchange;
    reply reply;
} family;

static int use_the_parents(void *context)
{
    family *family = context;
    mcp_exchange *none = NULL;
    int wrong = mcp_exchange_new(family->endpoint, "POST", "/mcp", &none) != MCP_STATUS_ERR_FORKED;
    wrong += mcp_exchange_add_header(family->exchange, "a", "b") != MCP_STATUS_ERR_FORKED;
    wrong += start(family->exchange, NULL, &family->reply) != MCP_STATUS_ERR_FORKED;
    wrong += mcp_exchange_abort(family->exchange) != MCP_STATUS_ERR_FORKED;
    mcp_exchange_free(family->exchange);
    mcp_endpoint_free(family->endpoint);
    return wrong + (family->reply.freed != 1);
}

static void a_forked_child(void)
{
    family family = {0};
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    family.endpoint = endpoint_of(server);
    CHECK_INT(status_of(request_to_call(family.endpoint, "a"), call_text(1, "a", "{}")), 200);
    family.exchange = request_to_call(family.endpoint, "a");
    CHECK_INT(in_child(use_the_parents, &family), 0);
    CHECK_OK(start(family.exchange, call_text(1, "a", "{}"), &family.reply));
    wait_for_end(&family.reply);
    CHECK_INT(family.reply.status, 200);
    mcp_exchange_free(family.exchange);
    mcp_endpoint_free(family.endpoint);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"an answer comes with its length, and its end may free the exchange", an_answer},
    {"a stream comes as it is made", a_stream},
    {"a request is asked what a listener asks", what_is_asked_of_a_request},
    {"what is no request is refused, and an exchange starts once", what_is_no_request},
    {"a client that has gone cancels its call", a_client_that_has_gone},
    {"nothing but the end follows an abort by a callback", aborted_by_its_own_callback},
    {"freeing the endpoint inside a callback is refused", freeing_the_endpoint_inside},
    {"the end of the endpoint ends subscriptions, and then calls", the_end_of_the_endpoint},
    {"an endpoint ends with its server, and may be freed after it", the_end_of_its_server},
    {"handlers learn on whose behalf a request comes, and its headers", who_it_is},
    {"a forked child leaves the parent's alone", a_forked_child},
    {NULL, NULL},
};
