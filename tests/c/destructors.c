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

/* Adds a resource, a resource template and a prompt, each with a counter of its own. */
static void add_others(mcp_server *server, int freed[3])
{
    mcp_resource *resource = NULL;
    mcp_resource_template *resource_template = NULL;
    mcp_prompt *prompt = NULL;
    CHECK_OK(mcp_resource_new("x:r", "r", &resource));
    CHECK_OK(mcp_server_add_resource(server, resource, finish, &freed[0], count_free));
    mcp_resource_free(resource);
    CHECK_OK(mcp_resource_template_new("x:{t}", "t", &resource_template));
    CHECK_OK(mcp_server_add_resource_template(server, resource_template, finish, &freed[1], count_free));
    mcp_resource_template_free(resource_template);
    CHECK_OK(mcp_prompt_new("p", &prompt));
    CHECK_OK(mcp_server_add_prompt(server, prompt, finish, &freed[2], count_free));
    mcp_prompt_free(prompt);
}

static void of_resources_and_prompts(void)
{
    int first[3] = {0}, second[3] = {0}, third[3] = {0}, completion = 0;
    size_t i;
    mcp_server *server = new_server();
    add_others(server, first);
    add_others(server, second);
    for (i = 0; i < 3; i++)
        CHECK(first[i] == 1 && second[i] == 0);
    CHECK_OK(mcp_server_remove_resource(server, "x:r"));
    CHECK_OK(mcp_server_remove_resource_template(server, "x:{t}"));
    CHECK_OK(mcp_server_remove_prompt(server, "p"));
    for (i = 0; i < 3; i++)
        CHECK_INT(second[i], 1);
    add_others(server, third);
    CHECK_OK(mcp_server_set_completion(server, finish, &completion, count_free));
    mcp_server_free(server);
    CHECK_INT(completion, 1);
    for (i = 0; i < 3; i++)
        CHECK(first[i] == 1 && second[i] == 1 && third[i] == 1);
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

static int register_in_child(void *server)
{
    int freed = 0;
    mcp_resource *resource = NULL;
    mcp_resource_template *resource_template = NULL;
    mcp_prompt *prompt = NULL;
    if (mcp_resource_new("x:r", "r", &resource) != MCP_STATUS_OK
        || mcp_resource_template_new("x:{t}", "t", &resource_template) != MCP_STATUS_OK
        || mcp_prompt_new("p", &prompt) != MCP_STATUS_OK)
        return -2;
    if (mcp_server_add_resource(server, resource, finish, &freed, count_free) != MCP_STATUS_ERR_FORKED
        || mcp_server_add_resource_template(server, resource_template, finish, &freed, count_free) != MCP_STATUS_ERR_FORKED
        || mcp_server_add_prompt(server, prompt, finish, &freed, count_free) != MCP_STATUS_ERR_FORKED
        || mcp_server_set_completion(server, finish, &freed, count_free) != MCP_STATUS_ERR_FORKED)
        return -3;
    mcp_resource_free(resource);
    mcp_resource_template_free(resource_template);
    mcp_prompt_free(prompt);
    return freed;
}

static void a_registration_in_a_forked_child(void)
{
    mcp_server *server = new_server();
    CHECK_INT(in_child(register_in_child, server), 4);
    mcp_server_free(server);
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

static void ask_and_keep(mcp_call *call, void *user_data)
{
    tool_state *state = user_data;
    CHECK_STATUS(mcp_call_request_input(call, "r", "{\"method\":\"roots/list\"}", MCP_NUL_TERMINATED, NULL, NULL),
                 MCP_STATUS_ERR_INPUT_REQUIRED);
    state->kept = mcp_call_retain(call);
    CHECK_OK(mcp_call_finish_input_required(call));
    count_up(&state->started);
}

static void not_before_the_last_round(void)
{
    tool_state state = {0};
    const char *text;
    peer peer;
    char *answer;
    mcp_server *server = new_server();
    add_plain_tool(server, "a", ask_and_keep, &state, free_state, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    peer.capabilities = "{\"roots\":{}}";
    answer = peer_call(&peer, "a", "{}");
    CHECK_HAS(answer, "input_required");
    free(answer);
    CHECK(wait_for_count(&state.started, 1));
    peer_stop(&peer);
    mcp_server_free(server);
    CHECK_INT(count_of(&state.freed), 0);
    CHECK_STATUS(mcp_call_input(state.kept, "r", &text, NULL), MCP_STATUS_ERR_ALREADY_FINISHED);
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
    {"of resources, templates, prompts and completions too", of_resources_and_prompts},
    {"before a registration that fails returns", a_failed_registration},
    {"when a registration fails in a forked child", a_registration_in_a_forked_child},
    {"with neither pointer nor destructor needed", pointers_without_destructor_and_the_reverse},
    {"not before the last call of a removed tool", not_before_the_last_call},
    {"not before the last reference to a call", not_before_the_last_reference},
    {"not before the last reference to a call that asked", not_before_the_last_round},
    {"of executors", of_executors},
    {"of log handlers", of_log_handlers},
    {"which may use the library", may_use_the_library},
    {NULL, NULL},
};
