/* HTTP: the configuration, the listener, and what a handler sees of it. Spoken over raw sockets. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "peer.h"

static int connect_to(uint16_t port)
{
    struct sockaddr_in address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Sends a call of the tool "a" to `path`, with more header lines and members of _meta. Returns the socket. */
static int send_call(uint16_t port, const char *path, const char *headers, const char *meta)
{
    char body[1024], request[4096];
    int fd = connect_to(port);
    int length;
    CHECK(fd >= 0);
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":{},"
             "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientCapabilities\":{}%s%s}}}",
             meta[0] == '\0' ? "" : ",", meta);
    length = snprintf(request, sizeof request,
                      "POST %s HTTP/1.1\r\nHost: localhost:%u\r\nContent-Type: application/json\r\n"
                      "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                      "Mcp-Method: tools/call\r\nMcp-Name: a\r\n%sConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
                      path, (unsigned)port, headers, strlen(body), body);
    CHECK(write(fd, request, (size_t)length) == length);
    return fd;
}

/* Reads until the server closes, or `part` has come. */
static char *read_reply(int fd, const char *part)
{
    enum { SIZE = 1 << 20 };
    char *text = calloc(1, SIZE);
    size_t len = 0;
    for (;;) {
        struct pollfd ready;
        ssize_t got;
        ready.fd = fd;
        ready.events = POLLIN;
        if (poll(&ready, 1, 30000) != 1)
            break;
        got = read(fd, text + len, SIZE - 1 - len);
        if (got <= 0)
            break;
        len += (size_t)got;
        if (part != NULL && strstr(text, part) != NULL)
            break;
    }
    return text;
}

static char *call(uint16_t port, const char *path, const char *headers)
{
    int fd = send_call(port, path, headers, "");
    char *reply = read_reply(fd, NULL);
    close(fd);
    return reply;
}

