/* Asking clients of older revisions, by requests of the server's. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "rounds.h"

/* The next message of the server's that is a request of `method`; its id comes out. Free it. */
static char *request_from_server(peer *peer, const char *method, int *id)
{
    char *line = peer_read(peer);
    const char *at = line == NULL ? NULL : strstr(line, "\"id\":");
    CHECK_HAS(line, method);
    *id = at == NULL ? -1 : atoi(at + 5);
    return line;
}

static void respond(peer *peer, int id, const char *result)
{
    char line[1024];
    snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":%s}", id, result);
    peer_send_line(peer, line);
}

static void older_clients(void)
{
    static const struct {
        const char *revision, *capabilities;
    } CLIENTS[] = {
        {"2025-06-18", "{\"elicitation\":{}}"},
        {"2025-11-25", "{\"elicitation\":{\"form\":{}}}"},
    };
    size_t i;
    for (i = 0; i < 2; i++) {
        int rounds = 0, id, question;
        peer peer;
        mcp_server *server = server_with("book", book, &rounds, MCP_DISPATCH_POOL);
        peer_start(&peer, server);
        free(peer_initialize(&peer, CLIENTS[i].revision, CLIENTS[i].capabilities));
        id = peer_send_call(&peer, "book", "{}");
        free(request_from_server(&peer, "\"method\":\"elicitation/create\"", &question));
        respond(&peer, question, "{\"action\":\"accept\",\"content\":{\"seat\":3}}");
        free(request_from_server(&peer, "\"method\":\"elicitation/create\"", &question));
        respond(&peer, question, "{\"action\":\"accept\",\"content\":{\"seat\":\"12A\"}}");
        check_answer(peer_answer(&peer, id), "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"12A\"}]}");
        CHECK_INT(count_of(&rounds), 3);
        peer_stop(&peer);
        mcp_server_free(server);
    }
}

static void memos_of_older_clients(void)
{
    effects effects = {0, 0, 0};
    int id, question;
    peer peer;
    mcp_server *server = server_with("a", remember, &effects, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    free(peer_initialize(&peer, "2025-11-25", "{\"elicitation\":{}}"));
    id = peer_send_call(&peer, "a", "{}");
    free(request_from_server(&peer, "Say seat", &question));
    respond(&peer, question, "{\"action\":\"decline\"}");
    free(request_from_server(&peer, "Say count", &question));
    respond(&peer, question, "{\"action\":\"decline\"}");
    check_answer(peer_answer(&peer, id), "paid");
    CHECK(effects.computed == 1 && effects.done == 1 && effects.rounds == 3);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void ask_model_and_roots(mcp_call *call, void *user_data)
{
    static const char MODEL[] = "{\"method\":\"sampling/createMessage\",\"params\":{\"maxTokens\":9,\"messages\":["
                                "{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Well?\"}}]}}";
    const char *text, *uri;
    (void)user_data;
    if (mcp_call_request_input(call, "roots", "{\"method\":\"roots/list\"}", MCP_NUL_TERMINATED, NULL, NULL) != MCP_STATUS_OK
        || mcp_call_request_input(call, "model", MODEL, MCP_NUL_TERMINATED, NULL, NULL) != MCP_STATUS_OK)
        return;
    CHECK_OK(mcp_call_input_string(call, "roots", "/roots/0/uri", &uri, NULL));
    CHECK_OK(mcp_call_input_string(call, "model", "/content/text", &text, NULL));
    CHECK_OK(mcp_call_add_text(call, uri, MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_finish_text(call, text, MCP_NUL_TERMINATED));
}

static void the_model_and_the_roots(void)
{
    int id, question;
    peer peer;
    mcp_server *server = server_with("a", ask_model_and_roots, NULL, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    free(peer_initialize(&peer, "2024-11-05", "{\"sampling\":{},\"roots\":{}}"));
    id = peer_send_call(&peer, "a", "{}");
    free(request_from_server(&peer, "\"method\":\"roots/list\"", &question));
    respond(&peer, question, "{\"roots\":[{\"uri\":\"file:///home\"}]}");
    free(request_from_server(&peer, "\"method\":\"sampling/createMessage\"", &question));
    respond(&peer, question,
            "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":\"text\",\"text\":\"Quite.\"}}");
    check_answer(peer_answer(&peer, id), "\"text\":\"file:///home\"},{\"type\":\"text\",\"text\":\"Quite.\"}");
    peer_stop(&peer);
    mcp_server_free(server);
}

static void send_to_a_page(mcp_call *call, void *user_data)
{
    char question[256];
    const char *id;
    CHECK_OK(mcp_call_elicitation_id(call, "page", &id));
    if (((char *)user_data)[0] == '\0')
        strcpy(user_data, id);
    CHECK_STR(id, user_data);
    snprintf(question, sizeof question,
             "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"message\":\"Log in\","
             "\"url\":\"https://a.example/%s\"}}",
             id);
    if (mcp_call_request_input(call, "page", question, MCP_NUL_TERMINATED, NULL, NULL) == MCP_STATUS_OK)
        CHECK_OK(mcp_call_finish_text(call, "sent", MCP_NUL_TERMINATED));
}

static void a_page_to_visit(void)
{
    char page[64] = "";
    int id, question;
    peer peer;
    char *line, *own;
    mcp_server *server = server_with("a", send_to_a_page, page, MCP_DISPATCH_POOL);
    CHECK_STATUS(mcp_server_complete_elicitation(server, "none"), MCP_STATUS_ERR_NOT_FOUND);
    peer_start(&peer, server);
    free(peer_initialize(&peer, "2025-11-25", "{\"elicitation\":{\"url\":{}}}"));
    id = peer_send_call(&peer, "a", "{}");
    line = request_from_server(&peer, "\"mode\":\"url\"", &question);
    own = member(line, "elicitationId");
    CHECK_STR(own, page);
    CHECK_HAS(line, own);
    respond(&peer, question, "{\"action\":\"accept\"}");
    check_answer(peer_answer(&peer, id), "\"text\":\"sent\"");
    CHECK_OK(mcp_server_complete_elicitation(server, page));
    free(line);
    line = peer_read(&peer);
    CHECK_HAS(line, "\"method\":\"notifications/elicitation/complete\"");
    CHECK_HAS(line, page);
    CHECK_STATUS(mcp_server_complete_elicitation(server, page), MCP_STATUS_ERR_NOT_FOUND);
    free(line);
    free(own);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void a_call_cancelled_while_it_asks(void)
{
    int rounds = 0, id, question;
    peer peer;
    char *line;
    mcp_server *server = server_with("book", book, &rounds, MCP_DISPATCH_POOL);
    peer_start(&peer, server);
    free(peer_initialize(&peer, "2025-11-25", "{\"elicitation\":{}}"));
    id = peer_send_call(&peer, "book", "{}");
    free(request_from_server(&peer, "Say seat", &question));
    peer_cancel(&peer, id);
    line = peer_read(&peer);
    CHECK_HAS(line, "\"method\":\"notifications/cancelled\"");
    free(line);
    respond(&peer, question, "{\"action\":\"decline\"}");
    line = peer_request(&peer, "ping", "");
    CHECK_HAS(line, "\"result\":{}");
    free(line);
    CHECK_INT(count_of(&rounds), 1);
    peer_stop(&peer);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"older clients are asked by requests", older_clients},
    {"memos are kept for older clients", memos_of_older_clients},
    {"the model and the roots are asked for", the_model_and_the_roots},
    {"a client is told when a page was visited", a_page_to_visit},
    {"a call may be cancelled while it asks", a_call_cancelled_while_it_asks},
    {NULL, NULL},
};
