/* What rank 0 tells the others before each section: see section.h. */
#include "bsp/calls/section.h"

#include "bsp/calls/last_words.h"
#include "net/numbers.h"

#include <link.h>
#include <stdlib.h>

enum { NOBODY = -1 };

/* ---- a function, by its place in the program: processes load it at different addresses ---- */

typedef struct place {
    uintptr_t address, base;
    int32_t object, wanted;
} place;

static int in_object(struct dl_phdr_info *info, size_t size, void *arg) {
    place *p = arg;
    (void)size;
    p->object++;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && p->address - (info->dlpi_addr + h->p_vaddr) < h->p_memsz) {
            p->base = info->dlpi_addr;
            return 1;
        }
    }
    return 0;
}

static int at_object(struct dl_phdr_info *info, size_t size, void *arg) {
    place *p = arg;
    (void)size;
    p->base = info->dlpi_addr;
    return ++p->object == p->wanted;
}

static void name_function(bsp_section *s, void (*function)(void)) {
    place p = {.address = (uintptr_t)function, .object = NOBODY};
    s->object = NOBODY;
    if (!function || !dl_iterate_phdr(in_object, &p)) return;
    s->object = p.object;
    s->offset = p.address - p.base;
}

void (*bsp_section_function(const bsp_runtime *b))(void) {
    place p = {.object = NOBODY, .wanted = b->section.object};
    if (p.wanted < 0 || !dl_iterate_phdr(at_object, &p)) return NULL;
    return (void (*)(void))(p.base + b->section.offset);
}

/* ---- telling and hearing ---- */

/* A binomial tree from rank 0, so that nobody has to do with more than a few others: a process hears from the rank that
 * lacks its lowest bit, and tells those that have one bit below it more. */
static int parent_of(int rank) { return rank & (rank - 1); }

static sup_status pass_on(bsp_runtime *b) {
    sup_net_req req[32];
    int rank = b->net->rank, below = rank ? rank & -rank : b->net->size, count = 0;
    sup_status st = SUP_OK;
    for (int bit = 1; bit < below && rank + bit < b->net->size && !st; bit *= 2)
        st = sup_net_isend(b->net, rank + bit, SUP_TAG_SECTION, &b->section, sizeof b->section, &req[count++]);
    sup_status sent = sup_net_wait_all(b->net, req, st ? count - 1 : count);
    return st ? st : sent;
}

void bsp_section_tell(bsp_runtime *b, int procs) {
    b->section.procs = procs;
    b->section.superstep = b->superstep;
    name_function(&b->section, b->spmd);
    sup_status st = pass_on(b);
    if (st && procs) bsp_fail_status("bsp_begin", st);
}

bool bsp_section_hear(bsp_runtime *b, bool idle) {
    enum { ENDED_WELL = 1000 };
    sup_net_req req;
    sup_status st =
        sup_net_irecv(b->net, parent_of(b->net->rank), SUP_TAG_SECTION, &b->section, sizeof b->section, &req);
    if (!st) st = sup_net_wait(b->net, &req);
    if (!st || (req.done && !req.status)) {
        st = pass_on(b);
        if (!st || !b->section.procs) return b->section.procs > 0;
    }
    int rank = -1, cause = 0;
    if (idle && st == SUP_EPEER && sup_net_failure(b->net, &rank, &cause) && rank == 0 && cause == ENDED_WELL) {
        bsp_flush();
        _Exit(EXIT_SUCCESS);
    }
    bsp_fail_status("bsp_begin", st);
}
