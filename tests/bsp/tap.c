/* Counting and printing for the conformance suite; see tap.h. Nothing is communicated: the library is under test. */
#include "tap.h"

#include <bsp.h>
#include <stdio.h>

static const char *current;
static int number, broken_rules, broken_here;

static void close_rule(void) {
    if (!current) return;
    if (broken_here == 0 && bsp_pid() == 0) printf("ok %d - %s\n", number, current);
    broken_rules += broken_here > 0;
    fflush(stdout);
}

void tap_rule(const char *rule) {
    close_rule();
    current = rule;
    number++;
    broken_here = 0;
}

void tap_expect(bool holds, const char *text, const char *file, int line) {
    if (holds) return;
    if (broken_here++ >= 3) return;
    printf("not ok %d - %s\n# rank %d of %d, %s:%d: %s\n", number, current ? current : "(no rule)", bsp_pid(),
           bsp_nprocs(), file, line, text);
    fflush(stdout);
}

void tap_done(void) {
    close_rule();
    if (bsp_pid() == 0) printf("1..%d\n", number);
    fflush(stdout);
    if (broken_rules) bsp_abort("%d of %d rules broken on rank %d", broken_rules, number, bsp_pid());
    bsp_sync();
}
