/* Each destructor runs exactly once, whatever becomes of its registration. */

#include <stdlib.h>

#include "harness.h"
#include "peer.h"

static void finish(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish(call));
}

static mcp_server *new_server(void)
{
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    return server;
}

static void replaced_removed_and_freed(void)
{
    int first = 0, second = 0, third = 0;
    mcp_server *server = new_server();
    add_plain_tool(server, "a", finish, &first, count_free, MCP_DISPATCH_POOL);
    add_plain_tool(server, "a", finish, &second, count_free, MCP_DISPATCH_POOL);
    CHECK_INT(first, 1);
    CHECK_OK(mcp_server_remove_tool(server, "a"));
    CHECK_INT(second, 1);
    add_plain_tool(server, "a", finish, &third, count_free, MCP_DISPATCH_POOL);
    CHECK_INT(third, 0);
    mcp_server_free(server);
    CHECK(first == 1 && second == 1 && third == 1);
}

static void a_failed_registration(void)
{
    int freed = 0;
    mcp_tool *tool = NULL;
    mcp_server *server = new_server();
    CHECK_OK(mcp_tool_new("a", &tool));
    CHECK_OK(mcp_tool_set_input_schema(tool, "{\"type\":\"nonsense\"}", MCP_NUL_TERMINATED));
    CHECK_STATUS(mcp_server_add_tool(server, tool, finish, &freed, count_free), MCP_STATUS_ERR_INVALID_SCHEMA);
    CHECK_INT(freed, 1);
    mcp_tool_free(tool);
    mcp_server_free(server);
    CHECK_INT(freed, 1);
}

static void pointers_without_destructor_and_the_reverse(void)
{
    mcp_server *server = new_server();
    add_plain_tool(server, "a", finish, &server, NULL, MCP_DISPATCH_POOL);
    add_plain_tool(server, "b", finish, NULL, free, MCP_DISPATCH_POOL);
    mcp_server_free(server);
}

typedef struct tool_state {
    int freed;
    int started;
    int go_on;
    mcp_call *kept;
} tool_state;

static void free_state(void *user_data)
{
    count_up(&((tool_state *)user_data)->freed);
}

static void wait_then_finish(mcp_call *call, void *user_data)
{
    tool_state *state = user_data;
    count_up(&state->started);
    CHECK(wait_for_count(&state->go_on, 1));
    CHECK_INT(count_of(&state->freed), 0);
    CHECK_OK(mcp_call_finish(call));
}

static void not_before_the_last_call(void)
{
    tool_state state = {0};
    peer peer;
    char *answer;
    int id;
    mcp_server *server = new_server();
    add_plain_tool(server, "a", wait_then_finish, &state, free_state, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    id = peer_send_call(&peer, "a", "{}");
    CHECK(wait_for_count(&state.started, 1));
    CHECK_OK(mcp_server_remove_tool(server, "a"));
    CHECK_INT(count_of(&state.freed), 0);
    count_up(&state.go_on);
    answer = peer_answer(&peer, id);
    CHECK_HAS(answer, "\"result\"");
    free(answer);
    CHECK(wait_for_count(&state.freed, 1));
    peer_stop(&peer);
    mcp_server_free(server);
    CHECK_INT(count_of(&state.freed), 1);
}

static void keep(mcp_call *call, void *user_data)
{
    tool_state *state = user_data;
    state->kept = mcp_call_retain(call);
    CHECK_OK(mcp_call_finish(call));
    count_up(&state->started);
}

static void not_before_the_last_reference(void)
{
    tool_state state = {0};
    peer peer;
    char *answer;
    mcp_server *server = new_server();
    add_plain_tool(server, "a", keep, &state, free_state, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    answer = peer_call(&peer, "a", "{}");
    free(answer);
    CHECK(wait_for_count(&state.started, 1));
    peer_stop(&peer);
    mcp_server_free(server);
    CHECK_INT(count_of(&state.freed), 0);
    mcp_call_release(state.kept);
    CHECK_INT(count_of(&state.freed), 1);
}

static void drop_job(mcp_job *job, void *user_data)
{
    (void)user_data;
    mcp_job_drop(job);
}

static void of_executors(void)
{
    int first = 0, second = 0;
    mcp_server *server = new_server();
    CHECK_OK(mcp_server_set_executor(server, drop_job, &first, count_free));
    CHECK_OK(mcp_server_set_executor(server, drop_job, &second, count_free));
    CHECK_INT(first, 1);
    CHECK_INT(second, 0);
    mcp_server_free(server);
    CHECK(first == 1 && second == 1);
}

static void ignore_line(int level, const char *message, void *user_data)
{
    (void)level;
    (void)message;
    (void)user_data;
}

static void of_log_handlers(void)
{
    int first = 0, second = 0;
    CHECK_OK(mcp_set_log_handler(ignore_line, &first, count_free));
    CHECK_OK(mcp_set_log_handler(ignore_line, &second, count_free));
    CHECK_INT(first, 1);
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
    CHECK_INT(second, 1);
}

typedef struct nested {
    mcp_server *server;
    int freed;
} nested;

static void free_and_look(void *user_data)
{
    nested *nested = user_data;
    mcp_tool *tool = NULL;
    /* A destructor may use the library, but not wait for it. */
    CHECK_OK(mcp_tool_new("from-a-destructor", &tool));
    mcp_tool_free(tool);
    CHECK_STATUS(mcp_server_wait(nested->server, 0), MCP_STATUS_ERR_DEADLOCK);
    CHECK_STATUS(mcp_server_remove_tool(nested->server, "none"), MCP_STATUS_ERR_NOT_FOUND);
    count_up(&nested->freed);
}

static void may_use_the_library(void)
{
    nested nested = {0};
    mcp_server *server = new_server();
    nested.server = server;
    add_plain_tool(server, "a", finish, &nested, free_and_look, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_server_remove_tool(server, "a"));
    CHECK_INT(nested.freed, 1);
    /* The failure inside the destructor is not the caller's. */
    CHECK_STR(mcp_last_error(), "");
    mcp_server_free(server);
}

const test TESTS[] = {
    {"when a tool is replaced, removed, or freed with its server", replaced_removed_and_freed},
    {"before a registration that fails returns", a_failed_registration},
    {"with neither pointer nor destructor needed", pointers_without_destructor_and_the_reverse},
    {"not before the last call of a removed tool", not_before_the_last_call},
    {"not before the last reference to a call", not_before_the_last_reference},
    {"of executors", of_executors},
    {"of log handlers", of_log_handlers},
    {"which may use the library", may_use_the_library},
    {NULL, NULL},
};
