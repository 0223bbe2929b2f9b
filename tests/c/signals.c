/* Signals: a peer that dies ends nothing, library threads leave the host's signals alone, handlers have its mask. */

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "peer.h"

static void finish(mcp_call *call, void *user_data)
{
    static char large[100000];
    (void)user_data;
    memset(large, 'x', sizeof large);
    /* Refused if the server noticed first that its client has gone. */
    mcp_call_finish_text(call, large, sizeof large);
}

static int lose_the_client(void *context)
{
    int dispatch;
    (void)context;
    for (dispatch = MCP_DISPATCH_POOL; dispatch <= MCP_DISPATCH_INLINE; dispatch++) {
        peer peer;
        mcp_server *server = server_with("a", finish, NULL, dispatch);
        int i;
        peer_start(&peer, server);
        close(peer.from_server);
        peer.from_server = open("/dev/null", O_RDONLY);
        /* The server goes when it notices, so that the pipe to it may break as well. */
        signal(SIGPIPE, SIG_IGN);
        for (i = 0; i < 20; i++) {
            static const char CALL[] =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"_meta\":{"
                "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n";
            if (write(peer.to_server, CALL, sizeof CALL - 1) < 0)
                break;
        }
        signal(SIGPIPE, SIG_DFL);
        peer_stop(&peer);
        mcp_server_free(server);
    }
    return 42;
}

static void a_client_that_dies(void)
{
    /* With default signals: a SIGPIPE would kill. */
    CHECK_INT(in_child(lose_the_client, NULL), 42);
}

static int shell_status;

static void kill_a_child(mcp_call *call, void *user_data)
{
    (void)user_data;
    shell_status = system("kill -TERM $$; sleep 20");
    CHECK_OK(mcp_call_finish_text(call, "done", MCP_NUL_TERMINATED));
}

static void children_of_handlers(void)
{
    peer peer;
    char *answer;
    mcp_server *server = server_with("a", kill_a_child, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    answer = peer_call(&peer, "a", "{}");
    CHECK_HAS(answer, "\"text\":\"done\"");
    free(answer);
    CHECK(WIFSIGNALED(shell_status) && WTERMSIG(shell_status) == SIGTERM);
    peer_stop(&peer);
    mcp_server_free(server);
}

typedef struct masks {
    sigset_t seen;
    int done;
} masks;

static void look_at_the_mask(mcp_call *call, void *user_data)
{
    masks *masks = user_data;
    CHECK_INT(pthread_sigmask(SIG_BLOCK, NULL, &masks->seen), 0);
    CHECK_OK(mcp_call_finish(call));
    count_up(&masks->done);
}

static void handlers_have_the_mask_of_the_maker(void)
{
    masks masks;
    peer peer;
    sigset_t before, usr1;
    mcp_server *server = NULL;
    memset(&masks, 0, sizeof masks);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    CHECK_INT(pthread_sigmask(SIG_BLOCK, &usr1, &before), 0);
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    CHECK_INT(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
    add_plain_tool(server, "a", look_at_the_mask, &masks, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    free(peer_call(&peer, "a", "{}"));
    CHECK(wait_for_count(&masks.done, 1));
    CHECK_INT(sigismember(&masks.seen, SIGUSR1), 1);
    CHECK_INT(sigismember(&masks.seen, SIGUSR2), 0);
    CHECK_INT(sigismember(&masks.seen, SIGTERM), 0);
    peer_stop(&peer);
    mcp_server_free(server);
}

static volatile sig_atomic_t wrong_thread;
static volatile sig_atomic_t signals;
static pthread_t main_thread;

static void note_signal(int number)
{
    (void)number;
    signals++;
    if (!pthread_equal(pthread_self(), main_thread))
        wrong_thread++;
}

static void signals_come_to_the_hosts_threads(void)
{
    struct sigaction action, before;
    mcp_listener *listener = NULL;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
    int i;
    main_thread = pthread_self();
    CHECK_OK(mcp_server_start_http(server, NULL, &listener));
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    CHECK_INT(sigaction(SIGUSR1, &action, &before), 0);
    for (i = 0; i < 50; i++)
        kill(getpid(), SIGUSR1);
    CHECK(signals >= 1);
    CHECK_INT(wrong_thread, 0);
    CHECK_INT(sigaction(SIGUSR1, &before, NULL), 0);
    mcp_listener_free(listener);
    mcp_server_free(server);
}

static void dispositions_stay(void)
{
    struct sigaction before[32], after;
    int number;
    peer peer;
    mcp_server *server = NULL;
    for (number = 1; number < 32; number++)
        sigaction(number, NULL, &before[number]);
    server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    free(peer_call(&peer, "a", "{}"));
    for (number = 1; number < 32; number++) {
        if (sigaction(number, NULL, &after) == 0)
            CHECK(after.sa_handler == before[number].sa_handler);
    }
    peer_stop(&peer);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"a client that dies does not end the process", a_client_that_dies},
    {"children of handlers can be ended", children_of_handlers},
    {"handlers have the mask of the thread that made the server", handlers_have_the_mask_of_the_maker},
    {"signals come to the host's threads", signals_come_to_the_hosts_threads},
    {"no signal disposition is changed", dispositions_stay},
    {NULL, NULL},
};
