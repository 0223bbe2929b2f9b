/* Handlers that use their own server: its other tools, at a full pool, without end, on behalf of their call. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"

static mcp_server *new_server(void)
{
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    return server;
}

static void greet(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish_text(call, "hello", MCP_NUL_TERMINATED));
}

/* Calls a tool that succeeds; the result. Free it with mcp_text_free. */
static char *call_tool(mcp_server *server, const char *name)
{
    char *result = NULL;
    CHECK_OK(mcp_server_call_tool(server, name, NULL, 0, &result, NULL));
    return result;
}

/* Calls "greet" through its own server, and finishes with that result. */
static void call_another(mcp_call *call, void *user_data)
{
    mcp_server *server = mcp_call_server(call);
    char *result;
    CHECK(server != NULL && server != user_data && mcp_call_server(call) == server);
    result = call_tool(server, "greet");
    CHECK_OK(mcp_call_finish_json(call, result, MCP_NUL_TERMINATED));
    mcp_text_free(result);
}

static void a_full_pool(void)
{
    int i;
    peer peer;
    mcp_server *server = new_server();
    CHECK_OK(mcp_server_set_option(server, "handler_threads", "1"));
    add_plain_tool(server, "greet", greet, NULL, NULL, MCP_DISPATCH_POOL);
    add_plain_tool(server, "outer", call_another, server, NULL, MCP_DISPATCH_POOL);
    add_plain_tool(server, "inline", call_another, server, NULL, MCP_DISPATCH_INLINE);
    peer_start(&peer, server);
    for (i = 0; i < 8; i++)
        peer_send_call(&peer, i % 2 == 0 ? "outer" : "inline", "{}");
    for (i = 0; i < 8; i++) {
        char *answer = peer_read(&peer);
        CHECK_HAS(answer, "\"text\":\"hello\"");
        free(answer);
    }
    peer_stop(&peer);
    mcp_server_free(server);
}

static void call_itself(mcp_call *call, void *user_data)
{
    char *result = NULL;
    int status = mcp_server_call_tool(mcp_call_server(call), "deeper", NULL, 0, &result, NULL);
    count_up(user_data);
    if (status == MCP_STATUS_OK) {
        CHECK_OK(mcp_call_finish_json(call, result, MCP_NUL_TERMINATED));
        mcp_text_free(result);
    } else {
        CHECK_STATUS(status, MCP_STATUS_ERR_CALL_FAILED);
        CHECK_OK(mcp_call_finish_text(call, mcp_last_error(), MCP_NUL_TERMINATED));
    }
}

static void handlers_that_call_without_end(void)
{
    int depth = 0;
    mcp_server *server = server_with("deeper", call_itself, &depth, MCP_DISPATCH_POOL);
    char *result = call_tool(server, "deeper");
    CHECK_HAS(result, "32 levels deep");
    CHECK_INT(depth, 32);
    mcp_text_free(result);
    mcp_server_free(server);
}

typedef struct lent {
    mcp_call *kept;
    int ready;
    int freed;
    int logged;
} lent;

static void count_refusal(int level, const char *message, void *user_data)
{
    (void)level;
    if (strstr(message, "mcp_server_free is refused") != NULL)
        count_up(user_data);
}

static void use_and_keep(mcp_call *call, void *user_data)
{
    lent *lent = user_data;
    mcp_server *server = mcp_call_server(call);
    mcp_server_free(server);
    CHECK_HAS(mcp_last_error(), "mcp_server_new");
    CHECK_STATUS(mcp_server_wait(server, 0), MCP_STATUS_ERR_DEADLOCK);
    add_plain_tool(server, "added", greet, &lent->freed, count_free, MCP_DISPATCH_POOL);
    mcp_text_free(call_tool(server, "added"));
    CHECK_OK(mcp_server_remove_tool(server, "added"));
    CHECK_INT(count_of(&lent->freed), 1);
    lent->kept = mcp_call_retain(call);
    CHECK_OK(mcp_call_finish_text(call, "kept", MCP_NUL_TERMINATED));
    count_up(&lent->ready);
}

static void a_borrowed_server(void)
{
    lent lent = {NULL, 0, 0, 0};
    peer peer;
    char *json = NULL;
    mcp_server *borrowed;
    mcp_server *server = server_with("a", use_and_keep, &lent, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_set_log_handler(count_refusal, &lent.logged, NULL));
    peer_start(&peer, server);
    free(peer_call(&peer, "a", "{}"));
    CHECK(wait_for_count(&lent.ready, 1));
    borrowed = mcp_call_server(lent.kept);
    /* Outside of any handler it is borrowed all the same. */
    mcp_server_free(borrowed);
    CHECK_HAS(mcp_last_error(), "mcp_server_new");
    CHECK_INT(count_of(&lent.logged), 2);
    CHECK_OK(mcp_server_list_tools(borrowed, &json, NULL));
    CHECK_HAS(json, "\"name\":\"a\"");
    mcp_text_free(json);
    peer_stop(&peer);
    mcp_server_free(server);
    /* It outlives the server, as the call does; what it offered has gone. */
    CHECK_OK(mcp_server_list_tools(borrowed, &json, NULL));
    CHECK_STR(json, "[]");
    mcp_text_free(json);
    mcp_call_release(lent.kept);
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
}

