/* Handlers of the fixture server's resources, prompts and completions. */
#ifndef FIELD_READERS_H
#define FIELD_READERS_H

#include "handler.h"

/* All of them, ended by an entry without a name. */
extern const struct fixture_handler fixture_readers[];

#endif
