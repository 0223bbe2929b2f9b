/* The lives of servers and their threads: none is left, none is waited for without end. */

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "peer.h"

static void finish(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish_text(call, "done", MCP_NUL_TERMINATED));
}

static void a_server_that_never_serves(void)
{
    int i;
    CHECK_INT(thread_count(), 1);
    for (i = 0; i < 3; i++) {
        mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
        mcp_server_free(server);
        CHECK_INT(thread_count(), 1);
    }
}

static int descriptor_count(void)
{
    int fd, count = 0;
    for (fd = 0; fd < 1024; fd++)
        count += dup2(fd, fd) >= 0;
    return count;
}

static void a_server_that_has_served(void)
{
    int i;
    int descriptors = descriptor_count();
    for (i = 0; i < 3; i++) {
        peer peer;
        mcp_listener *listener = NULL;
        mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
        CHECK_OK(mcp_server_start_http(server, NULL, &listener));
        peer_start(&peer, server);
        free(peer_call(&peer, "a", "{}"));
        add_plain_tool(server, "b", finish, NULL, NULL, MCP_DISPATCH_POOL);
        CHECK(thread_count() > 1);
        peer_stop(&peer);
        CHECK_INT(peer.status, MCP_STATUS_OK);
        mcp_listener_free(listener);
        mcp_server_free(server);
        CHECK_INT(thread_count(), 1);
        CHECK_INT(descriptor_count(), descriptors);
    }
}

typedef struct stuck {
    int started;
    int go_on;
    int done;
    int freed;
} stuck;

static void free_stuck(void *user_data)
{
    count_up(&((stuck *)user_data)->freed);
}

static void get_stuck(mcp_call *call, void *user_data)
{
    stuck *stuck = user_data;
    count_up(&stuck->started);
    CHECK(wait_for_count(&stuck->go_on, 1));
    CHECK(mcp_call_is_cancelled(call));
    CHECK_STATUS(mcp_call_finish(call), MCP_STATUS_ERR_CANCELLED);
    count_up(&stuck->done);
}

static void count_line(int level, const char *message, void *user_data)
{
    (void)level;
    if (strstr(message, "handler") != NULL)
        count_up(user_data);
}

static void a_handler_that_does_not_return(void)
{
    stuck stuck;
    peer peer;
    int logged = 0;
    long long begun;
    mcp_server *server = NULL;
    memset(&stuck, 0, sizeof stuck);
    CHECK_OK(mcp_set_log_handler(count_line, &logged, NULL));
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    add_plain_tool(server, "a", get_stuck, &stuck, free_stuck, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_server_set_option(server, "drain_ms", "50"));
    peer_start(&peer, server);
    peer_send_call(&peer, "a", "{}");
    CHECK(wait_for_count(&stuck.started, 1));
    begun = now_ms();
    peer_stop(&peer);
    mcp_server_free(server);
    CHECK(now_ms() - begun < 5000 * slowness());
    CHECK(count_of(&logged) >= 1);
    CHECK_INT(count_of(&stuck.freed), 0);
    CHECK_INT(thread_count(), 2);
    count_up(&stuck.go_on);
    CHECK(wait_for_count(&stuck.done, 1));
    CHECK(wait_for_count(&stuck.freed, 1));
    CHECK(wait_for_threads(1));
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
}

typedef struct waits {
    mcp_server *server;
    mcp_listener *listener;
    int done;
} waits;

static void wait_for_itself(mcp_call *call, void *user_data)
{
    waits *waits = user_data;
    mcp_server *other = NULL;
    CHECK_STATUS(mcp_server_wait(waits->server, MCP_WAIT_FOREVER), MCP_STATUS_ERR_DEADLOCK);
    CHECK_STATUS(mcp_server_run_stdio(waits->server), MCP_STATUS_ERR_DEADLOCK);
    CHECK_STATUS(mcp_listener_shutdown(waits->listener, 0), MCP_STATUS_ERR_DEADLOCK);
    mcp_listener_free(waits->listener);
    CHECK_HAS(mcp_last_error(), "handler");
    mcp_server_free(waits->server);
    CHECK_HAS(mcp_last_error(), "handler");
    /* What does not wait is fine. */
    CHECK_OK(mcp_server_set_option(waits->server, "max_depth", "50"));
    CHECK_OK(mcp_server_new("other", "1", &other));
    waits->server = other;
    CHECK_OK(mcp_call_finish_text(call, "alive", MCP_NUL_TERMINATED));
    count_up(&waits->done);
}

