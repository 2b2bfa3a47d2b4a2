/* Counts by reduce-scatter: everybody learns the sum of the packets for it, and nothing else. */
#include "bsp/message/message.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(uint32_t) == SUP_WIRE_COUNT, "what models take a count for");

/* Before a round with distance d, v[i] is what is known to go to rank me+i. The far part is handed on to rank me+d, for
 * whom those ranks are nearer by d. At the end v[0] is the sum for this process. */
static void receive(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    int n = b->nprocs, round = 0, d = 1;
    uint32_t *v = x->count_in, *got = malloc((size_t)n * sizeof *got), *v2 = malloc((size_t)n * sizeof *v2);
    if (!got || !v2) bsp_fail_status("bsp_sync", SUP_ENOMEM);
    for (int i = 0; i < n; i++) v[i] = x->count_out[(b->pid + i) % n];
    while (2 * d < n) d *= 2;
    for (int high = n; d >= 1 && n > 1; high = d, d /= 2, round++) {
        size_t bytes = (size_t)(high - d) * sizeof *v;
        memcpy(v2, v + d, bytes);
        msg_counts_swap(b, round, d, v2, got, bytes);
        for (int i = 0; i < high - d; i++) v[i] += got[i];
    }
    free(v2);
    free(got);
    msg_receive_some(b, (int)v[0]);
}

const msg_counts msg_counts_reduce_scatter = {.name = "reduce-scatter", .receive = receive};
