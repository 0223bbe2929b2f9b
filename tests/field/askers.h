/* Tools of the fixture server that ask the client, and that change what the server offers. */
#ifndef FIELD_ASKERS_H
#define FIELD_ASKERS_H

#include "handler.h"

/* All of them, ended by an entry without a name. They may handle prompts and resources too. */
extern const struct fixture_handler fixture_askers[];

#endif
