/* Runs a random program (reference/sim.h) through the library and compares memory and messages after every superstep.
 *
 *     random [seed [supersteps]]
 *
 * The order of messages in a queue is not given by the standard, so queues are compared as sets. */
#include "reference/sim.h"

#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static sim *truth;
static uint64_t seed;
static unsigned char global_area[SIM_BYTES], hp_global[SIM_BYTES];
static unsigned char *areas[SIM_AREAS];

static void *address(int area) { return area < 0 ? NULL : areas[area]; }

static void differ(const char *what, int area, size_t at) {
    bsp_abort("random: %s differs: seed %llu, %d processes, rank %d, after superstep %lu, area %d, byte %zu", what,
              (unsigned long long)seed, bsp_nprocs(), bsp_pid(), truth->superstep - 1, area, at);
}

static void perform(const sim_op *o) {
    unsigned char *own = areas[o->local] + o->local_offset;
    const void *name = areas[o->name];
    unsigned char tag[SIM_TAG], payload[SIM_PAYLOAD];
    switch (o->kind) {
    case SIM_POKE: memcpy(own, o->bytes, o->nbytes); break;
    case SIM_PUT: bsp_put(o->target, own, name, o->offset, o->nbytes); break;
    case SIM_HPPUT: bsp_hpput(o->target, own, name, o->offset, o->nbytes); break;
    case SIM_GET: bsp_get(o->target, name, o->offset, own, o->nbytes); break;
    case SIM_HPGET: bsp_hpget(o->target, name, o->offset, own, o->nbytes); break;
    default: /* a send from memory that does not outlive the call */
        memcpy(tag, o->tag, sizeof tag);
        memcpy(payload, o->bytes, sizeof payload);
        bsp_send(o->target, tag, payload, o->nbytes);
        memset(tag, 0xee, sizeof tag);
        memset(payload, 0xee, sizeof payload);
    }
}

static void change_collectively(void) {
    for (int i = 0; i < truth->nchanges; i++) {
        const sim_change *c = &truth->changes[i];
        void *addr = address(c->slot.area[bsp_pid()]);
        if (c->push)
            bsp_push_reg(addr, c->slot.size[bsp_pid()]);
        else
            bsp_pop_reg(addr);
    }
    if (truth->new_tagsize == truth->tagsize) return;
    size_t size = truth->new_tagsize;
    bsp_set_tagsize(&size);
    if (size != truth->tagsize) differ("the old tag size", -1, size);
}

/* Finds the message among those not seen yet; only `prefix` bytes of the payload are known. */
static bool claim(const void *tag, const void *payload, size_t nbytes, size_t prefix) {
    sim_message *queue = truth->queue[bsp_pid()];
    for (int i = 0; i < truth->queued[bsp_pid()]; i++) {
        sim_message *m = &queue[i];
        if (m->seen || m->nbytes != nbytes || memcmp(m->payload, payload, prefix) != 0) continue;
        if (memcmp(m->tag, tag, m->tag_nbytes) != 0) continue;
        return m->seen = true;
    }
    return false;
}

static void read_one(unsigned how) {
    unsigned char tag[SIM_TAG + 1], payload[SIM_PAYLOAD + 1];
    void *tag_at, *payload_at;
    int status;
    size_t wide;
    memset(tag, 0x5a, sizeof tag);
    memset(payload, 0x5a, sizeof payload);
    if (how % 3 == 0) {
        ptrdiff_t n = bsp_hpmove(&tag_at, &payload_at);
        if (n < 0 || !claim(tag_at, payload_at, (size_t)n, (size_t)n)) differ("a message (hpmove)", -1, 0);
        return;
    }
    bsp_get_tag(&status, tag);
    bsp_get_tag(&wide, tag);
    if (status < 0 || wide != (size_t)status) differ("the status of bsp_get_tag", -1, wide);
    size_t room = how % 3 == 1 ? wide : how % (wide + 1);
    bsp_move(payload, room);
    if (payload[room] != 0x5a) differ("memory behind a moved payload", -1, room);
    if (!claim(tag, payload, wide, room)) differ("a message (move)", -1, 0);
}

