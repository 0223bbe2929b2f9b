/* fork(): the child is told quickly that the parent's handles are not its own, and can make new ones. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "peer.h"

typedef struct family {
    mcp_server *server;
    mcp_tool *tool;
    mcp_listener *listener;
    int started;
    int go_on;
    int freed;
} family;

static void finish(mcp_call *call, void *user_data)
{
    (void)user_data;
    mcp_call_finish_text(call, "done", MCP_NUL_TERMINATED);
}

#define EXPECT(condition) \
    do {                  \
        if (!(condition)) \
            return __LINE__ % 200 + 1; \
    } while (0)

/* What a child does with the handles of its parent. Returns 0, or where it went wrong. */
static int use_the_parents(void *context)
{
    family *family = context;
    mcp_listener *listener = NULL;
    mcp_server *server = family->server;
    EXPECT(mcp_server_set_title(server, "t") == MCP_STATUS_ERR_FORKED);
    EXPECT(strstr(mcp_last_error(), "fork") != NULL);
    EXPECT(mcp_server_set_instructions(server, "t") == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_server_set_option(server, "max_depth", "9") == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_server_add_tool(server, family->tool, finish, &family->freed, count_free) == MCP_STATUS_ERR_FORKED);
    EXPECT(family->freed == 1);
    EXPECT(mcp_server_remove_tool(server, "a") == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_server_set_executor(server, NULL, NULL, NULL) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_server_run_stdio(server) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_server_start_http(server, NULL, &listener) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_server_shutdown(server, 0) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_server_wait(server, MCP_WAIT_FOREVER) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_listener_shutdown(family->listener, 0) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_listener_port(family->listener) != 0);
    mcp_listener_free(family->listener);
    mcp_server_free(server);
    return 0;
}

/* A whole life of a server in a child. Returns 0, or where it went wrong. */
static int serve_anew(void *context)
{
    peer peer;
    char *answer;
    mcp_listener *listener = NULL;
    mcp_server *server = server_with("b", finish, NULL, MCP_DISPATCH_POOL);
    (void)context;
    EXPECT(mcp_server_start_http(server, NULL, &listener) == MCP_STATUS_OK);
    peer_start(&peer, server);
    answer = peer_call(&peer, "b", "{}");
    EXPECT(answer != NULL && strstr(answer, "\"text\":\"done\"") != NULL);
    free(answer);
    peer_stop(&peer);
    EXPECT(peer.status == MCP_STATUS_OK);
    mcp_listener_free(listener);
    mcp_server_free(server);
    EXPECT(thread_count() == 1);
    return 0;
}

static int use_a_builder(void *context)
{
    family *family = context;
    EXPECT(mcp_tool_set_title(family->tool, "t") == MCP_STATUS_OK);
    mcp_tool_free(family->tool);
    return 0;
}

static void a_child_of_an_idle_server(void)
{
    family family;
    memset(&family, 0, sizeof family);
    family.server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_tool_new("b", &family.tool));
    CHECK_OK(mcp_server_start_http(family.server, NULL, &family.listener));
    CHECK_INT(in_child(use_the_parents, &family), 0);
    CHECK_INT(in_child(serve_anew, &family), 0);
    CHECK_INT(in_child(use_a_builder, &family), 0);
    mcp_tool_free(family.tool);
    mcp_listener_free(family.listener);
    mcp_server_free(family.server);
}

static void wait_and_finish(mcp_call *call, void *user_data)
{
    family *family = user_data;
    count_up(&family->started);
    CHECK(wait_for_count(&family->go_on, 1));
    CHECK_OK(mcp_call_finish_text(call, "unharmed", MCP_NUL_TERMINATED));
}

static void a_child_amid_a_call(void)
{
    family family;
    peer peer;
    char *answer;
    int id;
    memset(&family, 0, sizeof family);
    CHECK_OK(mcp_server_new("test", "1.0", &family.server));
    add_plain_tool(family.server, "a", wait_and_finish, &family, NULL, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_tool_new("b", &family.tool));
    CHECK_OK(mcp_server_start_http(family.server, NULL, &family.listener));
    peer_start(&peer, family.server);
    id = peer_send_call(&peer, "a", "{}");
    CHECK(wait_for_count(&family.started, 1));
    CHECK_INT(in_child(use_the_parents, &family), 0);
    CHECK_INT(in_child(use_a_builder, &family), 0);
    /* The parent serves on. */
    count_up(&family.go_on);
    answer = peer_answer(&peer, id);
    CHECK_HAS(answer, "unharmed");
    free(answer);
    answer = peer_request(&peer, "tools/list", "");
    CHECK_HAS(answer, "\"name\":\"a\"");
    free(answer);
    peer_stop(&peer);
    mcp_tool_free(family.tool);
    mcp_listener_free(family.listener);
    mcp_server_free(family.server);
}

