/* What the fixture server offers: how it is made from the JSON of a definition and the name of a handler. */
#ifndef FIELD_OFFERS_H
#define FIELD_OFFERS_H

#include "handler.h"

/* Looks in all lists of handlers; ends the process when there is none of that name. */
const struct fixture_handler *offered_handler(const char *name);

/* Adds the definition `json` of a "tool", "resource", "template" or "prompt"; a status. */
int offer(const char *kind, const struct fixture_handler *handler, const char *json, size_t len);

/* The same for a template; the values of `variable` may lead out of their place. */
int offer_path(const struct fixture_handler *handler, const char *json, const char *variable);

/* A tool that needs a capability. */
int offer_needing(const char *json, const struct fixture_handler *handler, const char *capability);

/* Resources, templates, prompts, completion, and the tools that ask. */
void offer_everything(void);

/* Tools that change what is offered, or use it. */
extern const struct fixture_handler fixture_changers[];

#endif
