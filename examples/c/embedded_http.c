/* A web server that a program has already, here libmicrohttpd, with an MCP endpoint at /mcp beside its own pages.
 *
 * libmicrohttpd asks for a response's bytes when it can send some; the library gives them when there are some. In
 * between, the connection is suspended: that is all the glue there is. docs/embedding.md tells the rules.
 *
 *     cc embedded_http.c $(pkg-config --cflags --libs mcp libmicrohttpd) -lpthread -o embedded_http
 *     ./embedded_http 8080
 */
#include <mcp.h>

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define MAX_BODY ((size_t)16 << 20) /* bytes, as many as the library takes */
#define LAST_WORDS 2                /* seconds for responses that are being sent when the server ends */

/* One request to the endpoint. It lives until both sides have let go of it. */
typedef struct request {
    pthread_mutex_t lock;
    struct MHD_Connection *connection; /* NULL when it is closed */
    bool suspended;
    int owners;
    mcp_exchange *exchange;
    bool malformed;
    /* What the client sends, until the exchange has it; then what it is sent. */
    char *bytes;
    size_t len, taken;
    /* The response. */
    struct MHD_Response *response;
    int status; /* 0 until there is one */
    bool ended;
} request;

/* The endpoint, NULL once it ends, and how many requests are being answered. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t less;
    mcp_endpoint *endpoint;
    int requests;
} site = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};

/* Ends the program with the library's own words when a call failed. */
static void must(int status)
{
    if (status != MCP_STATUS_OK) {
        fprintf(stderr, "embedded_http: %s\n", mcp_last_error());
        exit(1);
    }
}

static bool append(request *request, const void *bytes, size_t len)
{
    char *longer = realloc(request->bytes, request->len + len + 1);

    if (longer == NULL) {
        return false;
    }
    memcpy(longer + request->len, bytes, len);
    request->bytes = longer;
    request->len += len;
    return true;
}

/* Has the web server look at the request again. Under the request's lock. */
static void wake(request *request)
{
    if (request->suspended && request->connection != NULL) {
        request->suspended = false;
        MHD_resume_connection(request->connection);
    }
}

static void release(void *user_data)
{
    request *request = user_data;
    bool last;

    pthread_mutex_lock(&request->lock);
    last = --request->owners == 0;
    pthread_mutex_unlock(&request->lock);
    if (last) {
        pthread_mutex_destroy(&request->lock);
        free(request->bytes);
        free(request);
    }
}

/* ---- from the library: called on its threads, one call at a time for each request ---- */

/* What libmicrohttpd calls when it can send some bytes of the body. */
static ssize_t read_body(void *context, uint64_t position, char *out, size_t room)
{
    request *request = context;
    ssize_t given;

    (void)position;
    pthread_mutex_lock(&request->lock);
    if (request->taken < request->len) {
        size_t len = request->len - request->taken < room ? request->len - request->taken : room;
        memcpy(out, request->bytes + request->taken, len);
        request->taken += len;
        if (request->taken == request->len) {
            request->taken = request->len = 0;
        }
        given = (ssize_t)len;
    } else if (request->ended) {
        given = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        request->suspended = true;
        MHD_suspend_connection(request->connection);
        given = 0;
    }
    pthread_mutex_unlock(&request->lock);
    return given;
}

static void on_head(int status, const char *const *names, const char *const *values, size_t headers, void *user_data)
{
    request *request = user_data;
    uint64_t size = MHD_SIZE_UNKNOWN;
    struct MHD_Response *response;

    for (size_t i = 0; i < headers; i++) {
        if (strcmp(names[i], "content-length") == 0) {
            size = strtoull(values[i], NULL, 10);
        }
    }
    response = MHD_create_response_from_callback(size, 16 << 10, read_body, request, NULL);
    for (size_t i = 0; response != NULL && i < headers; i++) {
        if (strcmp(names[i], "content-length") != 0) {
            MHD_add_response_header(response, names[i], values[i]);
        }
    }
    pthread_mutex_lock(&request->lock);
    request->response = response;
    request->status = status;
    wake(request);
    pthread_mutex_unlock(&request->lock);
}

