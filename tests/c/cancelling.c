/* Cancellation: the flag, the callbacks and their destructors. */

#include <stdlib.h>

#include "harness.h"
#include "peer.h"

typedef struct state {
    int started;
    int go_on;
    int cancelled;
    int freed;
    int freed_too_early;
    int done;
    mcp_call *kept;
    mcp_server *server;
} state;

static void free_registration(void *user_data)
{
    count_up(&((state *)user_data)->freed);
}

static void on_cancel(mcp_call *call, void *user_data)
{
    state *state = user_data;
    const char *text = NULL;
    CHECK(mcp_call_is_cancelled(call));
    CHECK_STR(mcp_call_name(call), "a");
    CHECK_OK(mcp_call_arguments(call, &text, NULL));
    CHECK_STR(text, "{}");
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_CANCELLED);
    CHECK_STATUS(mcp_server_wait(state->server, MCP_WAIT_FOREVER), MCP_STATUS_ERR_DEADLOCK);
    CHECK_INT(count_of(&state->freed), 0);
    count_up(&state->cancelled);
}

static void wait_for_cancel(mcp_call *call, void *user_data)
{
    state *state = user_data;
    CHECK_OK(mcp_call_on_cancel(call, on_cancel, state, free_registration));
    count_up(&state->started);
    CHECK(wait_for_count(&state->cancelled, 1));
    CHECK(wait_for_count(&state->freed, 1));
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_CANCELLED);
    count_up(&state->done);
}

static void keep_with_callback(mcp_call *call, void *user_data)
{
    state *state = user_data;
    CHECK_OK(mcp_call_on_cancel(call, on_cancel, state, free_registration));
    state->kept = mcp_call_retain(call);
    count_up(&state->started);
}

/* Sends a call of the tool "a", cancels it once it has started, and waits for `done`. */
static void cancel_one(mcp_handler handler, int dispatch, state *state, const int *done)
{
    peer peer;
    mcp_server *server = server_with("a", handler, state, dispatch);
    state->server = server;
    peer_start(&peer, server);
    peer_send_call(&peer, "a", "{}");
    CHECK(wait_for_count(&state->started, 1));
    peer_cancel(&peer, peer.last_id);
    CHECK(wait_for_count(done, 1));
    peer_stop(&peer);
    if (state->kept != NULL)
        mcp_call_release(state->kept);
    mcp_server_free(server);
    CHECK_INT(state->cancelled, 1);
    CHECK_INT(state->freed, 1);
}

static void a_callback_while_the_handler_runs(void)
{
    state state = {0};
    cancel_one(wait_for_cancel, MCP_DISPATCH_POOL, &state, &state.done);
}

static void a_callback_after_the_handler(void)
{
    state state = {0}, inline_state = {0};
    cancel_one(keep_with_callback, MCP_DISPATCH_POOL, &state, &state.freed);
    cancel_one(keep_with_callback, MCP_DISPATCH_INLINE, &inline_state, &inline_state.freed);
}

static void too_late(mcp_call *call, void *user_data)
{
    state *state = user_data;
    count_up(&state->started);
    CHECK(wait_for_count(&state->go_on, 1));
    CHECK_OK(mcp_call_on_cancel(call, on_cancel, state, free_registration));
    /* It was called before this returned. */
    CHECK_INT(state->cancelled, 1);
    CHECK_INT(state->freed, 1);
    count_up(&state->done);
}

static void a_callback_that_comes_late_is_called_at_once(void)
{
    state state = {0};
    peer peer;
    char *line;
    mcp_server *server = server_with("a", too_late, &state, MCP_DISPATCH_POOL);
    state.server = server;
    peer_start(&peer, server);
    peer_send_call(&peer, "a", "{}");
    CHECK(wait_for_count(&state.started, 1));
    peer_cancel(&peer, peer.last_id);
    line = peer_request(&peer, "server/discover", "");
    free(line);
    count_up(&state.go_on);
    CHECK(wait_for_count(&state.done, 1));
    peer_stop(&peer);
    mcp_server_free(server);
}

static void finish_uncancelled(mcp_call *call, void *user_data)
{
    state *state = user_data;
    CHECK_OK(mcp_call_on_cancel(call, on_cancel, state, free_registration));
    CHECK_INT(count_of(&state->freed), 0);
    CHECK_OK(mcp_call_finish(call));
    CHECK_INT(count_of(&state->freed), 1);
    CHECK_OK(mcp_call_on_cancel(call, on_cancel, state, free_registration));
    CHECK_INT(count_of(&state->freed), 2);
}

static void never_finish(mcp_call *call, void *user_data)
{
    CHECK_OK(mcp_call_on_cancel(call, on_cancel, user_data, free_registration));
}

static void drop_line(int level, const char *message, void *user_data)
{
    (void)level;
    (void)message;
    (void)user_data;
}

static void a_call_that_ends_otherwise(void)
{
    state state = {0}, forgotten = {0};
    peer peer;
    char *answer;
    mcp_server *server = server_with("a", finish_uncancelled, &state, MCP_DISPATCH_POOL);
    add_plain_tool(server, "b", never_finish, &forgotten, NULL, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_set_log_handler(drop_line, NULL, NULL));
    peer_start(&peer, server);
    answer = peer_call(&peer, "a", "{}");
    CHECK_HAS(answer, "\"result\"");
    free(answer);
    answer = peer_call(&peer, "b", "{}");
    CHECK_HAS(answer, "\"error\"");
    free(answer);
    CHECK(wait_for_count(&state.freed, 2));
    CHECK(wait_for_count(&forgotten.freed, 1));
    peer_stop(&peer);
    mcp_server_free(server);
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
    CHECK_INT(state.cancelled + forgotten.cancelled, 0);
}

static void shut_down(void)
{
    state state = {0};
    peer peer;
    mcp_server *server = server_with("a", wait_for_cancel, &state, MCP_DISPATCH_POOL);
    state.server = server;
    peer_start(&peer, server);
    peer_send_call(&peer, "a", "{}");
    CHECK(wait_for_count(&state.started, 1));
    CHECK_OK(mcp_server_shutdown(server, 20));
    CHECK(wait_for_count(&state.done, 1));
    CHECK_OK(mcp_server_wait(server, 30000));
    peer_stop(&peer);
    CHECK_INT(peer.status, MCP_STATUS_OK);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"a callback comes while the handler runs", a_callback_while_the_handler_runs},
    {"a callback comes after the handler has returned", a_callback_after_the_handler},
    {"a callback that comes late is called at once", a_callback_that_comes_late_is_called_at_once},
    {"a call that ends otherwise only frees the registration", a_call_that_ends_otherwise},
    {"a shutdown cancels what is not finished in time", shut_down},
    {NULL, NULL},
};
