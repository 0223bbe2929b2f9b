/* Calls in several rounds: a question from the server, and what the client does with it. */

#ifndef MCP_TEST_ROUNDS_H
#define MCP_TEST_ROUNDS_H

#include "peer.h"

/* A form with one field that must be filled in. */
#define FORM(field, type)                                                                                              \
    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Say " field "\",\"requestedSchema\":"               \
    "{\"type\":\"object\",\"properties\":{\"" field "\":{\"type\":\"" type "\"}},\"required\":[\"" field "\"]}}}"
#define ASK_SEAT FORM("seat", "string")
#define ASK_COUNT FORM("count", "integer")

/* What a client of the modern era declares that can be asked by forms. */
#define ASKS_FORMS "{\"elicitation\":{\"form\":{}}}"

/* The text of the member `name` of a message, a string without escapes; NULL if there is none. Free it. */
char *member(const char *message, const char *name);

/* The state of an answer that asks for `question`. Frees the answer; free the state. */
char *state_of(char *answer, const char *question);

/* The answer to a call of `tool` that echoes `state` with `responses`, a JSON object. Free it. */
char *call_again(peer *peer, const char *tool, const char *arguments, const char *state, const char *responses);

/* The answer has `part` in it, and asks nothing. Frees it. */
void check_answer(char *answer, const char *part);

/* A handler that asks for a seat and finishes with it, or with "no seat". It counts its rounds: `user_data` is an int. */
void book(mcp_call *call, void *user_data);

/* A handler that asks for seat and count, one after the other, with a memo and an effect in between. */
typedef struct effects {
    int computed;
    int done;
    int rounds;
} effects;
void remember(mcp_call *call, void *user_data);

#endif
