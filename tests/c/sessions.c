/* A client over the host's own transport: messages go in and out by functions. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"

/* What was sent by a session. */
typedef struct client {
    mcp_session *session;
    /* The messages, one a line. */
    char text[1 << 16];
    size_t len;
    int sent;
    int freed;
    /* The thread that sent last. */
    pthread_t thread;
    int busy;
} client;

static void keep(const char *message, size_t len, void *user_data)
{
    client *client = user_data;
    CHECK_INT(client->busy++, 0);
    CHECK_INT(message[len], 0);
    CHECK_INT(strlen(message), len);
    CHECK_LACKS(message, "\n");
    if (client->len + len + 2 < sizeof client->text) {
        memcpy(client->text + client->len, message, len);
        client->len += len + 1;
        client->text[client->len - 1] = '\n';
        client->text[client->len] = '\0';
    }
    client->thread = pthread_self();
    client->busy--;
    count_up(&client->sent);
}

static void count_freed(void *user_data)
{
    count_up(&((client *)user_data)->freed);
}

static void open_client(client *client, mcp_server *server, mcp_send_fn send)
{
    memset(client, 0, sizeof *client);
    CHECK_OK(mcp_session_new(server, send, client, count_freed, &client->session));
}

/* Hands in a text and frees it. */
static void hand_in(mcp_session *session, char *text)
{
    CHECK_OK(mcp_session_receive(session, text, MCP_NUL_TERMINATED));
    free(text);
}

static void cancel(mcp_session *session, int id)
{
    char text[128];
    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%d}}", id);
    CHECK_OK(mcp_session_receive(session, text, strlen(text)));
}

static void finish(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish_text(call, "done", MCP_NUL_TERMINATED));
}

static void an_inline_handler(void)
{
    client client;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    open_client(&client, server, keep);
    hand_in(client.session, call_text(1, "a", "{}"));
    CHECK_INT(client.sent, 1);
    CHECK_HAS(client.text, "\"text\":\"done\"");
    CHECK(pthread_equal(client.thread, pthread_self()));
    CHECK_INT(thread_count(), 1);
    mcp_session_free(client.session);
    CHECK_INT(client.freed, 1);
    mcp_server_free(server);
    CHECK_INT(client.freed, 1);
}

static void talk(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_progress(call, 1, 2, NULL));
    CHECK_OK(mcp_call_finish_text(call, "done", MCP_NUL_TERMINATED));
}

static void a_handler_of_the_pool(void)
{
    client client;
    mcp_server *server = server_with("a", talk, NULL, MCP_DISPATCH_POOL);
    open_client(&client, server, keep);
    hand_in(client.session, request_text(1, "tools/call", "\"name\":\"a\"", "\"progressToken\":7"));
    CHECK(wait_for_count(&client.sent, 2));
    CHECK_HAS(client.text, "notifications/progress");
    CHECK(strstr(client.text, "notifications/progress") < strstr(client.text, "\"id\":1"));
    CHECK(!pthread_equal(client.thread, pthread_self()));
    mcp_session_free(client.session);
    mcp_server_free(server);
    CHECK_INT(thread_count(), 1);
}

static void bad_messages(void)
{
    client client;
    char *large;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    CHECK_OK(mcp_server_set_option(server, "max_message_bytes", "1024"));
    open_client(&client, server, keep);
    CHECK_OK(mcp_session_receive(client.session, "{", 1));
    CHECK_HAS(client.text, "-32700");
    CHECK_OK(mcp_session_receive(client.session, "\xff", 1));
    CHECK_INT(client.sent, 2);
    CHECK_OK(mcp_session_receive(client.session, NULL, 0));
    CHECK_OK(mcp_session_receive(client.session, " \n", MCP_NUL_TERMINATED));
    CHECK_INT(client.sent, 2);
    large = calloc(1, 1025);
    CHECK_OK(mcp_session_receive(client.session, large, 1025));
    CHECK_HAS(client.text, "max_message_bytes");
    free(large);
    mcp_session_free(client.session);
    mcp_server_free(server);
}

enum { CHAIN = 2000 };