static int use_a_call(void *context)
{
    mcp_call *call = context;
    const char *text = NULL;
    mcp_call *again;
    EXPECT(mcp_call_arguments(call, &text, NULL) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_call_get_string(call, "x", &text, NULL) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_call_progress(call, 1, 0, NULL) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_call_log(call, MCP_LOG_INFO, NULL, "1", 1) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_call_add_text(call, "x", 1) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_call_set_structured(call, "1", 1) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_call_on_cancel(call, finish, NULL, NULL) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_call_finish(call) == MCP_STATUS_ERR_FORKED);
    EXPECT(mcp_call_finish_text(call, "from the child", MCP_NUL_TERMINATED) == MCP_STATUS_ERR_FORKED);
    EXPECT(!mcp_call_is_cancelled(call));
    EXPECT(mcp_call_name(call) == NULL);
    again = mcp_call_retain(call);
    mcp_call_release(again);
    mcp_call_release(again);
    return 0;
}

static void fork_and_finish(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_INT(in_child(use_a_call, call), 0);
    CHECK_OK(mcp_call_finish_text(call, "from the parent", MCP_NUL_TERMINATED));
}

static void a_child_of_a_handler(void)
{
    static const int DISPATCH[] = {MCP_DISPATCH_POOL, MCP_DISPATCH_INLINE};
    size_t i;
    for (i = 0; i < 2; i++) {
        peer peer;
        char *answer;
        mcp_server *server = server_with("a", fork_and_finish, NULL, DISPATCH[i]);
        peer_start(&peer, server);
        answer = peer_call(&peer, "a", "{}");
        CHECK_HAS(answer, "from the parent");
        free(answer);
        peer_stop(&peer);
        mcp_server_free(server);
    }
}

#ifndef __SANITIZE_ADDRESS__
/* Forks again and again while another thread uses the library: no lock is ever left held in a child. */
static int log_and_serve(void *context)
{
    mcp_server *server = NULL;
    mcp_tool *tool = NULL;
    EXPECT(mcp_set_log_handler(NULL, NULL, NULL) == MCP_STATUS_OK);
    EXPECT(mcp_server_new("child", "1", &server) == MCP_STATUS_OK);
    EXPECT(mcp_tool_new("a b", &tool) == MCP_STATUS_ERR_INVALID_ARG);
    EXPECT(mcp_tool_new("c", &tool) == MCP_STATUS_OK);
    EXPECT(mcp_server_add_tool(server, tool, finish, NULL, NULL) == MCP_STATUS_OK);
    mcp_tool_free(tool);
    mcp_server_free(server);
    (void)context;
    return 0;
}

static void drop_line(int level, const char *message, void *user_data)
{
    (void)level;
    (void)message;
    (void)user_data;
}

static void *keep_busy(void *stop)
{
    while (count_of(stop) == 0) {
        mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
        mcp_set_log_handler(drop_line, NULL, NULL);
        mcp_server_free(server);
        mcp_set_log_handler(NULL, NULL, NULL);
    }
    return NULL;
}

static void children_of_a_busy_process(void)
{
    int stop = 0;
    int i;
    pthread_t busy;
    CHECK_INT(pthread_create(&busy, NULL, keep_busy, &stop), 0);
    for (i = 0; i < 20 / slowness() + 1; i++)
        CHECK_INT(in_child(log_and_serve, NULL), 0);
    count_up(&stop);
    pthread_join(busy, NULL);
}
#endif

const test TESTS[] = {
#ifndef __SANITIZE_ADDRESS__ /* whose allocator does not survive a fork while another thread allocates */
    /* First, while the library has not made anything yet. */
    {"children of a process that uses the library just then", children_of_a_busy_process},
#endif
    {"a child of an idle server", a_child_of_an_idle_server},
    {"a child while a call runs", a_child_amid_a_call},
    {"a child of a handler", a_child_of_a_handler},
    {NULL, NULL},
};
