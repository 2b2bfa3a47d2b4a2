/* Checks of the conformance suite. A rule is a sentence of the standard in our words; all that is expected until the
 * next rule belongs to it. Rank 0 prints "ok N - rule"; a rank where a rule is broken prints "not ok N - rule" and the
 * expectation, and the run ends with a non-zero exit code once all rules have been tried. */
#ifndef TESTS_BSP_TAP_H
#define TESTS_BSP_TAP_H

#include <stdbool.h>

void tap_rule(const char *rule);
void tap_expect(bool holds, const char *text, const char *file, int line);

/* The last call before bsp_end: ends the run where a rule was broken. */
void tap_done(void);

#define RULE(text) tap_rule(text)
#define EXPECT(condition) tap_expect((condition), #condition, __FILE__, __LINE__)

#endif