static void on_body(const void *bytes, size_t len, void *user_data)
{
    request *request = user_data;

    pthread_mutex_lock(&request->lock);
    /* A server with little memory would abort the exchange when too much waits here. */
    if (!append(request, bytes, len)) {
        mcp_exchange_abort(request->exchange);
    }
    wake(request);
    pthread_mutex_unlock(&request->lock);
}

static void on_end(void *user_data)
{
    request *request = user_data;

    pthread_mutex_lock(&request->lock);
    request->ended = true;
    wake(request);
    pthread_mutex_unlock(&request->lock);
}

/* ---- from the web server: called on its one thread ---- */

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result queued;

    MHD_add_response_header(response, "Content-Type", "text/plain; charset=utf-8");
    queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result add_header(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    request *request = context;

    (void)kind;
    if (mcp_exchange_add_header(request->exchange, name, value == NULL ? "" : value) != MCP_STATUS_OK) {
        request->malformed = true;
    }
    return MHD_YES;
}

static request *new_request(struct MHD_Connection *connection)
{
    request *request = calloc(1, sizeof *request);

    if (request != NULL) {
        pthread_mutex_init(&request->lock, NULL);
        request->connection = connection;
        request->owners = 1;
        pthread_mutex_lock(&site.lock);
        site.requests++;
        pthread_mutex_unlock(&site.lock);
    }
    return request;
}

/* The request is here as a whole: hands it to the library. */
static enum MHD_Result begin(request *request, const char *method, const char *url)
{
    struct MHD_Connection *connection = request->connection;
    char *body = request->bytes;
    size_t len = request->len;
    int status = MCP_STATUS_ERR_SHUTDOWN;

    pthread_mutex_lock(&site.lock);
    if (site.endpoint != NULL) {
        status = mcp_exchange_new(site.endpoint, method, url, &request->exchange);
    }
    pthread_mutex_unlock(&site.lock);
    if (status == MCP_STATUS_OK) {
        MHD_get_connection_values(connection, MHD_HEADER_KIND, add_header, request);
    }
    if (status == MCP_STATUS_ERR_SHUTDOWN) {
        return answer_text(connection, 503, "The server ends.\n");
    }
    if (status != MCP_STATUS_OK || request->malformed) {
        return answer_text(connection, 400, "That is no request.\n");
    }
    request->bytes = NULL;
    request->len = 0;
    request->owners++;
    /* First: the library may have the answer before mcp_exchange_start returns. */
    request->suspended = true;
    MHD_suspend_connection(connection);
    if (mcp_exchange_start(request->exchange, body, len, on_head, on_body, on_end, request, release) != MCP_STATUS_OK) {
        on_end(request);
    }
    free(body);
    return MHD_YES;
}

/* Called for the head of a request, for each piece of its body, for its end, and whenever it was woken. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *piece, size_t *len, void **own)
{
    request *request = *own;
    enum MHD_Result done = MHD_YES;

    (void)context;
    (void)version;
    if (strcmp(url, "/mcp") != 0) {
        if (*len > 0) {
            *len = 0; /* a body that nobody wants */
            return MHD_YES;
        }
        return strcmp(url, "/") == 0 ? answer_text(connection, 200, "A web server with pages of its own.\n")
                                     : answer_text(connection, 404, "There is no such page.\n");
    }
    if (request == NULL) {
        *own = new_request(connection);
        return *own != NULL ? MHD_YES : MHD_NO;
    }
    if (*len > 0) {
        done = request->len + *len <= MAX_BODY && append(request, piece, *len) ? MHD_YES : MHD_NO;
        *len = 0;
        return done;
    }
    if (request->exchange == NULL) {
        return begin(request, method, url);
    }
    pthread_mutex_lock(&request->lock);
    if (request->response != NULL) {
        done = MHD_queue_response(connection, (unsigned)request->status, request->response);
        MHD_destroy_response(request->response);
        request->response = NULL;
    } else if (request->ended) {
        done = answer_text(connection, 503, "The server ends.\n");
    }
    pthread_mutex_unlock(&request->lock);
    return done;
}

