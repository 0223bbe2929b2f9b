/* ask: an MCP server in C whose tool asks the user.
 *
 *     cc ask.c $(pkg-config --cflags --libs mcp) -o ask
 *     ./ask                    for a client that starts it as its child
 *
 * `order_pizza` asks which size, then whether the price is right, and then orders. A handler never waits for an answer: it
 * names its question and returns, and the library calls it again, from its beginning, once the answer is there. That
 * serves clients of every revision, those that are asked by requests and those that find the question in a result.
 */
#include <mcp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments fit this schema before the handler runs, so that a pizza can stand in JSON as it is. */
static const char order_input[] =
    "{\"type\":\"object\",\"properties\":{\"pizza\":{\"enum\":[\"margherita\",\"funghi\",\"diavola\"]}},"
    "\"required\":[\"pizza\"]}";

static const char which_size[] =
    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Which size?\",\"requestedSchema\":{\"type\":\"object\","
    "\"properties\":{\"size\":{\"type\":\"string\",\"enum\":[\"small\",\"large\"]}},\"required\":[\"size\"]}}}";

/* Prices rise each time that somebody looks. */
static int look_price_up(void)
{
    static int price = 9;
    return price++;
}

/* Whether the question has its answer. If not, the handler returns: to be called again, or because it is over. */
static bool answered(mcp_call *call, const char *key, const char *question)
{
    switch (mcp_call_request_input(call, key, question, MCP_NUL_TERMINATED, NULL, NULL)) {
    case MCP_STATUS_OK:
        return true;
    case MCP_STATUS_ERR_INPUT_REQUIRED:
        return false;
    default: /* as a client that did not declare that it can ask its user */
        mcp_call_finish_tool_error(call, mcp_last_error(), MCP_NUL_TERMINATED);
        return false;
    }
}

static void order_pizza(mcp_call *call, void *user_data)
{
    const char *pizza, *size, *price, *action = "";
    char own_price[16], question[400], text[160];
    bool first = false;

    (void)user_data;
    if (mcp_call_get_string(call, "pizza", &pizza, NULL) != MCP_STATUS_OK || !answered(call, "size", which_size)) {
        return;
    }
    /* The answer fits the form, unless the user would not fill it in. */
    if (mcp_call_input_string(call, "size", "/content/size", &size, NULL) != MCP_STATUS_OK) {
        mcp_call_finish_text(call, "The user does not want a pizza.", MCP_NUL_TERMINATED);
        return;
    }

    /* Looked up once, and kept for the rounds to come: the user pays the price that was shown. */
    if (mcp_call_memo_get(call, "price", &price, NULL) != MCP_STATUS_OK) {
        snprintf(own_price, sizeof own_price, "%d", look_price_up());
        mcp_call_memo_set(call, "price", own_price, MCP_NUL_TERMINATED);
        price = own_price;
    }
    /* A form without fields is a question for yes or no. */
    snprintf(question, sizeof question,
             "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"A %s %s is %s euros. Order it?\","
             "\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}",
             size, pizza, price);
    if (!answered(call, "consent", question)) {
        return;
    }
    mcp_call_input_string(call, "consent", "action", &action, NULL);
    if (strcmp(action, "accept") != 0) {
        mcp_call_finish_text(call, "The user found it too dear.", MCP_NUL_TERMINATED);
        return;
    }

    /* The effect: not twice for one order, however often its client repeats a round. */
    mcp_call_once(call, "order", &first);
    snprintf(text, sizeof text, first ? "Ordered: a %s %s for %s euros." : "The %s %s for %s euros was ordered before.", size,
             pizza, price);
    mcp_call_finish_text(call, text, MCP_NUL_TERMINATED);
}

/* Ends the program with the library's own words when a call failed. */
static void must(int status)
{
    if (status != MCP_STATUS_OK) {
        fprintf(stderr, "ask: %s\n", mcp_last_error());
        exit(1);
    }
}

int main(void)
{
    mcp_server *server = NULL;
    mcp_tool *tool = NULL;

    must(mcp_server_new("ask", "1.0.0", &server));
    must(mcp_tool_new("order_pizza", &tool));
    must(mcp_tool_set_description(tool, "Orders a pizza, once the user agrees to size and price"));
    must(mcp_tool_set_input_schema(tool, order_input, MCP_NUL_TERMINATED));
    must(mcp_tool_set_dispatch(tool, MCP_DISPATCH_INLINE)); /* it asks, and never waits */
    must(mcp_server_add_tool(server, tool, order_pizza, NULL, NULL));
    mcp_tool_free(tool);
    must(mcp_server_run_stdio(server)); /* until the client closes our input */
    mcp_server_free(server);
    return 0;
}
