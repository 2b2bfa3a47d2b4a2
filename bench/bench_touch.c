/* bench/touch: what the first touch of large blocks costs processes of a BSP program that touch at the same time, in
 * the heap that they share, beside private memory in pages of 4 KiB: 1, 2, 4 … processes, each on a core. Rounds of the
 * two alternate inside the program (touch_worker.c); of each the slowest process counts. */
#include "groups.h"
#include "harness.h"

#include <limits.h>
#include <stdio.h>

static void rows(bench *b, const char *worker, int processes, int mib) {
    char command[PATH_MAX + 200], name[64];
    bench_value heap = BENCH_FAILED, private = BENCH_FAILED;
    snprintf(command, sizeof command, "%s run --net shm -n %d %s %d %d", BENCH_SUPERSTEP, processes, worker, mib,
             b->quick ? 15 : 61);
    FILE *f = popen(command, "r");
    double v[4];
    bool read = f && fscanf(f, "%lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3]) == 4;
    if (f && pclose(f) == 0 && read) {
        heap = (bench_value){v[0], v[1]};
        private = (bench_value){v[2], v[3]};
    }
    snprintf(name, sizeof name, "first touch, %d MiB, %d process%s", mib, processes, processes == 1 ? "" : "es");
    bench_row(b, name, heap, "us/page", private, "private, 4 KiB pages", "<= 1.3");
}

int main(int argc, char **argv) {
    bench b;
    int rc = bench_begin(&b, "touch", argc, argv);
    if (rc >= 0) return rc;
    char worker[PATH_MAX] = "touch-worker";
    bench_beside("touch-worker", worker, sizeof worker); /* where it is not, starting it fails */
    for (int processes = 1; processes <= bench_cores() && processes <= 64; processes *= 2) {
        rows(&b, worker, processes, 17); /* filled when it is allocated (bsp/heap/fill.c) */
        rows(&b, worker, processes, 80); /* … but for its end, which is touched page by page */
    }
    return bench_end(&b);
}
