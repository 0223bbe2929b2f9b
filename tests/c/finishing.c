/* Exactly one finish: twice, later, from another thread, after a cancel, never. */

#include <stdlib.h>

#include "harness.h"
#include "peer.h"

static void quiet(int level, const char *message, void *user_data)
{
    (void)level;
    (void)message;
    count_up(user_data);
}

static void twice(mcp_call *call, void *user_data)
{
    CHECK_OK(mcp_call_finish_text(call, "first", MCP_NUL_TERMINATED));
    CHECK_STATUS(mcp_call_finish_text(call, "second", MCP_NUL_TERMINATED), MCP_STATUS_ERR_ALREADY_FINISHED);
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_ALREADY_FINISHED);
    CHECK_STATUS(mcp_call_finish_json(call, "{\"content\":[]}", 14), MCP_STATUS_ERR_ALREADY_FINISHED);
    CHECK_STATUS(mcp_call_finish_tool_error(call, "x", 1), MCP_STATUS_ERR_ALREADY_FINISHED);
    CHECK_STATUS(mcp_call_finish_error(call, 1, "x", NULL, 0), MCP_STATUS_ERR_ALREADY_FINISHED);
    CHECK_STATUS(mcp_call_add_text(call, "x", 1), MCP_STATUS_ERR_ALREADY_FINISHED);
    CHECK_STATUS(mcp_call_set_structured(call, "1", 1), MCP_STATUS_ERR_ALREADY_FINISHED);
    CHECK_STATUS(mcp_call_set_meta(call, "{}", 2), MCP_STATUS_ERR_ALREADY_FINISHED);
    CHECK_STATUS(mcp_call_progress(call, 1, 0, NULL), MCP_STATUS_ERR_ALREADY_FINISHED);
    CHECK_STATUS(mcp_call_log(call, MCP_LOG_ERROR, NULL, "1", 1), MCP_STATUS_ERR_ALREADY_FINISHED);
    CHECK(!mcp_call_is_cancelled(call));
    count_up(user_data);
}

