/* A client and a server in one process, joined by two functions: no pipe, no socket, no thread.
 *
 * The same two functions carry MCP over whatever else a program has: a WebSocket, a message queue, a serial line.
 * docs/embedding.md says what they may do, and when.
 *
 *     cc in_process.c $(pkg-config --cflags --libs mcp) -o in_process
 *     ./in_process
 */
#include <mcp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define META                                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                       \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"in_process\",\"version\":\"1.0.0\"},"                      \
    "\"io.modelcontextprotocol/clientCapabilities\":{}"

/* What the client asks, one after the other. */
static const char *const requests[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META "}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"shout\","
    "\"arguments\":{\"text\":\"hello\"}," META ",\"progressToken\":\"p\"}}}",
};

typedef struct client {
    mcp_session *session; /* the way to the server */
    size_t asked;         /* requests that were sent */
} client;

/* Ends the program with the library's own words when a call failed. */
static void must(int status)
{
    if (status != MCP_STATUS_OK) {
        fprintf(stderr, "in_process: %s\n", mcp_last_error());
        exit(1);
    }
}

/* The server: a tool as any other. It runs inline, on the thread that hands its request in. */
static void shout(mcp_call *call, void *user_data)
{
    const char *text;
    size_t length;
    char loud[64];

    (void)user_data;
    if (mcp_call_get_string(call, "text", &text, &length) != MCP_STATUS_OK) {
        mcp_call_finish_tool_error(call, mcp_last_error(), MCP_NUL_TERMINATED);
        return;
    }
    mcp_call_progress(call, 1, 2, "taking a deep breath");
    if (length >= sizeof loud) {
        mcp_call_finish_tool_error(call, "The text is too long: 63 bytes at most.", MCP_NUL_TERMINATED);
        return;
    }
    for (size_t i = 0; i < length; i++) {
        loud[i] = text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 'a' + 'A') : text[i];
    }
    mcp_call_finish_text(call, loud, length);
}

static mcp_server *new_server(void)
{
    mcp_server *server = NULL;
    mcp_tool *tool = NULL;

    must(mcp_server_new("in_process", "1.0.0", &server));
    must(mcp_tool_new("shout", &tool));
    must(mcp_tool_set_description(tool, "Says a text louder"));
    must(mcp_tool_add_argument(tool, "text", MCP_TYPE_STRING, MCP_REQUIRED, "What to say"));
    must(mcp_tool_set_dispatch(tool, MCP_DISPATCH_INLINE));
    must(mcp_server_add_tool(server, tool, shout, NULL, NULL));
    mcp_tool_free(tool);
    return server;
}

/* From the client to the server. */
static void ask(client *client)
{
    const char *request = requests[client->asked++];

    printf("client: %s\n", request);
    must(mcp_session_receive(client->session, request, strlen(request)));
}

/* From the server to the client. It may hand in the next request at once, though the library is sending. */
static void on_message(const char *message, size_t length, void *user_data)
{
    client *client = user_data;

    printf("server: %.*s\n", (int)length, message);
    if (strstr(message, "\"id\":") != NULL && client->asked < sizeof requests / sizeof *requests) {
        ask(client);
    }
}

int main(void)
{
    mcp_server *server = new_server();
    client client = {NULL, 0};

    must(mcp_session_new(server, on_message, &client, NULL, &client.session));
    ask(&client);
    mcp_session_free(client.session);
    mcp_server_free(server);
    return 0;
}