/* The response is out, or the client has gone. */
static void completed(void *context, struct MHD_Connection *connection, void **own,
                      enum MHD_RequestTerminationCode why)
{
    request *request = *own;

    (void)context;
    (void)connection;
    (void)why;
    if (request == NULL) {
        return;
    }
    pthread_mutex_lock(&request->lock);
    request->connection = NULL;
    if (request->response != NULL) {
        MHD_destroy_response(request->response);
        request->response = NULL;
    }
    pthread_mutex_unlock(&request->lock);
    mcp_exchange_free(request->exchange); /* what still runs for it is cancelled */
    release(request);
    pthread_mutex_lock(&site.lock);
    site.requests--;
    pthread_cond_signal(&site.less);
    pthread_mutex_unlock(&site.lock);
}

/* ---- a tool as any other ---- */

static void count(mcp_call *call, void *user_data)
{
    int64_t to = 3;

    (void)user_data;
    mcp_call_get_int64(call, "to", &to);
    for (int64_t i = 1; i <= to && !mcp_call_is_cancelled(call); i++) {
        struct timespec pause = {0, 200 * 1000 * 1000};
        mcp_call_progress(call, (double)i, (double)to, NULL);
        nanosleep(&pause, NULL);
    }
    mcp_call_finish_text(call, "There.", MCP_NUL_TERMINATED);
}

static mcp_server *new_server(void)
{
    mcp_server *server = NULL;
    mcp_tool *tool = NULL;
    mcp_http_config *config = NULL;

    must(mcp_server_new("embedded_http", "1.0.0", &server));
    must(mcp_tool_new("count", &tool));
    must(mcp_tool_set_description(tool, "Counts, five times a second"));
    must(mcp_tool_add_argument(tool, "to", MCP_TYPE_INTEGER, MCP_OPTIONAL, "How far; 3 if not given"));
    must(mcp_server_add_tool(server, tool, count, NULL, NULL));
    mcp_tool_free(tool);

    must(mcp_http_config_new(&config));
    /* While a connection is suspended, libmicrohttpd does not see that its client has gone. A comment now and then wakes
       it, and then it does. */
    must(mcp_http_config_set_option(config, "keep_alive_ms", "5000"));
    must(mcp_endpoint_new(server, config, &site.endpoint));
    mcp_http_config_free(config);
    return server;
}

static struct MHD_Daemon *listen_on(uint16_t port)
{
    struct sockaddr_in address;

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK); /* as the default configuration says */
    return MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL, handle, NULL,
                            MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
                            MHD_OPTION_END);
}

/* Ends the endpoint, which ends its streams, and waits a moment for what is being sent. */
static void end_requests(void)
{
    mcp_endpoint *endpoint;
    struct timespec until;

    pthread_mutex_lock(&site.lock);
    endpoint = site.endpoint;
    site.endpoint = NULL;
    pthread_mutex_unlock(&site.lock);
    mcp_endpoint_free(endpoint);

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LAST_WORDS;
    pthread_mutex_lock(&site.lock);
    while (site.requests > 0 && pthread_cond_timedwait(&site.less, &site.lock, &until) == 0) {
    }
    pthread_mutex_unlock(&site.lock);
}

int main(int argc, char **argv)
{
    mcp_server *server;
    struct MHD_Daemon *daemon;
    sigset_t signals;
    int number;

    /* Every thread inherits this: the signals come to sigwait alone. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);

    server = new_server();
    daemon = listen_on((uint16_t)(argc > 1 ? atoi(argv[1]) : 8080));
    if (daemon == NULL) {
        perror("embedded_http: cannot listen");
        return 1;
    }
    fprintf(stderr, "embedded_http: serving http://127.0.0.1:%u/mcp\n",
            (unsigned)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    sigwait(&signals, &number);

    end_requests();
    MHD_stop_daemon(daemon);
    mcp_server_free(server);
    return 0;
}
