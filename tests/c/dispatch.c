/* Where handlers run: on the pool, inline, on the host's own loop. */

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"

typedef struct meeting {
    int arrived;
    int expected;
} meeting;

static void meet(mcp_call *call, void *user_data)
{
    meeting *meeting = user_data;
    count_up(&meeting->arrived);
    CHECK(wait_for_count(&meeting->arrived, meeting->expected));
    CHECK_OK(mcp_call_finish_text(call, "met", MCP_NUL_TERMINATED));
}

static void the_pool(void)
{
    enum { CALLS = 8 };
    meeting meeting = {0, CALLS};
    peer peer;
    int i;
    mcp_server *server = server_with("a", meet, &meeting, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    for (i = 0; i < CALLS; i++)
        peer_send_call(&peer, "a", "{}");
    for (i = 0; i < CALLS; i++) {
        char *line = peer_read(&peer);
        CHECK_HAS(line, "\"text\":\"met\"");
        free(line);
    }
    peer_stop(&peer);
    mcp_server_free(server);
}

typedef struct stuck {
    int started;
    int go_on;
} stuck;

static void get_stuck(mcp_call *call, void *user_data)
{
    stuck *stuck = user_data;
    count_up(&stuck->started);
    CHECK(wait_for_count(&stuck->go_on, 1));
    CHECK_OK(mcp_call_finish(call));
}

static void a_full_pool(void)
{
    stuck stuck = {0, 0};
    peer peer;
    char *line;
    int first, second;
    mcp_server *server = server_with("a", get_stuck, &stuck, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_server_set_option(server, "handler_threads", "1"));
    CHECK_OK(mcp_server_set_option(server, "handler_queue", "1"));
    peer_start(&peer, server);
    first = peer_send_call(&peer, "a", "{}");
    CHECK(wait_for_count(&stuck.started, 1));
    second = peer_send_call(&peer, "a", "{}");
    line = peer_call(&peer, "a", "{}");
    CHECK_HAS(line, "\"isError\":true");
    CHECK_HAS(line, "busy");
    free(line);
    /* Stuck handlers hold up nothing else. */
    line = peer_request(&peer, "tools/list", "");
    CHECK_HAS(line, "\"tools\":[");
    free(line);
    count_up(&stuck.go_on);
    free(peer_answer(&peer, first));
    free(peer_answer(&peer, second));
    peer_stop(&peer);
    mcp_server_free(server);
}

static void say(mcp_call *call, void *user_data)
{
    CHECK_OK(mcp_call_finish_text(call, user_data, MCP_NUL_TERMINATED));
}

static void inline_handlers(void)
{
    static char text[] = "inline";
    peer peer;
    char *line;
    int threads = thread_count();
    mcp_server *server = server_with("a", say, text, MCP_DISPATCH_INLINE);
    peer_start(&peer, server);
    line = peer_call(&peer, "a", "{}");
    CHECK_HAS(line, "\"text\":\"inline\"");
    free(line);
    /* The thread of the peer, the one of stdio, and perhaps those of timers: no pool. */
    CHECK(thread_count() <= threads + 4);
    peer_stop(&peer);
    mcp_server_free(server);
}

/* A loop of the host: one job at a time. */
typedef struct loop {
    mcp_job *jobs[16];
    int queued;
    int taken;
    int freed;
} loop;

static void enqueue(mcp_job *job, void *user_data)
{
    loop *loop = user_data;
    loop->jobs[loop->queued] = job;
    count_up(&loop->queued);
}

static mcp_job *next_job(loop *loop)
{
    CHECK(wait_for_count(&loop->queued, loop->taken + 1));
    return loop->jobs[loop->taken++];
}

static void free_loop(void *user_data)
{
    loop *loop = user_data;
    while (loop->taken < loop->queued)
        mcp_job_drop(loop->jobs[loop->taken++]);
    count_up(&loop->freed);
}

static pthread_t handler_thread;

static void note_thread(mcp_call *call, void *user_data)
{
    handler_thread = pthread_self();
    CHECK_STATUS(mcp_server_wait(user_data, 0), MCP_STATUS_ERR_DEADLOCK);
    CHECK_OK(mcp_call_finish_text(call, "on the loop", MCP_NUL_TERMINATED));
}

static void drop_line(int level, const char *message, void *user_data)
{
    (void)level;
    (void)message;
    count_up(user_data);
}

static void the_hosts_loop(void)
{
    loop loop;
    peer peer;
    char *line;
    int id;
    int logged = 0;
    mcp_server *server = NULL;
    memset(&loop, 0, sizeof loop);
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    add_plain_tool(server, "a", note_thread, server, NULL, MCP_DISPATCH_HOST);
    CHECK_OK(mcp_set_log_handler(drop_line, &logged, NULL));
    peer_start(&peer, server);

    /* Without an executor the call cannot run. */
    line = peer_call(&peer, "a", "{}");
    CHECK_HAS(line, "\"code\":-32603");
    free(line);
    CHECK_OK(mcp_server_set_executor(server, enqueue, &loop, free_loop));

    id = peer_send_call(&peer, "a", "{}");
    mcp_job_run(next_job(&loop));
    CHECK(pthread_equal(handler_thread, pthread_self()));
    line = peer_answer(&peer, id);
    CHECK_HAS(line, "on the loop");
    free(line);

    id = peer_send_call(&peer, "a", "{}");
    mcp_job_drop(next_job(&loop));
    line = peer_answer(&peer, id);
    CHECK_HAS(line, "\"code\":-32603");
    free(line);

    /* A call that was cancelled while it waited is not run. */
    id = peer_send_call(&peer, "a", "{}");
    CHECK(wait_for_count(&loop.queued, 3));
    peer_cancel(&peer, id);
    free(peer_request(&peer, "server/discover", ""));
    handler_thread = peer.thread;
    mcp_job_run(next_job(&loop));
    CHECK(!pthread_equal(handler_thread, pthread_self()));

    /* One that still waits when the server goes is dropped by the loop's destructor. */
    CHECK_OK(mcp_server_set_option(server, "drain_ms", "10"));
    peer_send_call(&peer, "a", "{}");
    CHECK(wait_for_count(&loop.queued, 4));
    peer_stop(&peer);
    mcp_server_free(server);
    CHECK_INT(loop.freed, 1);
    CHECK_INT(loop.taken, 4);
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
}

/* Adds a resource, a template and a prompt whose handlers run where `dispatch` says. */
static void add_others(mcp_server *server, int dispatch)
{
    mcp_resource *resource = NULL;
    mcp_resource_template *resource_template = NULL;
    mcp_prompt *prompt = NULL;
    CHECK_OK(mcp_resource_new("x:r", "r", &resource));
    CHECK_OK(mcp_resource_set_dispatch(resource, dispatch));
    CHECK_OK(mcp_server_add_resource(server, resource, note_thread, server, NULL));
    mcp_resource_free(resource);
    CHECK_OK(mcp_resource_template_new("x:{t}/t", "t", &resource_template));
    CHECK_OK(mcp_resource_template_set_dispatch(resource_template, dispatch));
    CHECK_OK(mcp_server_add_resource_template(server, resource_template, note_thread, server, NULL));
    mcp_resource_template_free(resource_template);
    CHECK_OK(mcp_prompt_new("p", &prompt));
    CHECK_OK(mcp_prompt_set_dispatch(prompt, dispatch));
    CHECK_OK(mcp_server_add_prompt(server, prompt, note_thread, server, NULL));
    mcp_prompt_free(prompt);
}

static void resources_and_prompts(void)
{
    static const char *const REQUESTS[][2] = {
        {"resources/read", "\"uri\":\"x:r\""},
        {"resources/read", "\"uri\":\"x:1/t\""},
        {"prompts/get", "\"name\":\"p\""},
    };
    loop loop;
    peer peer;
    size_t i;
    mcp_server *server = NULL;
    memset(&loop, 0, sizeof loop);
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    CHECK_OK(mcp_server_set_executor(server, enqueue, &loop, free_loop));
    peer_start(&peer, server);
    add_others(server, MCP_DISPATCH_HOST);
    for (i = 0; i < 3; i++) {
        int id = peer_send(&peer, REQUESTS[i][0], REQUESTS[i][1]);
        char *answer;
        mcp_job_run(next_job(&loop));
        CHECK(pthread_equal(handler_thread, pthread_self()));
        answer = peer_answer(&peer, id);
        CHECK_HAS(answer, "on the loop");
        free(answer);
    }
    add_others(server, MCP_DISPATCH_INLINE);
    for (i = 0; i < 3; i++) {
        char *answer = peer_request(&peer, REQUESTS[i][0], REQUESTS[i][1]);
        CHECK_HAS(answer, "on the loop");
        CHECK(!pthread_equal(handler_thread, pthread_self()));
        free(answer);
    }
    peer_stop(&peer);
    mcp_server_free(server);
    CHECK(loop.freed == 1 && loop.taken == 3);
}

const test TESTS[] = {
    {"handlers on the pool run side by side", the_pool},
    {"a full pool says so, and holds up nothing else", a_full_pool},
    {"an inline handler needs no pool", inline_handlers},
    {"jobs run and are dropped on the host's own loop", the_hosts_loop},
    {"resources and prompts run where they say", resources_and_prompts},
    {NULL, NULL},
};
