/* How many packets are on their way to a process: the question at the heart of bsp_sync (BSP §6.3).
 *
 *     direct          everybody sends to everybody, so nobody has to ask: one round, P-1 messages (message_sync.c)
 *     map             dissemination barrier with the message map of the document: log P rounds, up to P²/8 bytes
 *     reduce-scatter  sums of the counts only: log P rounds, P-1 words in all
 *
 * Each also keeps anyone from leaving before everyone has come. */
#include "bsp/message.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(uint32_t) == SUP_WIRE_COUNT, "what models take a count for");

static void swap(bsp_runtime *b, int round, int to, const void *out, size_t out_len, int from, void *in,
                 size_t in_len) {
    msg_exchange *x = b->ex;
    int tag = MSG_TAG_COUNT + 2 * round + (int)(b->epoch & 1);
    sup_net_req s, r;
    msg_lock(x);
    sup_status st = sup_net_irecv(b->net, from, tag, in, in_len, &r);
    if (!st) st = sup_net_isend(b->net, to, tag, out, out_len, &s);
    msg_unlock(x);
    msg_check("bsp_sync", st);
    msg_wait(b, &r);
    msg_wait(b, &s);
}

/* Before a round with distance d, v[i] is what is known to go to rank me+i. The far part is handed on to rank me+d, for
 * whom those ranks are nearer by d. At the end v[0] is the sum for this process. */
static int reduce_scatter(bsp_runtime *b, const uint32_t *mine) {
    msg_exchange *x = b->ex;
    int n = b->nprocs, round = 0, d = 1;
    uint32_t *v = x->count_in, *got = malloc((size_t)n * sizeof *got), *v2 = malloc((size_t)n * sizeof *v2);
    if (!got || !v2) bsp_fail_status("bsp_sync", SUP_ENOMEM);
    for (int i = 0; i < n; i++) v[i] = mine[(b->pid + i) % n];
    while (2 * d < n) d *= 2;
    for (int high = n; d >= 1 && n > 1; high = d, d /= 2, round++) {
        size_t bytes = (size_t)(high - d) * sizeof *v;
        memcpy(v2, v + d, bytes);
        swap(b, round, (b->pid + d) % n, v2, bytes, (b->pid - d + n) % n, got, bytes);
        for (int i = 0; i < high - d; i++) v[i] += got[i];
    }
    free(v2);
    free(got);
    return (int)v[0];
}

/* Row of a process: one bit for each process it sends to. Rows are gathered as in an allgather by dissemination. */
static int map(bsp_runtime *b, const uint32_t *mine) {
    msg_exchange *x = b->ex;
    int n = b->nprocs, round = 0;
    size_t row = ((size_t)n + 7) / 8;
    if (!x->map) x->map = malloc((size_t)n * row);
    if (!x->map) bsp_fail_status("bsp_sync", SUP_ENOMEM);
    memset(x->map, 0, row);
    for (int q = 0; q < n; q++)
        if (mine[q]) x->map[q / 8] |= (unsigned char)(1u << (q % 8));
    for (int d = 1; d < n; d *= 2, round++) {
        /* rows of me, me-1, … me-d+1 are here: they go to me+d, those of me-d … come from there */
        size_t rows = (size_t)(2 * d <= n ? d : n - d);
        swap(b, round, (b->pid + d) % n, x->map, rows * row, (b->pid - d + n) % n, x->map + (size_t)d * row,
             rows * row);
    }
    int coming = 0;
    for (int i = 0; i < n; i++) coming += x->map[(size_t)i * row + (size_t)b->pid / 8] >> (b->pid % 8) & 1;
    return coming;
}

int msg_count(bsp_runtime *b, const uint32_t *mine) {
    msg_exchange *x = b->ex;
    return !strcmp(x->counts, "map") ? map(b, mine) : reduce_scatter(b, mine);
}
