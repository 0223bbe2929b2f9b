#include "peer.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static void die(const char *what)
{
    perror(what);
    abort();
}

static void *serve(void *context)
{
    peer *peer = context;
    peer->status = mcp_server_run_stdio(peer->server);
    return NULL;
}

static void close_on_exec(int fd)
{
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
        die("fcntl");
}

void peer_start(peer *peer, mcp_server *server)
{
    int in[2], out[2];
    memset(peer, 0, sizeof *peer);
    peer->server = server;
    peer->saved_in = fcntl(0, F_DUPFD_CLOEXEC, 3);
    peer->saved_out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (peer->saved_in < 0 || peer->saved_out < 0 || pipe(in) != 0 || pipe(out) != 0)
        die("pipe");
    if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0)
        die("dup2");
    close(in[0]);
    close(out[1]);
    peer->to_server = in[1];
    peer->from_server = out[0];
    close_on_exec(peer->to_server);
    close_on_exec(peer->from_server);
    if (pthread_create(&peer->thread, NULL, serve, peer) != 0)
        die("pthread_create");
}

void peer_stop(peer *peer)
{
    close(peer->to_server);
    pthread_join(peer->thread, NULL);
    if (dup2(peer->saved_in, 0) < 0 || dup2(peer->saved_out, 1) < 0)
        die("dup2");
    close(peer->saved_in);
    close(peer->saved_out);
    close(peer->from_server);
    free(peer->unread);
}

void peer_send_line(peer *peer, const char *line)
{
    size_t len = strlen(line);
    char *text = malloc(len + 2);
    size_t sent = 0;
    if (text == NULL)
        die("malloc");
    memcpy(text, line, len);
    text[len++] = '\n';
    while (sent < len) {
        ssize_t written = write(peer->to_server, text + sent, len - sent);
        if (written < 0)
            die("write");
        sent += (size_t)written;
    }
    free(text);
}

/* The text of a request of a client that declares `capabilities`; NULL: one of an older revision, which says nothing of
   itself. */
static char *write_request(int id, const char *method, const char *params, const char *capabilities, const char *meta)
{
    static const char MODERN[] =
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"peer\",\"version\":\"1\"},"
        "\"io.modelcontextprotocol/clientCapabilities\":";
    static const char FORM[] = "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{%s%s\"_meta\":{%s%s%s%s}}}";
    const char *own = capabilities == NULL ? "" : capabilities;
    size_t size = sizeof FORM + sizeof MODERN + strlen(method) + strlen(params) + strlen(own) + strlen(meta) + 32;
    char *text = malloc(size);
    if (text == NULL)
        die("malloc");
    snprintf(text, size, FORM, id, method, params, params[0] == '\0' ? "" : ",", capabilities == NULL ? "" : MODERN, own,
             capabilities == NULL || meta[0] == '\0' ? "" : ",", meta);
    return text;
}

char *request_text(int id, const char *method, const char *params, const char *meta)
{
    return write_request(id, method, params, "{}", meta);
}

/* The params of a call of a tool. */
static char *call_params(const char *tool, const char *arguments)
{
    size_t size = strlen(tool) + strlen(arguments) + 32;
    char *params = malloc(size);
    if (params == NULL)
        die("malloc");
    snprintf(params, size, "\"name\":\"%s\",\"arguments\":%s", tool, arguments);
    return params;
}

char *call_text(int id, const char *tool, const char *arguments)
{
    char *params = call_params(tool, arguments);
    char *text = request_text(id, "tools/call", params, "");
    free(params);
    return text;
}

int peer_send_with_meta(peer *peer, const char *method, const char *params, const char *meta)
{
    const char *capabilities = peer->capabilities == NULL ? "{}" : peer->capabilities;
    char *line = write_request(++peer->last_id, method, params, peer->legacy ? NULL : capabilities, meta);
    peer_send_line(peer, line);
    free(line);
    return peer->last_id;
}

int peer_send(peer *peer, const char *method, const char *params)
{
    return peer_send_with_meta(peer, method, params, "");
}

char *peer_initialize(peer *peer, const char *revision, const char *capabilities)
{
    static const char FORM[] = "\"protocolVersion\":\"%s\",\"capabilities\":%s,"
                               "\"clientInfo\":{\"name\":\"peer\",\"version\":\"1\"}";
    size_t size = sizeof FORM + strlen(revision) + strlen(capabilities);
    char *params = malloc(size);
    char *answer;
    if (params == NULL)
        die("malloc");
    snprintf(params, size, FORM, revision, capabilities);
    peer->legacy = true;
    answer = peer_request(peer, "initialize", params);
    free(params);
    peer_send_line(peer, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    return answer;
}

void peer_cancel(peer *peer, int id)
{
    char line[128];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%d}}", id);
    peer_send_line(peer, line);
}

/* Takes the first line from what was read but not used. */
static char *take_line(peer *peer)
{
    char *end = peer->unread_len == 0 ? NULL : memchr(peer->unread, '\n', peer->unread_len);
    size_t len;
    char *line;
    if (end == NULL)
        return NULL;
    len = (size_t)(end - peer->unread);
    line = malloc(len + 1);
    if (line == NULL)
        die("malloc");
    memcpy(line, peer->unread, len);
    line[len] = '\0';
    peer->unread_len -= len + 1;
    memmove(peer->unread, end + 1, peer->unread_len);
    return line;
}

char *peer_read(peer *peer)
{
    enum { CHUNK = 65536 };
    char *line;
    while ((line = take_line(peer)) == NULL) {
        struct pollfd ready;
        ssize_t got;
        ready.fd = peer->from_server;
        ready.events = POLLIN;
        if (poll(&ready, 1, 30000) != 1)
            return NULL;
        peer->unread = realloc(peer->unread, peer->unread_len + CHUNK);
        if (peer->unread == NULL)
            die("realloc");
        got = read(peer->from_server, peer->unread + peer->unread_len, CHUNK);
        if (got <= 0)
            return NULL;
        peer->unread_len += (size_t)got;
    }
    return line;
}

char *peer_answer(peer *peer, int id)
{
    char wanted[32];
    char *line;
    snprintf(wanted, sizeof wanted, "\"id\":%d,", id);
    while ((line = peer_read(peer)) != NULL && strstr(line, wanted) == NULL)
        free(line);
    return line;
}

char *peer_request(peer *peer, const char *method, const char *params)
{
    return peer_answer(peer, peer_send(peer, method, params));
}

int peer_send_call(peer *peer, const char *tool, const char *arguments)
{
    char *params = call_params(tool, arguments);
    int id = peer_send(peer, "tools/call", params);
    free(params);
    return id;
}

char *peer_call(peer *peer, const char *tool, const char *arguments)
{
    return peer_answer(peer, peer_send_call(peer, tool, arguments));
}

void add_plain_tool(mcp_server *server, const char *name, mcp_handler handler, void *user_data, mcp_free_fn user_free,
                    int dispatch)
{
    mcp_tool *tool = NULL;
    CHECK_OK(mcp_tool_new(name, &tool));
    CHECK_OK(mcp_tool_set_dispatch(tool, dispatch));
    CHECK_OK(mcp_server_add_tool(server, tool, handler, user_data, user_free));
    mcp_tool_free(tool);
}

mcp_server *server_with(const char *tool, mcp_handler handler, void *user_data, int dispatch)
{
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    add_plain_tool(server, tool, handler, user_data, NULL, dispatch);
    return server;
}
