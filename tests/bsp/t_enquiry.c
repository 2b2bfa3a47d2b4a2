/* bsp_nprocs, bsp_pid, bsp_time, and bsp_sync on its own. */
#include "tap.h"
#include "topics.h"

#include <bsp.h>
#include <stdlib.h>
#include <time.h>

void topic_enquiry(void) {
    int p = bsp_nprocs(), s = bsp_pid();

    RULE("inside, bsp_nprocs is the number of processes, at least one, and stays so");
    EXPECT(p >= 1);
    bsp_sync();
    EXPECT(bsp_nprocs() == p);

    RULE("bsp_pid is between 0 and bsp_nprocs()-1 and stays so");
    EXPECT(s >= 0 && s < p);
    bsp_sync();
    EXPECT(bsp_pid() == s);

    RULE("every process has a rank of its own, and all agree on their number");
    int *seen = calloc((size_t)p, sizeof *seen), *count = calloc((size_t)p, sizeof *count);
    EXPECT(seen && count);
    bsp_push_reg(seen, (size_t)p * sizeof *seen);
    bsp_push_reg(count, (size_t)p * sizeof *count);
    bsp_sync();
    int one = s + 1;
    for (int i = 0; i < p; i++) {
        bsp_put(i, &one, seen, (size_t)s * sizeof one, sizeof one);
        bsp_put(i, &p, count, (size_t)s * sizeof p, sizeof p);
    }
    bsp_pop_reg(count);
    bsp_pop_reg(seen);
    bsp_sync();
    for (int i = 0; i < p; i++) EXPECT(seen[i] == i + 1 && count[i] == p);
    free(seen);
    free(count);

    RULE("bsp_time counts seconds since bsp_begin and never runs backwards");
    double before = bsp_time(), last = before;
    struct timespec wait = {.tv_nsec = 20 * 1000 * 1000}, from, to;
    EXPECT(before >= 0.0 && before < 3600.0);
    for (int i = 0; i < 1000; i++) {
        double now = bsp_time();
        EXPECT(now >= last);
        last = now;
    }
    clock_gettime(CLOCK_MONOTONIC, &from);
    before = bsp_time();
    nanosleep(&wait, NULL);
    last = bsp_time();
    clock_gettime(CLOCK_MONOTONIC, &to);
    double outer = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    EXPECT(last - before >= 0.0199 && last - before <= outer + 1e-6);

    RULE("a superstep may be empty, and any number of them may follow each other");
    for (int i = 0; i < 500; i++) bsp_sync();
    EXPECT(bsp_pid() == s);
}
