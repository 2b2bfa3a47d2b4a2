/* A BSP program in one process of which something fails (inject.h):
 *
 *     superstep run … inject_bsp VICTIM N LASTING
 *
 * Every kind of call, short and long; what arrives is checked. It prints "RANK 0 CALLS" before its end: there is no
 * other status, because a run in which something failed that it needs has been ended by then, with a reason. */
#include "inject.h"

#include <bsp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <superstep/coll.h>

enum { LONG = 200000, MANY = 300 };

static char *area, *data, *got;
static int pid, procs, next, before;

static void expect(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "inject_bsp: rank %d: wrong %s\n", pid, what);
    bsp_abort("inject_bsp: wrong data");
}

static bool all_of(const char *at, size_t n, int value) {
    for (size_t i = 0; i < n; i++)
        if (at[i] != (char)value) return false;
    return true;
}

/* Straight into the area of the next, and out of that of the one before. */
static void transfers(size_t n, int round) {
    memset(data, pid + round, n);
    memset(area, 100 + pid + round, 2 * n);
    memset(got, 0, 2 * n);
    bsp_sync();
    bsp_get(before, area, n, got, n);
    bsp_hpget(before, area, n, got + n, n);
    bsp_put(next, data, area, 0, n);
    bsp_sync();
    expect(all_of(area, n, before + round), "put");
    expect(all_of(got, 2 * n, 100 + before + round), "get");
    bsp_hpput(next, data, area, n, n);
    bsp_sync();
    expect(all_of(area + n, n, before + round), "unbuffered put");
}

static void messages(size_t n) {
    int tag = pid, packets, from, status;
    size_t bytes, length = 0;
    memset(data, 5 + pid, n);
    bsp_send(next, &tag, data, n);
    bsp_send(pid, &tag, data, 1);
    bsp_sync();
    bsp_qsize(&packets, &bytes);
    expect(packets == 2 && bytes == n + 1, "queue");
    for (int i = 0; i < packets; i++) {
        bsp_get_tag(&status, &from);
        length = (size_t)status;
        bsp_move(got, length);
        expect(all_of(got, length, 5 + from) && (length == n ? from == before : from == pid), "message");
    }
}

static void registrations(void) {
    static char many[MANY][8];
    for (int i = 0; i < MANY; i++) bsp_push_reg(many[i], 8);
    bsp_sync();
    for (int i = 0; i < MANY; i += 7) bsp_put(next, "abcdefg", many[i], 0, 8);
    bsp_sync();
    for (int i = 0; i < MANY; i += 7) expect(!strcmp(many[i], "abcdefg"), "put into one of many areas");
    for (int i = 0; i < MANY; i++) bsp_pop_reg(many[i]);
    bsp_sync();
}

static void collectives(size_t n) {
    memset(data, pid + 1, n);
    sup_bsp_allgather(data, n, got);
    for (int p = 0; p < procs; p++) expect(all_of(got + (size_t)p * n, n, p + 1), "allgather");
    sup_bsp_broadcast(procs - 1, data, n);
    expect(all_of(data, n, procs), "broadcast");
    int64_t *x = (int64_t *)(void *)data, *sum = (int64_t *)(void *)got;
    for (size_t i = 0; i < n / 8; i++) x[i] = pid + 1;
    sup_bsp_allreduce_int64(SUP_BSP_SUM, x, sum, n / 8);
    expect(sum[0] == procs * (procs + 1) / 2 && sum[n / 8 - 1] == sum[0], "allreduce");
}

int main(int argc, char **argv) {
    static const char *const names[] = {"SUPERSTEP_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    const char *rank = NULL;
    for (int i = 0; i < 3 && !rank; i++) rank = getenv(names[i]);
    if (argc < 4) return 2;
    bool victim = atoi(argv[1]) == (rank ? atoi(rank) : 0);
    area = malloc(2 * LONG);
    data = malloc(2 * LONG);
    got = malloc((size_t)16 * LONG);
    if (!area || !data || !got) return 2;
    if (victim) inject_arm(atol(argv[2]), atoi(argv[3]));
    bsp_begin(bsp_nprocs());
    pid = bsp_pid();
    procs = bsp_nprocs();
    next = (pid + 1) % procs;
    before = (pid + procs - 1) % procs;
    int tag_bytes = sizeof(int);
    bsp_push_reg(area, 2 * LONG);
    bsp_set_tagsize(&tag_bytes);
    bsp_sync();
    for (int round = 0; round < 2; round++) {
        transfers(8, round);
        transfers(5000, round);
        transfers(LONG, round);
        messages(100);
        messages(50000);
    }
    registrations();
    collectives(64);
    collectives(100000);
    long calls = inject_calls();
    printf("%d 0 %ld\n", pid, victim ? calls : 0);
    bsp_end();
    return 0;
}
