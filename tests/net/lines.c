/* Writes many lines of many lengths to stdout and stderr, in pieces as they come: line NUMBER of rank R is
 * "oR:NUMBER:LENGTH:" or "eR:…" and LENGTH times a letter of the rank.
 *
 *     lines COUNT [whole]      whole: stdout, too, gets a line at a time */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank(void) {
    static const char *const names[] = {"SUPERSTEP_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i])) return atoi(getenv(names[i]));
    return 0;
}

int main(int argc, char **argv) {
    static char letters[12000];
    int count = argc > 1 ? atoi(argv[1]) : 1, self = rank();
    uint32_t seed = 7919 * (uint32_t)self + 1;
    memset(letters, 'a' + self % 26, sizeof letters);
    setvbuf(stdout, NULL, argc > 2 ? _IOLBF : _IOFBF, argc > 2 ? sizeof letters + 100 : 4096);
    for (int i = 0; i < 2 * count; i++) {
        seed = seed * 1103515245u + 12345;
        uint32_t length = (seed >> 8) % 997 ? (seed >> 16) % 200 : 3000 + (seed >> 16) % 9000;
        fprintf(i % 2 ? stderr : stdout, "%c%d:%d:%u:%.*s\n", "oe"[i % 2], self, i / 2, length, (int)length, letters);
    }
    return 0;
}