static void ask_again(const char *message, size_t len, void *user_data)
{
    client *client = user_data;
    CHECK_INT(client->busy++, 0);
    CHECK(len > 0 && message != NULL);
    client->sent++;
    if (client->sent < CHAIN) {
        char *text = call_text(client->sent + 1, "a", "{}");
        mcp_session_receive(client->session, text, MCP_NUL_TERMINATED);
        free(text);
    }
    client->busy--;
}

static void the_next_message_while_one_is_sent(void)
{
    client client;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    open_client(&client, server, ask_again);
    hand_in(client.session, call_text(1, "a", "{}"));
    CHECK_INT(client.sent, CHAIN);
    mcp_session_free(client.session);
    mcp_server_free(server);
}

/* Hands what one session sends to the other. */
static void pass_on(const char *message, size_t len, void *user_data)
{
    client *other = user_data;
    other->sent++;
    CHECK_OK(mcp_session_receive(other->session, message, len));
}

static void two_sessions_that_are_joined(void)
{
    client first, second;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    mcp_server *other = server_with("b", finish, NULL, MCP_DISPATCH_INLINE);
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    CHECK_OK(mcp_session_new(server, pass_on, &second, NULL, &first.session));
    CHECK_OK(mcp_session_new(other, pass_on, &first, NULL, &second.session));
    hand_in(first.session, call_text(1, "a", "{}"));
    hand_in(second.session, call_text(1, "b", "{}"));
    CHECK_INT(first.sent, 1);
    CHECK_INT(second.sent, 1);
    mcp_session_free(first.session);
    mcp_session_free(second.session);
    mcp_server_free(other);
    mcp_server_free(server);
}

static void cancel_it(const char *message, size_t len, void *user_data)
{
    client *client = user_data;
    CHECK(len > 0);
    CHECK_HAS(message, "notifications/progress");
    cancel(client->session, 1);
    count_up(&client->sent);
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
    CHECK_OK(mcp_call_progress(call, 1, 2, NULL));
    count_up(&watched->started);
    CHECK(wait_for_count(&watched->cancelled, 1));
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_CANCELLED);
    count_up(&watched->ended);
}

static void a_cancellation_while_progress_is_sent(void)
{
    client client;
    watched watched = {0, 0, 0};
    mcp_server *server = server_with("a", wait_for_cancellation, &watched, MCP_DISPATCH_POOL);
    open_client(&client, server, cancel_it);
    hand_in(client.session, request_text(1, "tools/call", "\"name\":\"a\"", "\"progressToken\":7"));
    CHECK(wait_for_count(&watched.ended, 1));
    CHECK(wait_for_count(&client.sent, 1));
    mcp_session_free(client.session);
    mcp_server_free(server);
}

static void subscriptions_and_calls_end_with_it(void)
{
    client client;
    watched watched = {0, 0, 0};
    mcp_server *server = server_with("a", wait_for_cancellation, &watched, MCP_DISPATCH_POOL);
    open_client(&client, server, keep);
    hand_in(client.session,
            request_text(1, "subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true}", ""));
    CHECK_HAS(client.text, "subscriptions/acknowledged");
    add_plain_tool(server, "b", finish, NULL, NULL, MCP_DISPATCH_INLINE);
    CHECK(wait_for_count(&client.sent, 2));
    hand_in(client.session, call_text(2, "a", "{}"));
    CHECK(wait_for_count(&watched.started, 1));
    mcp_session_free(client.session);
    CHECK(wait_for_count(&watched.ended, 1));
    CHECK_INT(client.freed, 1);
    CHECK_INT(client.sent, 4);
    CHECK_HAS(client.text, "notifications/tools/list_changed");
    CHECK(strstr(client.text, "\"id\":1,\"result\"") < strstr(client.text, "notifications/cancelled"));
    mcp_server_free(server);
    CHECK_INT(thread_count(), 1);
}

static void free_while_sending(const char *message, size_t len, void *user_data)
{
    client *client = user_data;
    CHECK(message[len] == '\0');
    mcp_session_free(client->session);
    CHECK_HAS(mcp_last_error(), "handler or callback");
    count_up(&client->sent);
}

