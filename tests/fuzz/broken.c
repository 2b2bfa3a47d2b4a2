/* How a target says that a property does not hold: loudly, so that libFuzzer and the replay both notice. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

void fuzz_broken(const char *what, const char *file, int line) {
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}
