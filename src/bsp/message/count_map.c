/* Counts by map: everybody learns who sends to whom (BSP §6.5). */
#include "bsp/message/message.h"

#include <stdlib.h>
#include <string.h>

/* Row of a process: one bit for each process it sends to. Rows are gathered as in an allgather by dissemination. */
static void receive(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    int n = b->nprocs, round = 0;
    size_t row = ((size_t)n + 7) / 8;
    if (!x->map) x->map = malloc((size_t)n * row);
    if (!x->map) bsp_fail_status("bsp_sync", SUP_ENOMEM);
    memset(x->map, 0, row);
    for (int q = 0; q < n; q++)
        if (x->count_out[q]) x->map[q / 8] |= (unsigned char)(1u << (q % 8));
    for (int d = 1; d < n; d *= 2, round++) {
        /* rows of me, me-1, … me-d+1 are here: they go to me+d, those of me-d … come from there */
        size_t rows = (size_t)(2 * d <= n ? d : n - d);
        msg_counts_swap(b, round, d, x->map, x->map + (size_t)d * row, rows * row);
    }
    int coming = 0;
    for (int i = 0; i < n; i++) coming += x->map[(size_t)i * row + (size_t)b->pid / 8] >> (b->pid % 8) & 1;
    msg_receive_some(b, coming);
}

const msg_counts msg_counts_map = {.name = "map", .receive = receive};
