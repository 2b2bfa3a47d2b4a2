/* More processes than anybody has cores for. Each talks to a few others, and pays for those alone: neither memory nor
 * page tables for every pair, which are gigabytes at a thousand processes. */
#include "../sanitized.h"
#include "tap.h"

#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4 };

static int rank_at(int distance) { return (bsp_pid() + distance) % bsp_nprocs(); }
static int rank_before(int distance) { return (bsp_pid() - distance % bsp_nprocs() + bsp_nprocs()) % bsp_nprocs(); }
static long value_of(int rank, int step) { return 1000L * rank + step; }

/* Kilobytes of a line of /proc/self/status; -1: there is none. */
static long status_kb(const char *key) {
    char line[256];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && kb < 0 && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key))) kb = strtol(line + strlen(key), NULL, 10);
    if (f) fclose(f);
    return kb;
}

/* One put, one get from the heap, one from elsewhere (the owner is asked, or the kernel), one message. */
static void talk(long *heap, long *stack, int step) {
    long mine = value_of(bsp_pid(), step), near = -1, far = -1, payload = -1;
    int packets, status, bytes;
    heap[1] = stack[0] = mine;
    bsp_put(rank_at(1), &mine, heap, 0, sizeof mine);
    bsp_get(rank_at(3), heap, sizeof mine, &near, sizeof near);
    bsp_get(rank_at(5), stack, 0, &far, sizeof far);
    bsp_send(rank_at(7), NULL, &mine, sizeof mine);
    bsp_sync();
    EXPECT(heap[0] == value_of(rank_before(1), step));
    EXPECT(near == value_of(rank_at(3), step));
    EXPECT(far == value_of(rank_at(5), step));
    bsp_qsize(&packets, &bytes);
    bsp_get_tag(&status, NULL);
    EXPECT(packets == 1 && status == (int)sizeof mine);
    if (packets == 1) bsp_move(&payload, sizeof payload);
    EXPECT(payload == value_of(rank_before(7), step));
    bsp_sync();
}

int main(void) {
    bsp_begin(bsp_nprocs());
    long *heap = calloc(2, sizeof *heap), stack[1] = {0};
    if (!heap) bsp_abort("many: out of memory");
    RULE("many processes exchange with a few others each");
    bsp_push_reg(heap, 2 * sizeof *heap);
    bsp_push_reg(stack, sizeof stack);
    bsp_sync();
    for (int step = 0; step < STEPS; step++) talk(heap, stack, step);
    RULE("a process that talks to few others pays for few others");
    long procs = bsp_nprocs(), tables = status_kb("VmPTE:"), memory = status_kb("RssAnon:");
    if (bsp_pid() == 0) printf("# %ld kB of page tables, %ld kB of memory of its own\n", tables, memory);
    EXPECT(SANITIZED || tables < 400 + 2 * procs);
    EXPECT(SANITIZED || memory < 600 + procs / 4);
    tap_done();
    bsp_end();
    return 0;
}
