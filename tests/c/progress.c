/* Progress, log messages to the client, and the library's own log. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"

static void tell(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_progress(call, 0, NAN, NULL));
    CHECK_OK(mcp_call_progress(call, 1, 4, "one"));
    CHECK_STATUS(mcp_call_progress(call, 1, 4, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "must grow");
    CHECK_STATUS(mcp_call_progress(call, NAN, 4, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_progress(call, INFINITY, 4, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_progress(call, 2, INFINITY, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_call_progress(call, 2.5, 0, NULL));
    CHECK_OK(mcp_call_log(call, MCP_LOG_DEBUG, NULL, "\"too mild\"", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_log(call, MCP_LOG_WARNING, "part", "{ \"why\" :\n[1, 2] }", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_log(call, MCP_LOG_EMERGENCY, NULL, "null", 4));
    CHECK_STATUS(mcp_call_log(call, 8, NULL, "1", 1), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_log(call, -1, NULL, "1", 1), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_call_finish_text(call, "told", MCP_NUL_TERMINATED));
}

static void expect(peer *peer, const char *part, const char *another)
{
    char *line = peer_read(peer);
    CHECK_HAS(line, part);
    CHECK_HAS(line, another);
    free(line);
}

static void what_the_client_asked_for(void)
{
    peer peer;
    mcp_server *server = server_with("a", tell, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    peer_send_with_meta(&peer, "tools/call", "\"name\":\"a\"",
                        "\"progressToken\":\"t\",\"io.modelcontextprotocol/logLevel\":\"info\"");
    expect(&peer, "\"method\":\"notifications/progress\"", "\"progressToken\":\"t\",\"progress\":0}");
    expect(&peer, "\"progressToken\":\"t\",\"progress\":1,\"total\":4,\"message\":\"one\"}", "");
    expect(&peer, "\"progress\":2.5}", "");
    expect(&peer, "\"method\":\"notifications/message\"",
           "\"level\":\"warning\",\"logger\":\"part\",\"data\":{\"why\":[1,2]}");
    expect(&peer, "\"level\":\"emergency\",\"data\":null", "");
    expect(&peer, "\"text\":\"told\"", "\"id\":1");
    peer_stop(&peer);
    mcp_server_free(server);
}

static void what_nobody_asked_for(void)
{
    peer peer;
    mcp_server *server = server_with("a", tell, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    peer_send_call(&peer, "a", "{}");
    expect(&peer, "\"text\":\"told\"", "\"id\":1");
    peer_stop(&peer);
    mcp_server_free(server);
}

static void flood(mcp_call *call, void *user_data)
{
    int i;
    (void)user_data;
    for (i = 1; i <= 1000; i++)
        CHECK_OK(mcp_call_progress(call, i, 1000, NULL));
    CHECK_OK(mcp_call_finish_text(call, "over", MCP_NUL_TERMINATED));
}

static void a_flood(void)
{
    peer peer;
    char *line;
    char *last = NULL;
    int count = 0;
    mcp_server *server = server_with("a", flood, NULL, MCP_DISPATCH_POOL);
    CHECK_OK(mcp_server_set_option(server, "progress_per_second", "5"));
    peer_start(&peer, server);
    peer_send_with_meta(&peer, "tools/call", "\"name\":\"a\"", "\"progressToken\":1");
    while ((line = peer_read(&peer)) != NULL && strstr(line, "notifications/progress") != NULL) {
        free(last);
        last = line;
        count++;
    }
    CHECK_HAS(line, "\"text\":\"over\"");
    CHECK_HAS(last, "\"progress\":1000,");
    CHECK(count >= 5 && count < 500);
    free(line);
    free(last);
    peer_stop(&peer);
    mcp_server_free(server);
}

typedef struct heard {
    int lines;
    int level;
    char text[200];
    mcp_server *server;
} heard;

static void hear(int level, const char *message, void *user_data)
{
    heard *heard = user_data;
    heard->level = level;
    strncpy(heard->text, message, sizeof heard->text - 1);
    CHECK_STATUS(mcp_server_wait(heard->server, 0), MCP_STATUS_ERR_DEADLOCK);
    count_up(&heard->lines);
}

static void forget(mcp_call *call, void *user_data)
{
    (void)call;
    (void)user_data;
}

static void the_librarys_own_log(void)
{
    peer peer;
    heard heard;
    char *answer;
    mcp_server *server = server_with("forgetful", forget, NULL, MCP_DISPATCH_POOL);
    memset(&heard, 0, sizeof heard);
    heard.server = server;
    CHECK_OK(mcp_set_log_handler(hear, &heard, NULL));
    peer_start(&peer, server);
    answer = peer_call(&peer, "forgetful", "{}");
    free(answer);
    CHECK(wait_for_count(&heard.lines, 1));
    peer_stop(&peer);
    mcp_server_free(server);
    CHECK_OK(mcp_set_log_handler(NULL, NULL, NULL));
    CHECK_HAS(heard.text, "forgetful");
    CHECK_INT(heard.level, MCP_LOG_ERROR);
}

const test TESTS[] = {
    {"a client hears what it asked for", what_the_client_asked_for},
    {"a client hears nothing that it did not ask for", what_nobody_asked_for},
    {"a flood of progress is thinned to its latest value", a_flood},
    {"the library's log comes to the handler", the_librarys_own_log},
    {NULL, NULL},
};
