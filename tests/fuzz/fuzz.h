/* What a fuzz target offers: libFuzzer's entry, and whether its reader takes an input. The replay program runs every
 * file of a corpus through both; good-* must be taken, bad-* refused, anything else only survived. */
#ifndef SUP_TESTS_FUZZ_H
#define SUP_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
bool fuzz_takes(const uint8_t *data, size_t size);

/* The input as a C string, to be freed (text.c). */
char *fuzz_text(const uint8_t *data, size_t size);

/* Asks whatever can be asked of a machine model (ask_topology.c). */
struct sup_topology;
void fuzz_ask_topology(const struct sup_topology *topology);

/* A property does not hold. */
#define FUZZ_REQUIRE(condition)                                        \
    do {                                                               \
        if (!(condition)) fuzz_broken(#condition, __FILE__, __LINE__); \
    } while (0)
_Noreturn void fuzz_broken(const char *what, const char *file, int line);

#endif