static void waiting_for_itself(void)
{
    static const int DISPATCH[] = {MCP_DISPATCH_POOL, MCP_DISPATCH_INLINE};
    size_t i;
    int logged = 0;
    CHECK_OK(mcp_set_log_handler(count_line, &logged, NULL));
    for (i = 0; i < 2; i++) {
        waits waits = {NULL, NULL, 0};
        peer peer;
        char *answer;
        mcp_server *server = server_with("a", wait_for_itself, &waits, DISPATCH[i]);
        waits.server = server;
        CHECK_OK(mcp_server_start_http(server, NULL, &waits.listener));
        peer_start(&peer, server);
        answer = peer_call(&peer, "a", "{}");
        CHECK_HAS(answer, "alive");
        free(answer);
        CHECK(wait_for_count(&waits.done, 1));
        peer_stop(&peer);
        mcp_listener_free(waits.listener);
        mcp_server_free(server);
        mcp_server_free(waits.server);
    }
    CHECK(count_of(&logged) >= 4);
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
}

static void shut_down_inside(mcp_call *call, void *user_data)
{
    CHECK_OK(mcp_server_shutdown(user_data, 30000));
    CHECK_OK(mcp_call_finish_text(call, "the last", MCP_NUL_TERMINATED));
}

static void a_shutdown_from_inside(void)
{
    peer peer;
    char *answer;
    mcp_listener *listener = NULL;
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    add_plain_tool(server, "a", shut_down_inside, server, NULL, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_server_start_http(server, NULL, &listener));
    CHECK_STATUS(mcp_server_wait(server, 0), MCP_STATUS_ERR_TIMEOUT);
    CHECK_HAS(mcp_last_error(), "0 ms");
    peer_start(&peer, server);
    answer = peer_call(&peer, "a", "{}");
    CHECK_HAS(answer, "the last");
    free(answer);
    CHECK_OK(mcp_server_wait(server, MCP_WAIT_FOREVER));
    peer_stop(&peer);
    CHECK_INT(peer.status, MCP_STATUS_OK);
    CHECK_STATUS(mcp_server_start_http(server, NULL, &listener), MCP_STATUS_ERR_SHUTDOWN);
    CHECK_STATUS(mcp_server_run_stdio(server), MCP_STATUS_ERR_SHUTDOWN);
    mcp_server_free(server);
    /* A listener may outlive its server. */
    mcp_listener_free(listener);
    CHECK_INT(thread_count(), 1);
}

static void two_servers_on_one_stdio(void)
{
    peer peer;
    mcp_server *other = NULL;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_server_new("other", "1", &other));
    peer_start(&peer, server);
    free(peer_call(&peer, "a", "{}"));
    CHECK_STATUS(mcp_server_run_stdio(other), MCP_STATUS_ERR_BUSY);
    CHECK_STATUS(mcp_server_run_stdio(server), MCP_STATUS_ERR_BUSY);
    peer_stop(&peer);
    mcp_server_free(server);
    /* The streams are free again. */
    peer_start(&peer, other);
    free(peer_request(&peer, "server/discover", ""));
    peer_stop(&peer);
    CHECK_INT(peer.status, MCP_STATUS_OK);
    mcp_server_free(other);
}

static void *wait_for_end(void *server)
{
    CHECK_OK(mcp_server_wait(server, MCP_WAIT_FOREVER));
    return NULL;
}

static void freeing_while_others_wait(void)
{
    peer peer;
    pthread_t waiting;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    free(peer_call(&peer, "a", "{}"));
    CHECK_INT(pthread_create(&waiting, NULL, wait_for_end, server), 0);
    /* Until the waiting thread sleeps; it does not tell. */
    sleep_ms(50 * slowness());
    mcp_server_free(server);
    pthread_join(waiting, NULL);
    peer_stop(&peer);
    CHECK_INT(peer.status, MCP_STATUS_OK);
}

static void a_host_that_never_cleans_up(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        peer peer;
        mcp_listener *listener = NULL;
        mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
        alarm(10u * (unsigned)slowness());
        CHECK_OK(mcp_server_start_http(server, NULL, &listener));
        peer_start(&peer, server);
        free(peer_call(&peer, "a", "{}"));
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    /* It ended by itself. (The code is changed by tools that look for leaks.) */
    CHECK(WIFEXITED(status));
}

const test TESTS[] = {
    {"a server that never serves has no thread", a_server_that_never_serves},
    {"a server that has served leaves nothing behind", a_server_that_has_served},
    {"a handler that does not return is left alone", a_handler_that_does_not_return},
    {"waiting for itself is refused", waiting_for_itself},
    {"a handler may begin the shutdown", a_shutdown_from_inside},
    {"the standard streams have one server at a time", two_servers_on_one_stdio},
    {"threads that wait return when the server is freed", freeing_while_others_wait},
    {"a host that never cleans up ends all the same", a_host_that_never_cleans_up},
    {NULL, NULL},
};