static void finishing_twice(void)
{
    peer peer;
    char *answer;
    int done = 0;
    mcp_server *server = server_with("a", twice, &done, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    answer = peer_call(&peer, "a", "{}");
    CHECK_HAS(answer, "\"text\":\"first\"");
    free(answer);
    CHECK(wait_for_count(&done, 1));
    /* The next thing that is heard is the answer to the next request. */
    peer_send(&peer, "server/discover", "");
    answer = peer_read(&peer);
    CHECK_HAS(answer, "\"id\":2");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

typedef struct later {
    pthread_t thread;
    mcp_call *call;
    int returned;
} later;

static void *finish_later(void *context)
{
    later *later = context;
    CHECK(wait_for_count(&later->returned, 1));
    CHECK_OK(mcp_call_add_text(later->call, "from another thread", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_finish(later->call));
    mcp_call_release(later->call);
    return NULL;
}

static void hand_over(mcp_call *call, void *user_data)
{
    later *later = user_data;
    later->call = mcp_call_retain(call);
    CHECK(later->call == call);
    CHECK_INT(pthread_create(&later->thread, NULL, finish_later, later), 0);
}

static void finishing_later(void)
{
    static const int DISPATCH[] = {MCP_DISPATCH_POOL, MCP_DISPATCH_INLINE};
    size_t i;
    for (i = 0; i < 2; i++) {
        peer peer;
        later later = {0};
        char *answer;
        int id;
        mcp_server *server = server_with("a", hand_over, &later, DISPATCH[i]);
        peer_start(&peer, server);
        id = peer_send_call(&peer, "a", "{}");
        /* Another request is answered while the call is open. */
        answer = peer_request(&peer, "server/discover", "");
        CHECK_HAS(answer, "\"id\":2");
        free(answer);
        count_up(&later.returned);
        answer = peer_answer(&peer, id);
        CHECK_HAS(answer, "from another thread");
        free(answer);
        pthread_join(later.thread, NULL);
        peer_stop(&peer);
        mcp_server_free(server);
    }
}

static void forget(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_add_text(call, "never sent", MCP_NUL_TERMINATED));
}

static void release_unfinished(mcp_call *call, void *user_data)
{
    mcp_call *again = mcp_call_retain(call);
    (void)user_data;
    mcp_call_release(again);
}

static void never_finishing(void)
{
    static const mcp_handler HANDLERS[] = {forget, release_unfinished};
    size_t i;
    for (i = 0; i < 2; i++) {
        peer peer;
        char *answer;
        int logged = 0;
        mcp_server *server = server_with("a", HANDLERS[i], NULL, MCP_DISPATCH_POOL);
        CHECK_OK(mcp_set_log_handler(quiet, &logged, NULL));
        peer_start(&peer, server);
        answer = peer_call(&peer, "a", "{}");
        CHECK_HAS(answer, "\"code\":-32603");
        CHECK_HAS(answer, "tool \\\"a\\\"");
        CHECK_LACKS(answer, "never sent");
        free(answer);
        CHECK(count_of(&logged) >= 1);
        peer_stop(&peer);
        mcp_server_free(server);
        CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
    }
}

typedef struct waiting {
    int started;
    int go_on;
    int done;
} waiting;

static void finish_after_cancel(mcp_call *call, void *user_data)
{
    waiting *waiting = user_data;
    count_up(&waiting->started);
    CHECK(wait_for_count(&waiting->go_on, 1));
    CHECK(mcp_call_is_cancelled(call));
    CHECK_STATUS(mcp_call_progress(call, 1, 0, NULL), MCP_STATUS_ERR_CANCELLED);
    CHECK_STATUS(mcp_call_add_text(call, "x", 1), MCP_STATUS_ERR_CANCELLED);
    CHECK_STATUS(mcp_call_finish_text(call, "too late", MCP_NUL_TERMINATED), MCP_STATUS_ERR_CANCELLED);
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_CANCELLED);
    count_up(&waiting->done);
}

static void finishing_after_a_cancel(void)
{
    peer peer;
    waiting waiting = {0};
    char *line;
    mcp_server *server = server_with("a", finish_after_cancel, &waiting, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    peer_send_call(&peer, "a", "{}");
    CHECK(wait_for_count(&waiting.started, 1));
    peer_cancel(&peer, peer.last_id);
    /* The cancellation was read when this is answered. */
    line = peer_request(&peer, "server/discover", "");
    free(line);
    count_up(&waiting.go_on);
    CHECK(wait_for_count(&waiting.done, 1));
    peer_send(&peer, "server/discover", "");
    line = peer_read(&peer);
    CHECK_HAS(line, "\"id\":3");
    free(line);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void overstay(mcp_call *call, void *user_data)
{
    long long until = now_ms() + 30000;
    while (!mcp_call_is_cancelled(call) && now_ms() < until)
        sleep_ms(1);
    CHECK(mcp_call_is_cancelled(call));
    CHECK_STATUS(mcp_call_finish_text(call, "too late", MCP_NUL_TERMINATED), MCP_STATUS_ERR_ALREADY_FINISHED);
    count_up(user_data);
}

static void running_out_of_time(void)
{
    peer peer;
    char *answer;
    int done = 0;
    mcp_server *server = server_with("a", overstay, &done, MCP_DISPATCH_POOL);
    /* Long enough for the handler to begin. */
    CHECK_OK(mcp_server_set_option(server, "handler_timeout_ms", slowness() == 1 ? "200" : "2000"));
    peer_start(&peer, server);
    answer = peer_call(&peer, "a", "{}");
    CHECK_HAS(answer, "\"isError\":true");
    CHECK_HAS(answer, "00 ms");
    free(answer);
    CHECK(wait_for_count(&done, 1));
    peer_stop(&peer);
    mcp_server_free(server);
}

static mcp_call *kept;

static void keep(mcp_call *call, void *user_data)
{
    kept = mcp_call_retain(call);
    count_up(user_data);
}

static void finishing_after_the_server(void)
{
    peer peer;
    int started = 0;
    mcp_server *server = server_with("a", keep, &started, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_server_set_option(server, "drain_ms", "10"));
    peer_start(&peer, server);
    peer_send_call(&peer, "a", "{}");
    CHECK(wait_for_count(&started, 1));
    peer_stop(&peer);
    mcp_server_free(server);
    CHECK(mcp_call_is_cancelled(kept));
    CHECK_STATUS(mcp_call_finish_text(kept, "x", 1), MCP_STATUS_ERR_CANCELLED);
    mcp_call_release(kept);
}

const test TESTS[] = {
    {"a second finish is refused and sends nothing", finishing_twice},
    {"another thread may finish later", finishing_later},
    {"a call that is never finished is answered for", never_finishing},
    {"after a cancel nothing is sent", finishing_after_a_cancel},
    {"a call that takes too long is answered for", running_out_of_time},
    {"a call that is kept outlives its server", finishing_after_the_server},
    {NULL, NULL},
};
