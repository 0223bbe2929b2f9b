/* A small test harness. A test file defines its tests with TEST and lists them in TESTS. */

#ifndef MCP_TEST_HARNESS_H
#define MCP_TEST_HARNESS_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp.h"

/* Counts a failure, with its place, and goes on. */
#define CHECK(condition) check((condition), __FILE__, __LINE__, #condition)
#define CHECK_INT(actual, wanted) check_int((long long)(actual), (long long)(wanted), __FILE__, __LINE__, #actual)
#define CHECK_STR(actual, wanted) check_str((actual), (wanted), __FILE__, __LINE__, #actual)
/* `text` has `part` in it. */
#define CHECK_HAS(text, part) check_has((text), (part), true, __FILE__, __LINE__)
#define CHECK_LACKS(text, part) check_has((text), (part), false, __FILE__, __LINE__)
/* A call of the library returned this status; with the text of the error if not. */
#define CHECK_STATUS(call, wanted) check_status((call), (wanted), __FILE__, __LINE__, #call)
#define CHECK_OK(call) CHECK_STATUS(call, MCP_STATUS_OK)

void check(bool holds, const char *file, int line, const char *what);
void check_int(long long actual, long long wanted, const char *file, int line, const char *what);
void check_str(const char *actual, const char *wanted, const char *file, int line, const char *what);
void check_has(const char *text, const char *part, bool wanted, const char *file, int line);
void check_status(int actual, int wanted, const char *file, int line, const char *what);

typedef struct test {
    const char *name;
    void (*run)(void);
} test;

/* The tests of a file, ended by one without a name. */
extern const test TESTS[];

/* Waits until `*counter` is at least `wanted`; false after 30 seconds. Counters are changed by count_up alone. */
bool wait_for_count(const int *counter, int wanted);
int count_of(const int *counter);
void count_up(int *counter);

/* A destructor that counts: `user_data` is an int. */
void count_free(void *user_data);

/* Threads of this process. */
int thread_count(void);

/* Waits until the process has `wanted` threads; false after 30 seconds. */
bool wait_for_threads(int wanted);

/* Milliseconds of a clock that never goes back. */
long long now_ms(void);
void sleep_ms(int ms);

/* How much slower this run may be than a plain one: 1, or more under valgrind. */
int slowness(void);

/* Runs `child` in a forked process, and returns what it returns, or -1 if it was killed or took more than ten
   seconds. */
int in_child(int (*child)(void *), void *context);

#endif
