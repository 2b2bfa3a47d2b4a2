/* Supersteps that only communicate: Tcomm and Tsync without Tcomp, what predictions of both are held against.
 *
 *     exchange none|ring|grid|all BYTES SUPERSTEPS [put|hpput|get]
 *
 * none: empty supersteps, a barrier each. ring: BYTES to both neighbours. grid: to the four neighbours on the most even
 * periodic 2-D grid. all: to everybody. Every superstep moves the same; what arrives is checked once. The first tenth
 * warms up and is left out of a trace. */
#include <bsp.h>
#include <superstep/trace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS_MAX = 1024 };

typedef struct job {
    int count, to[NEIGHBOURS_MAX];
    size_t at[NEIGHBOURS_MAX]; /* block of the receiver that is ours; for a get, of ours that is the owner's */
    size_t bytes;
    char *out, *in; /* blocks */
} job;

static void add(job *j, int to, int at) {
    if (to == bsp_pid() || j->count == NEIGHBOURS_MAX) return;
    j->to[j->count] = to;
    j->at[j->count++] = (size_t)at;
}

/* Whom a process sends to, and into which of their blocks: what goes north arrives from the south. */
static void neighbours(job *j, const char *pattern) {
    int p = bsp_nprocs(), me = bsp_pid();
    if (!strcmp(pattern, "ring")) {
        add(j, (me + 1) % p, 0);
        if (p > 2) add(j, (me + p - 1) % p, 1);
    } else if (!strcmp(pattern, "grid")) {
        int columns = 1;
        for (int c = 1; c * c <= p; c++)
            if (p % c == 0) columns = c;
        int rows = p / columns, r = me / columns, c = me % columns;
        add(j, (r + 1) % rows * columns + c, 0);
        add(j, (r + rows - 1) % rows * columns + c, 1);
        add(j, r * columns + (c + 1) % columns, 2);
        add(j, r * columns + (c + columns - 1) % columns, 3);
    } else if (!strcmp(pattern, "all")) {
        for (int k = 1; k < p; k++) add(j, (me + k) % p, k - 1);
    } else if (strcmp(pattern, "none") != 0) {
        bsp_abort("pattern %s: none, ring, grid or all\n", pattern);
    }
}

static void step(const job *j, const char *kind) {
    for (int k = 0; k < j->count; k++) {
        const char *block = j->out + (size_t)k * j->bytes;
        if (kind[0] == 'p')
            bsp_put(j->to[k], block, j->in, j->at[k] * j->bytes, j->bytes);
        else if (kind[0] == 'h')
            bsp_hpput(j->to[k], block, j->in, j->at[k] * j->bytes, j->bytes);
        else
            bsp_get(j->to[k], j->out, j->at[k] * j->bytes, j->in + (size_t)k * j->bytes, j->bytes);
    }
    bsp_sync();
}

int main(int argc, char **argv) {
    bsp_begin(bsp_nprocs());
    if (argc < 4) bsp_abort("usage: exchange none|ring|grid|all BYTES SUPERSTEPS [put|hpput|get]\n");
    const char *pattern = argv[1], *kind = argc > 4 ? argv[4] : "put";
    job j = {.bytes = strtoul(argv[2], NULL, 10)};
    long supersteps = strtol(argv[3], NULL, 10);
    if (supersteps < 1 || j.bytes > (size_t)1 << 30) bsp_abort("sizes out of range\n");
    if (strcmp(kind, "put") != 0 && strcmp(kind, "hpput") != 0 && strcmp(kind, "get") != 0)
        bsp_abort("kind %s: put, hpput or get\n", kind);
    sup_trace_off();
    neighbours(&j, pattern);
    size_t blocks = (size_t)(bsp_nprocs() > 4 ? bsp_nprocs() : 4), all = blocks * j.bytes + 1;
    j.out = malloc(all);
    j.in = calloc(1, all);
    if (!j.out || !j.in) bsp_abort("out of memory\n");
    memset(j.out, bsp_pid() % 100 + 1, all);
    bsp_push_reg(j.in, all);
    bsp_push_reg(j.out, all);
    bsp_sync();
    for (long s = 0; s < supersteps / 10 + 2; s++) step(&j, kind);
    for (int k = 0; k < j.count && j.bytes; k++) /* as many arrive as leave, and none of them is from ourselves */
        if (kind[0] != 'g' && (!j.in[j.at[k] * j.bytes] || j.in[j.at[k] * j.bytes] == bsp_pid() % 100 + 1))
            bsp_abort("block %zu is wrong\n", j.at[k]);
    sup_trace_on();
    double from = bsp_time();
    for (long s = 0; s < supersteps; s++) step(&j, kind);
    double seconds = (bsp_time() - from) / (double)supersteps;
    sup_trace_off();
    if (bsp_pid() == 0)
        printf("%s %zu bytes, %d processes: %.3f us a superstep\n", pattern, j.bytes, bsp_nprocs(), seconds * 1e6);
    bsp_end();
    free(j.in);
    free(j.out);
    return 0;
}
