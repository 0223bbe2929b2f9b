/* The tools of the fixture server: what a test can make a C handler do. */
#ifndef FIELD_TOOLS_H
#define FIELD_TOOLS_H

#include "handler.h"

/* All of them, ended by an entry without a name. */
extern const struct fixture_handler fixture_tools[];

#endif
