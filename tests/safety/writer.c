/* Writes a file again and again, as every writer of the tool does, and says how often that went well. For a test that
 * exchanges what the path stands for meanwhile.
 *
 *     writer PATH TIMES [anew]       anew: what is there is removed before, or the other user could no longer exchange
 * it */
#include "base/file/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    sup_diag diag;
    long good = 0, times = argc >= 3 ? strtol(argv[2], NULL, 10) : 0;
    if (times < 1) return 2;
    for (long i = 0; i < times; i++) {
        if (argc > 3) unlink(argv[1]);
        good += sup_file_write(argv[1], "written\n", 8, true, &diag) == SUP_OK;
    }
    printf("%ld of %ld, last: %s\n", good, times, diag.text);
    return 0;
}