static void compare_messages(unsigned chance) {
    int n, nbytes, expected = truth->queued[bsp_pid()], sum = 0;
    bsp_qsize(&n, &nbytes);
    for (int i = 0; i < expected; i++) sum += (int)truth->queue[bsp_pid()][i].nbytes;
    if (n != expected || nbytes != sum) differ("the length of the queue", n, (size_t)nbytes);
    int wanted = chance % 4 ? n : (int)(chance % (unsigned)(n + 1));
    for (int i = 0; i < wanted; i++) read_one(chance + (unsigned)i * 7919);
    if (wanted == n) {
        bsp_get_tag(&n, NULL);
        if (n != -1) differ("the status at the end of the queue", n, 0);
    }
}

static void compare_memory(void) {
    for (int a = 0; a < SIM_AREAS; a++) {
        /* Others may already write there in an odd superstep, without being seen to. */
        if (a == SIM_HP_DST && truth->superstep % 2 == 1) continue;
        const unsigned char *expected = truth->memory[bsp_pid()][a];
        for (size_t i = 0; i < SIM_BYTES; i++)
            if (areas[a][i] != expected[i]) differ("memory", a, i);
    }
}

/* Some in which nobody has anything, between those that have: one that follows none, one, or several of either kind. */
static void empty_supersteps(unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        int n = -1, nbytes = -1;
        bsp_sync();
        bsp_qsize(&n, &nbytes);
        if (n || nbytes) differ("the length of the queue after an empty superstep", n, (size_t)nbytes);
    }
    compare_memory();
}

static void superstep(void) {
    bool early = sim_random(truth, 2);
    unsigned chance = (unsigned)sim_random(truth, 1u << 20);
    sim_collective(truth);
    if (early) change_collectively();
    for (int r = 0; r < truth->nprocs; r++)
        for (const sim_op *o; (o = sim_draw(truth, r)) != NULL;)
            if (r == bsp_pid()) perform(o);
    if (!early) change_collectively();
    bsp_sync();
    sim_sync(truth);
    compare_memory();
    compare_messages(chance);
    static const unsigned counts[8] = {0, 0, 0, 0, 1, 2, 3, 9};
    empty_supersteps(counts[chance >> 8 & 7]);
}

static void open_areas(unsigned char *stack_area) {
    void *mapped = mmap(NULL, SIM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    areas[0] = global_area;
    areas[1] = stack_area;
    areas[2] = malloc(SIM_BYTES);
    areas[3] = mapped == MAP_FAILED ? NULL : mapped;
    areas[SIM_HP_SRC] = malloc(SIM_BYTES);
    areas[SIM_HP_DST] = bsp_pid() % 2 ? hp_global : malloc(SIM_BYTES);
    truth = malloc(sizeof *truth);
    if (!areas[2] || !areas[3] || !areas[SIM_HP_SRC] || !areas[SIM_HP_DST] || !truth)
        bsp_abort("random: out of memory");
}

int main(int argc, char **argv) {
    bsp_begin(SIM_PROCS);
    unsigned char stack_area[SIM_BYTES];
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned long supersteps = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    open_areas(stack_area);
    sim_open(truth, bsp_nprocs(), seed);
    for (int a = 0; a < SIM_AREAS; a++) memcpy(areas[a], truth->memory[bsp_pid()][a], SIM_BYTES);
    bsp_push_reg(areas[SIM_HP_SRC], SIM_BYTES);
    bsp_push_reg(areas[SIM_HP_DST], SIM_BYTES);
    bsp_sync();
    for (unsigned long i = 0; i < supersteps; i++) superstep();
    if (bsp_pid() == 0)
        printf("ok 1 - random program, seed %llu, %lu supersteps\n", (unsigned long long)seed, supersteps);
    munmap(areas[3], SIM_BYTES);
    free(areas[2]);
    free(areas[SIM_HP_SRC]);
    if (areas[SIM_HP_DST] != hp_global) free(areas[SIM_HP_DST]);
    free(truth);
    bsp_end();
    return 0;
}
