/* Allocations, mappings and system calls that fail, by number: what the tests of this folder link (inject.c). */
#ifndef SUP_TESTS_INJECT_H
#define SUP_TESTS_INJECT_H

/* From now on calls are counted that come from the library under test; the nth fails, and with `lasting` all that
 * follow. n 0: none does. */
void inject_arm(long n, int lasting);
/* How many calls there were; none fails any more. */
long inject_disarm(void);
/* How many so far; and they go on failing. */
long inject_calls(void);
/* From now on there are no files in memory, counted or not: processes share none that they have to make first. */
void inject_no_files(void);

#endif
