/* How many packets are on their way to a process: the question at the heart of bsp_sync (BSP §6.3).
 *
 *     direct          everybody sends to everybody, so nobody has to ask: one round, P-1 messages
 *     map             dissemination barrier with the message map of the document: log P rounds, up to P²/8 bytes
 *     reduce-scatter  sums of the counts only: log P rounds, P-1 words in all
 *
 * Each also keeps anyone from leaving before everyone has come. */
#include "bsp/message/message.h"

#include <string.h>

static const msg_counts *const rows[] = {&msg_counts_direct, &msg_counts_map, &msg_counts_reduce_scatter};

static const msg_counts *find(const char *name) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i]->name, name)) return rows[i];
    return NULL;
}

const msg_counts *msg_counts_choose(const bsp_runtime *b) {
    const msg_counts *planned = find(sup_plan_find_counts(b->plan, b->nprocs));
    return planned ? planned : find(sup_plan_find_counts(NULL, b->nprocs)); /* a later version may know more */
}