static void look_at_headers(mcp_call *call, void *user_data)
{
    const char *text = NULL;
    size_t len = 0;
    (void)user_data;
    CHECK_OK(mcp_call_header(call, "X-Who", &text, &len));
    CHECK_STR(text, "me");
    CHECK_INT(len, 2);
    CHECK_OK(mcp_call_header(call, "x-MANY", &text, &len));
    CHECK_STR(text, "one, two");
    CHECK_INT(len, 8);
    /* Two headers whose first values are empty. */
    CHECK_OK(mcp_call_header(call, "X-Empty", &text, &len));
    CHECK_STR(text, "");
    CHECK_OK(mcp_call_header(call, "X-Later", &text, &len));
    CHECK_STR(text, ", later");
    CHECK_OK(mcp_call_header(call, "Host", &text, NULL));
    CHECK_HAS(text, "localhost");
    CHECK_STATUS(mcp_call_header(call, "X-None", &text, &len), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_HAS(mcp_last_error(), "X-None");
    CHECK_OK(mcp_call_finish_text(call, "seen", MCP_NUL_TERMINATED));
}

static void headers_of_a_request(void)
{
    static const int DISPATCH[] = {MCP_DISPATCH_POOL, MCP_DISPATCH_INLINE};
    size_t i;
    for (i = 0; i < 2; i++) {
        mcp_listener *listener = NULL;
        mcp_server *server = server_with("a", look_at_headers, NULL, DISPATCH[i]);
        char *reply;
        CHECK_OK(mcp_server_start_http(server, NULL, &listener));
        CHECK(mcp_listener_port(listener) != 0);
        reply = call(mcp_listener_port(listener), "/mcp", "X-Who: me\r\nX-Many: one\r\nX-Many: two\r\nX-Empty:\r\n"
                     "X-Later:\r\nX-Later: later\r\n");
        CHECK_HAS(reply, "HTTP/1.1 200");
        CHECK_HAS(reply, "\"text\":\"seen\"");
        free(reply);
        mcp_listener_free(listener);
        mcp_server_free(server);
    }
}

static void finish(mcp_call *call, void *user_data)
{
    (void)user_data;
    mcp_call_finish_text(call, "done", MCP_NUL_TERMINATED);
}

static mcp_http_config *new_config(void)
{
    mcp_http_config *config = NULL;
    CHECK_OK(mcp_http_config_new(&config));
    return config;
}

static void a_configuration(void)
{
    mcp_http_config *config = new_config();
    mcp_listener *listener = NULL;
    mcp_listener *second = NULL;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
    uint16_t port;
    char *reply;
    CHECK_OK(mcp_http_config_set_bind(config, "127.0.0.1"));
    CHECK_OK(mcp_http_config_set_path(config, "/tools"));
    CHECK_OK(mcp_http_config_allow_origin(config, "https://app.example.com"));
    CHECK_OK(mcp_http_config_set_option(config, "max_connections", "10"));
    CHECK_OK(mcp_server_start_http(server, config, &listener));
    port = mcp_listener_port(listener);
    reply = call(port, "/tools", "");
    CHECK_HAS(reply, "HTTP/1.1 200");
    free(reply);
    reply = call(port, "/mcp", "");
    CHECK_HAS(reply, "HTTP/1.1 404");
    free(reply);
    reply = call(port, "/tools", "Origin: https://app.example.com\r\n");
    CHECK_HAS(reply, "HTTP/1.1 200");
    CHECK_HAS(reply, "access-control-allow-origin: https://app.example.com");
    free(reply);
    reply = call(port, "/tools", "Origin: https://evil.example.com\r\n");
    CHECK_HAS(reply, "HTTP/1.1 403");
    free(reply);

    /* The port is taken, another is not; the configuration was copied. */
    CHECK_OK(mcp_http_config_set_port(config, port));
    CHECK_STATUS(mcp_server_start_http(server, config, &second), MCP_STATUS_ERR_IO);
    CHECK_HAS(mcp_last_error(), "in use");
    CHECK(second == NULL);
    CHECK_OK(mcp_http_config_set_port(config, 0));
    CHECK_OK(mcp_server_start_http(server, config, &second));
    mcp_http_config_free(config);
    CHECK(mcp_listener_port(second) != port);
    mcp_listener_free(second);
    reply = call(port, "/tools", "");
    CHECK_HAS(reply, "HTTP/1.1 200");
    free(reply);
    mcp_listener_free(listener);
    mcp_server_free(server);
}

static void a_bad_configuration(void)
{
    mcp_listener *listener = NULL;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
    mcp_http_config *config = new_config();
    CHECK_OK(mcp_http_config_set_path(config, "no-slash"));
    CHECK_STATUS(mcp_server_start_http(server, config, &listener), MCP_STATUS_ERR_INVALID_ARG);
    mcp_http_config_free(config);
    config = new_config();
    CHECK_OK(mcp_http_config_allow_origin(config, "not an origin"));
    CHECK_STATUS(mcp_server_start_http(server, config, &listener), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "not an origin");
    mcp_http_config_free(config);
    config = new_config();
    CHECK_OK(mcp_http_config_allow_host(config, "two words"));
    CHECK_STATUS(mcp_server_start_http(server, config, &listener), MCP_STATUS_ERR_INVALID_ARG);
    mcp_http_config_free(config);
    config = new_config();
    CHECK_OK(mcp_http_config_set_bind(config, "192.0.2.1"));
    CHECK_STATUS(mcp_server_start_http(server, config, &listener), MCP_STATUS_ERR_IO);
    mcp_http_config_free(config);
    CHECK(listener == NULL);
    mcp_server_free(server);
}

static void a_bad_certificate(void)
{
    mcp_listener *listener = NULL;
    mcp_server *server = server_with("a", finish, NULL, MCP_DISPATCH_POOL);
    mcp_http_config *config = new_config();
    CHECK_STATUS(mcp_http_config_set_tls_files(config, "", "key.pem"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "certificate_file is empty");
    CHECK_STATUS(mcp_http_config_set_tls_files(config, "cert.pem", ""), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "key_file is empty");
    CHECK_STATUS(mcp_http_config_set_tls_files(config, "cert\xff.pem", "key.pem"), MCP_STATUS_ERR_INVALID_UTF8);
    /* Setters that failed have changed nothing. */
    CHECK_OK(mcp_server_start_http(server, config, &listener));
    mcp_listener_free(listener);
    listener = NULL;
    CHECK_OK(mcp_http_config_set_tls_files(config, "/nowhere/cert.pem", "/nowhere/key.pem"));
    CHECK_STATUS(mcp_server_start_http(server, config, &listener), MCP_STATUS_ERR_IO);
    CHECK_HAS(mcp_last_error(), "certificate file \"/nowhere/cert.pem\": there is no such file");
    CHECK_OK(mcp_http_config_set_tls_files(config, __FILE__, "/nowhere/key.pem"));
    CHECK_STATUS(mcp_server_start_http(server, config, &listener), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "it has no certificate");
    CHECK(listener == NULL);
    mcp_http_config_free(config);
    mcp_server_free(server);
}

typedef struct state {
    int started;
    int go_on;
    int cancelled;
    int done;
} state;

static void note_cancel(mcp_call *call, void *user_data)
{
    (void)call;
    count_up(&((state *)user_data)->cancelled);
}

static void wait_in_call(mcp_call *call, void *user_data)
{
    state *state = user_data;
    CHECK_OK(mcp_call_on_cancel(call, note_cancel, state, NULL));
    CHECK_OK(mcp_call_progress(call, 1, 2, NULL));
    count_up(&state->started);
    CHECK(wait_for_count(&state->go_on, 1));
    mcp_call_finish_text(call, "done", MCP_NUL_TERMINATED);
    count_up(&state->done);
}

static void a_stream(void)
{
    state state = {0, 0, 0, 0};
    mcp_listener *listener = NULL;
    mcp_server *server = server_with("a", wait_in_call, &state, MCP_DISPATCH_POOL);
    int fd;
    char *reply;
    CHECK_OK(mcp_server_start_http(server, NULL, &listener));
    fd = send_call(mcp_listener_port(listener), "/mcp", "", "\"progressToken\":7");
    reply = read_reply(fd, "notifications/progress");
    CHECK_HAS(reply, "text/event-stream");
    CHECK_HAS(reply, "\"progressToken\":7");
    CHECK_LACKS(reply, "\"text\":\"done\"");
    free(reply);
    count_up(&state.go_on);
    reply = read_reply(fd, NULL);
    CHECK_HAS(reply, "\"text\":\"done\"");
    free(reply);
    close(fd);
    CHECK(wait_for_count(&state.done, 1));
    mcp_listener_free(listener);
    mcp_server_free(server);
    CHECK_INT(state.cancelled, 0);
}

static void a_disconnect_cancels(void)
{
    state state = {0, 0, 0, 0};
    mcp_listener *listener = NULL;
    mcp_server *server = server_with("a", wait_in_call, &state, MCP_DISPATCH_POOL);
    int fd;
    CHECK_OK(mcp_server_start_http(server, NULL, &listener));
    fd = send_call(mcp_listener_port(listener), "/mcp", "", "");
    CHECK(wait_for_count(&state.started, 1));
    close(fd);
    CHECK(wait_for_count(&state.cancelled, 1));
    count_up(&state.go_on);
    CHECK(wait_for_count(&state.done, 1));
    mcp_listener_free(listener);
    mcp_server_free(server);
}

static void *shut_listener_down(void *listener)
{
    CHECK_OK(mcp_listener_shutdown(listener, 30000));
    return NULL;
}

static void a_graceful_shutdown(void)
{
    state state = {0, 0, 0, 0};
    pthread_t thread;
    mcp_listener *listener = NULL;
    mcp_server *server = server_with("a", wait_in_call, &state, MCP_DISPATCH_POOL);
    uint16_t port;
    long long until = now_ms() + 30000;
    int fd, another;
    char *reply;
    CHECK_OK(mcp_server_start_http(server, NULL, &listener));
    port = mcp_listener_port(listener);
    fd = send_call(port, "/mcp", "", "");
    CHECK(wait_for_count(&state.started, 1));
    CHECK_INT(pthread_create(&thread, NULL, shut_listener_down, listener), 0);
    while ((another = connect_to(port)) >= 0 && now_ms() < until) {
        close(another);
        sleep_ms(1);
    }
    CHECK(another < 0);
    /* The call in flight is still answered. */
    count_up(&state.go_on);
    reply = read_reply(fd, NULL);
    CHECK_HAS(reply, "\"text\":\"done\"");
    free(reply);
    close(fd);
    pthread_join(thread, NULL);
    CHECK_OK(mcp_server_wait(server, 30000));
    CHECK_OK(mcp_listener_shutdown(listener, 0));
    mcp_listener_free(listener);
    mcp_server_free(server);
}

static void finish_large(mcp_call *call, void *user_data)
{
    static char large[4 << 20];
    memset(large, 'x', sizeof large);
    mcp_call_finish_text(call, large, sizeof large);
    count_up(user_data);
}

static int lose_the_client(void *context)
{
    mcp_listener *listener = NULL;
    int done = 0;
    int i;
    mcp_server *server = server_with("a", finish_large, &done, MCP_DISPATCH_POOL);
    (void)context;
    CHECK_OK(mcp_server_start_http(server, NULL, &listener));
    for (i = 0; i < 5; i++) {
        struct linger reset;
        int fd = send_call(mcp_listener_port(listener), "/mcp", "", "");
        char byte;
        reset.l_onoff = 1;
        reset.l_linger = 0;
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        if (read(fd, &byte, 1) != 1)
            return 1;
        close(fd);
    }
    mcp_listener_free(listener);
    mcp_server_free(server);
    return 42;
}

static void a_client_that_dies(void)
{
    CHECK_INT(in_child(lose_the_client, NULL), 42);
}

const test TESTS[] = {
    {"a handler sees the headers of its request", headers_of_a_request},
    {"a configuration is heeded and copied", a_configuration},
    {"a bad configuration is refused", a_bad_configuration},
    {"a bad certificate is refused by the name of its file", a_bad_certificate},
    {"progress makes the answer a stream", a_stream},
    {"a disconnect cancels", a_disconnect_cancels},
    {"a graceful shutdown answers what is in flight", a_graceful_shutdown},
    {"a client that dies does not end the process", a_client_that_dies},
    {NULL, NULL},
};
