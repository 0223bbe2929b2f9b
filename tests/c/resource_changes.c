/* Resources and resource templates that come, change and go while they are served. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "peer.h"
#include "plain_resources.h"

static mcp_server *new_server(void)
{
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    return server;
}

static void expect(peer *peer, const char *method, const char *more)
{
    char *line = peer_read(peer);
    CHECK_HAS(line, method);
    CHECK_HAS(line, more);
    free(line);
}

static void changes_while_serving(void)
{
    static char second[] = "second";
    mcp_server *server = new_server();
    peer peer;
    char *answer;
    add_plain_resource(server, "x:a", say_what, NULL);
    peer_start(&peer, server);
    peer_send(&peer, "subscriptions/listen",
              "\"notifications\":{\"resourcesListChanged\":true,\"resourceSubscriptions\":[\"x:a\",\"t:1\"]}");
    expect(&peer, "notifications/subscriptions/acknowledged", "");
    add_plain_resource(server, "x:a", say_what, second);
    expect(&peer, "notifications/resources/list_changed", "");
    answer = read_uri(&peer, "x:a");
    CHECK_HAS(answer, "\"text\":\"second\"");
    free(answer);
    add_plain_template(server, "t:{v}", say_what, NULL);
    expect(&peer, "notifications/resources/list_changed", "");
    CHECK_OK(mcp_server_resource_updated(server, "x:unknown", NULL));
    CHECK_OK(mcp_server_resource_updated(server, "x:a", NULL));
    expect(&peer, "notifications/resources/updated", "\"uri\":\"x:a\"");
    CHECK_OK(mcp_server_resource_updated(server, "t:1", NULL));
    expect(&peer, "notifications/resources/updated", "\"uri\":\"t:1\"");
    CHECK_OK(mcp_server_remove_resource_template(server, "t:{v}"));
    expect(&peer, "notifications/resources/list_changed", "");
    CHECK_OK(mcp_server_remove_resource(server, "x:a"));
    expect(&peer, "notifications/resources/list_changed", "");
    CHECK_STATUS(mcp_server_remove_resource(server, "x:a"), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_HAS(mcp_last_error(), "resource \"x:a\"");
    CHECK_STATUS(mcp_server_remove_resource_template(server, "t:{v}"), MCP_STATUS_ERR_NOT_FOUND);
    answer = read_uri(&peer, "x:a");
    CHECK_HAS(answer, "\"code\":-32602");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void a_legacy_subscription(void)
{
    mcp_server *server = new_server();
    peer peer;
    char *answer;
    add_plain_resource(server, "x:a", say_what, NULL);
    peer_start(&peer, server);
    answer = peer_initialize(&peer, "2025-06-18", "{}");
    CHECK_HAS(answer, "\"resources\":{\"subscribe\":true,\"listChanged\":true}");
    free(answer);
    answer = peer_request(&peer, "resources/subscribe", "\"uri\":\"x:a\"");
    CHECK_HAS(answer, "\"result\":{}");
    free(answer);
    CHECK_OK(mcp_server_resource_updated(server, "x:a", NULL));
    expect(&peer, "notifications/resources/updated", "\"uri\":\"x:a\"");
    answer = peer_request(&peer, "resources/unsubscribe", "\"uri\":\"x:a\"");
    free(answer);
    CHECK_OK(mcp_server_resource_updated(server, "x:a", NULL));
    add_plain_resource(server, "x:b", say_what, NULL);
    expect(&peer, "notifications/resources/list_changed", "");
    answer = read_uri(&peer, "x:a");
    CHECK_HAS(answer, "\"result\":{\"contents\":[{\"uri\":\"x:a\",\"text\":\"plain text\"}]}");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

/* A client over a session, of which the messages are counted that have something in them. */
typedef struct listener {
    mcp_session *session;
    int acknowledged;
    int updated;
} listener;

static void hear(const char *message, size_t len, void *user_data)
{
    listener *listener = user_data;
    CHECK_INT(strlen(message), len);
    if (strstr(message, "acknowledged") != NULL)
        count_up(&listener->acknowledged);
    if (strstr(message, "notifications/resources/updated") != NULL)
        count_up(&listener->updated);
}

static void listen_as(listener *listener, mcp_server *server, const char *principal)
{
    char *request = request_text(1, "subscriptions/listen", "\"notifications\":{\"resourceSubscriptions\":[\"x:a\"]}", "");
    CHECK_OK(mcp_session_new(server, hear, listener, NULL, &listener->session));
    CHECK_OK(mcp_session_set_principal(listener->session, principal));
    CHECK_OK(mcp_session_receive(listener->session, request, MCP_NUL_TERMINATED));
    CHECK(wait_for_count(&listener->acknowledged, 1));
    free(request);
}

static void an_update_for_one_principal(void)
{
    listener alice = {NULL, 0, 0}, bob = {NULL, 0, 0};
    mcp_server *server = new_server();
    add_plain_resource(server, "x:a", say_what, NULL);
    listen_as(&alice, server, "alice");
    listen_as(&bob, server, "bob");
    CHECK_OK(mcp_server_resource_updated(server, "x:a", "alice"));
    CHECK(wait_for_count(&alice.updated, 1));
    CHECK_OK(mcp_server_resource_updated(server, "x:a", NULL));
    CHECK(wait_for_count(&alice.updated, 2));
    CHECK(wait_for_count(&bob.updated, 1));
    mcp_session_free(alice.session);
    mcp_session_free(bob.session);
    CHECK_INT(count_of(&alice.updated), 2);
    CHECK_INT(count_of(&bob.updated), 1);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"subscribers are told of changes", changes_while_serving},
    {"older clients are told of changes", a_legacy_subscription},
    {"a change may be for one principal alone", an_update_for_one_principal},
    {NULL, NULL},
};