static void count_line(int level, const char *message, void *user_data)
{
    (void)level;
    if (strstr(message, "mcp_session_free is refused") != NULL)
        count_up(user_data);
}

static void free_it_inside(mcp_call *call, void *user_data)
{
    client *client = user_data;
    mcp_session_free(client->session);
    CHECK_HAS(mcp_last_error(), "handler or callback");
    CHECK_OK(mcp_call_finish(call));
}

static void freeing_it_inside(void)
{
    static const int DISPATCH[] = {MCP_DISPATCH_POOL, MCP_DISPATCH_INLINE};
    size_t i;
    int logged = 0;
    CHECK_OK(mcp_set_log_handler(count_line, &logged, NULL));
    for (i = 0; i < 2; i++) {
        client client;
        mcp_server *server = server_with("a", free_it_inside, &client, DISPATCH[i]);
        open_client(&client, server, free_while_sending);
        hand_in(client.session, call_text(1, "a", "{}"));
        CHECK(wait_for_count(&client.sent, 1));
        CHECK_INT(client.freed, 0);
        mcp_session_free(client.session);
        CHECK_INT(client.freed, 1);
        mcp_server_free(server);
    }
    CHECK_INT(logged, 4);
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
}

typedef struct slow {
    mcp_session *session;
    int begun;
    int go_on;
    int out;
    int freed;
} slow;

static void send_slowly(const char *message, size_t len, void *user_data)
{
    slow *slow = user_data;
    CHECK(message[len] == '\0');
    count_up(&slow->begun);
    CHECK(wait_for_count(&slow->go_on, 1));
    count_up(&slow->out);
}

static void free_slow(void *user_data)
{
    slow *slow = user_data;
    CHECK_INT(count_of(&slow->out), 1);
    count_up(&slow->freed);
}

static void *free_session(void *context)
{
    mcp_session_free(((slow *)context)->session);
    CHECK_INT(count_of(&((slow *)context)->freed), 1);
    return NULL;
}

static void freeing_it_while_it_sends(void)
{
    slow slow;
    pthread_t thread;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
    memset(&slow, 0, sizeof slow);
    CHECK_OK(mcp_session_new(server, send_slowly, &slow, free_slow, &slow.session));
    hand_in(slow.session, call_text(1, "a", "{}"));
    CHECK(wait_for_count(&slow.begun, 1));
    CHECK_INT(pthread_create(&thread, NULL, free_session, &slow), 0);
    /* It takes nothing any more, but waits. */
    while (mcp_session_receive(slow.session, "", 0) == MCP_STATUS_OK)
        sleep_ms(1);
    CHECK_INT(count_of(&slow.freed), 0);
    count_up(&slow.go_on);
    pthread_join(thread, NULL);
    mcp_server_free(server);
}

static void retain(mcp_call *call, void *user_data)
{
    *(mcp_call **)user_data = mcp_call_retain(call);
}

static void a_call_that_outlives_it(void)
{
    client client;
    mcp_call *call = NULL;
    mcp_server *server = server_with("a", retain, &call, MCP_DISPATCH_INLINE);
    open_client(&client, server, keep);
    hand_in(client.session, call_text(1, "a", "{}"));
    mcp_session_free(client.session);
    CHECK_INT(client.freed, 1);
    CHECK(mcp_call_is_cancelled(call));
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_CANCELLED);
    mcp_call_release(call);
    mcp_server_free(server);
    CHECK_INT(client.sent, 0);
}