typedef struct chain {
    int started;
    int told;
    int returned;
    char principal[32];
} chain;

static void tell(mcp_call *call, void *user_data)
{
    CHECK(mcp_call_is_cancelled(call));
    count_up(&((chain *)user_data)->told);
}

static void wait_for_cancellation(mcp_call *call, void *user_data)
{
    chain *chain = user_data;
    const char *principal = "nobody";
    mcp_call_principal(call, &principal);
    snprintf(chain->principal, sizeof chain->principal, "%s", principal);
    CHECK_OK(mcp_call_on_cancel(call, tell, chain, NULL));
    count_up(&chain->started);
    CHECK(wait_for_count(&chain->told, 1));
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_CANCELLED);
}

static void wait_for_inner(mcp_call *call, void *user_data)
{
    chain *chain = user_data;
    char *result = NULL;
    CHECK_STATUS(mcp_server_call_tool(mcp_call_server(call), "inner", NULL, 0, &result, NULL), MCP_STATUS_ERR_CANCELLED);
    CHECK(mcp_call_is_cancelled(call));
    count_up(&chain->returned);
}

static void discard(const char *message, size_t len, void *user_data)
{
    (void)message;
    (void)len;
    (void)user_data;
}

static void on_behalf_of_a_call(void)
{
    chain chain = {0, 0, 0, ""};
    mcp_session *session = NULL;
    mcp_server *server = new_server();
    char *request = call_text(1, "outer", "{}");
    add_plain_tool(server, "outer", wait_for_inner, &chain, NULL, MCP_DISPATCH_POOL);
    add_plain_tool(server, "inner", wait_for_cancellation, &chain, NULL, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_session_new(server, discard, NULL, NULL, &session));
    CHECK_OK(mcp_session_set_principal(session, "alice"));
    CHECK_OK(mcp_session_receive(session, request, MCP_NUL_TERMINATED));
    CHECK(wait_for_count(&chain.started, 1));
    CHECK_STR(chain.principal, "alice");
    CHECK_OK(mcp_session_receive(session,
                                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
                                 MCP_NUL_TERMINATED));
    CHECK(wait_for_count(&chain.returned, 1));
    free(request);
    mcp_session_free(session);
    mcp_server_free(server);
}

/* A loop with a thread of its own, which runs one job after the other. */
typedef struct loop {
    mcp_job *jobs[4];
    int posted;
    int ran;
    pthread_t thread;
} loop;

static void post(mcp_job *job, void *user_data)
{
    loop *loop = user_data;
    loop->jobs[loop->posted] = job;
    count_up(&loop->posted);
}

static void *run_loop(void *user_data)
{
    loop *loop = user_data;
    while (loop->ran < 2) {
        CHECK(wait_for_count(&loop->posted, loop->ran + 1));
        mcp_job_run(loop->jobs[loop->ran++]);
    }
    return NULL;
}

static void say_thread(mcp_call *call, void *user_data)
{
    loop *loop = user_data;
    CHECK(pthread_equal(pthread_self(), loop->thread));
    CHECK_OK(mcp_call_finish_text(call, "on the loop", MCP_NUL_TERMINATED));
}

static void call_on_the_loop(mcp_call *call, void *user_data)
{
    char *result = call_tool(mcp_call_server(call), "leaf");
    CHECK_HAS(result, "on the loop");
    say_thread(call, user_data);
    mcp_text_free(result);
}

static void tools_of_an_executor(void)
{
    loop loop = {{NULL}, 0, 0, 0};
    mcp_server *server = new_server();
    char *result;
    CHECK_OK(mcp_server_set_executor(server, post, &loop, NULL));
    add_plain_tool(server, "leaf", say_thread, &loop, NULL, MCP_DISPATCH_HOST);
    add_plain_tool(server, "outer", call_on_the_loop, &loop, NULL, MCP_DISPATCH_HOST);
    CHECK_INT(pthread_create(&loop.thread, NULL, run_loop, &loop), 0);
    result = call_tool(server, "leaf");
    mcp_text_free(result);
    result = call_tool(server, "outer");
    CHECK_HAS(result, "on the loop");
    mcp_text_free(result);
    pthread_join(loop.thread, NULL);
    CHECK_INT(loop.posted, 2);
    mcp_server_free(server);
}

static void *call_many(void *server)
{
    int i;
    for (i = 0; i < 50; i++) {
        char *result = call_tool(server, "outer");
        CHECK_HAS(result, "hello");
        mcp_text_free(result);
    }
    return NULL;
}

static void many_threads_at_once(void)
{
    pthread_t threads[4];
    size_t i;
    mcp_server *server = new_server();
    add_plain_tool(server, "greet", greet, NULL, NULL, MCP_DISPATCH_POOL);
    add_plain_tool(server, "outer", call_another, server, NULL, MCP_DISPATCH_POOL);
    for (i = 0; i < 4; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, call_many, server), 0);
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"handlers call handlers at a full pool", a_full_pool},
    {"handlers that call without end are stopped", handlers_that_call_without_end},
    {"the server of a call is borrowed", a_borrowed_server},
    {"what a handler calls is called on behalf of its call", on_behalf_of_a_call},
    {"tools of an executor run there", tools_of_an_executor},
    {"many threads call at once", many_threads_at_once},
    {NULL, NULL},
};