static void the_end_of_its_server(void)
{
    client client;
    mcp_session *none = NULL;
    int freed = 0;
    mcp_call *call = NULL;
    mcp_server *server = server_with("a", retain, &call, MCP_DISPATCH_INLINE);
    open_client(&client, server, keep);
    CHECK_STATUS(mcp_server_wait(server, 0), MCP_STATUS_ERR_TIMEOUT);
    hand_in(client.session, call_text(1, "a", "{}"));
    CHECK_OK(mcp_server_shutdown(server, 60000));
    CHECK_STATUS(mcp_session_receive(client.session, "{}", 2), MCP_STATUS_ERR_SHUTDOWN);
    CHECK_STATUS(mcp_session_new(server, keep, &freed, count_free, &none), MCP_STATUS_ERR_SHUTDOWN);
    CHECK(none == NULL && freed == 1);
    CHECK_STATUS(mcp_server_wait(server, 0), MCP_STATUS_ERR_TIMEOUT);
    CHECK_OK(mcp_call_finish_text(call, "in time", MCP_NUL_TERMINATED));
    mcp_call_release(call);
    CHECK_HAS(client.text, "in time");
    CHECK_OK(mcp_server_wait(server, MCP_WAIT_FOREVER));
    mcp_server_free(server);
    CHECK_INT(client.freed, 0);
    CHECK_STATUS(mcp_session_receive(client.session, "{}", 2), MCP_STATUS_ERR_SHUTDOWN);
    mcp_session_free(client.session);
    CHECK_INT(client.freed, 1);
}

static void tell_principal(mcp_call *call, void *user_data)
{
    const char *principal = "nobody";
    int status = mcp_call_principal(call, &principal);
    (void)user_data;
    CHECK(status == MCP_STATUS_OK || status == MCP_STATUS_ERR_NOT_FOUND);
    CHECK_OK(mcp_call_finish_text(call, principal, MCP_NUL_TERMINATED));
}

static void on_whose_behalf(void)
{
    client client;
    mcp_server *server = server_with("a", tell_principal, NULL, MCP_DISPATCH_INLINE);
    open_client(&client, server, keep);
    hand_in(client.session, call_text(1, "a", "{}"));
    CHECK_HAS(client.text, "\"text\":\"nobody\"");
    CHECK_OK(mcp_session_set_principal(client.session, "ann"));
    hand_in(client.session, call_text(2, "a", "{}"));
    CHECK_HAS(client.text, "\"text\":\"ann\"");
    client.len = 0;
    CHECK_OK(mcp_session_set_principal(client.session, NULL));
    hand_in(client.session, call_text(3, "a", "{}"));
    CHECK_HAS(client.text, "\"text\":\"nobody\"");
    CHECK_STATUS(mcp_session_set_principal(client.session, "\xff"), MCP_STATUS_ERR_INVALID_UTF8);
    mcp_session_free(client.session);
    mcp_server_free(server);
}

static int use_the_parents(void *context)
{
    client *client = context;
    int wrong = mcp_session_receive(client->session, "{}", 2) != MCP_STATUS_ERR_FORKED;
    wrong += mcp_session_set_principal(client->session, "x") != MCP_STATUS_ERR_FORKED;
    mcp_session_free(client->session);
    return wrong + client->freed + client->sent;
}

static void a_forked_child(void)
{
    client client;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_INLINE);
    open_client(&client, server, keep);
    CHECK_INT(in_child(use_the_parents, &client), 0);
    hand_in(client.session, call_text(1, "a", "{}"));
    CHECK_INT(client.sent, 1);
    mcp_session_free(client.session);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"what an inline handler says is sent at once, on the thread that hands in", an_inline_handler},
    {"what a handler of the pool says comes from its thread, in order", a_handler_of_the_pool},
    {"what is wrong with a message is told to the client", bad_messages},
    {"the next message may be handed in while one is sent", the_next_message_while_one_is_sent},
    {"two sessions may be joined by their functions", two_sessions_that_are_joined},
    {"a call may be cancelled while its progress is sent", a_cancellation_while_progress_is_sent},
    {"subscriptions and calls end with it", subscriptions_and_calls_end_with_it},
    {"freeing it inside a handler or while it sends is refused", freeing_it_inside},
    {"freeing it waits for what is being sent", freeing_it_while_it_sends},
    {"a call may outlive it", a_call_that_outlives_it},
    {"it ends with its server, and may be freed after it", the_end_of_its_server},
    {"handlers learn on whose behalf a request comes", on_whose_behalf},
    {"a forked child leaves the parent's alone", a_forked_child},
    {NULL, NULL},
};
