/* Runs a random program (reference/sim.h) through the library and compares memory and messages after every superstep.
 *
 *     random [seed [supersteps [sections [processes [calm]]]]]
 *
 * With more than one section, each is on as many processes as the seed says, in main or in one of two functions that
 * have been named to bsp_init, and some supersteps end in a collective operation. `calm` leaves out what the checking
 * mode complains about. The order of messages in a queue is not given by the standard, so queues are compared as sets.
 */
#include "random.h"

#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static sim *truth;
static uint64_t seed, draws;
static unsigned long supersteps = 1000;
static int number, sections = 1, most = SIM_PROCS, asked, calm; /* of the section, counted from 1; processes */
static unsigned char global_area[SIM_BYTES], hp_global[SIM_BYTES];
static unsigned char *areas[SIM_AREAS];

static void *address(int area) { return area < 0 ? NULL : areas[area]; }

static void differ(const char *what, int area, size_t at) {
    bsp_abort(
        "random: %s differs: seed %llu, section %d, %d processes, rank %d, after superstep %lu, area %d, byte %zu",
        what, (unsigned long long)seed, number, bsp_nprocs(), bsp_pid(), truth->superstep - 1, area, at);
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
    bool together = sections > 1 && sim_random(truth, 6) == 0;
    if (together && !random_collective(truth)) differ("a collective operation", -1, 0);
    if (!together) bsp_sync();
    sim_sync(truth);
    compare_memory();
    if (!together) compare_messages(chance);
    static const unsigned counts[8] = {0, 0, 0, 0, 1, 2, 3, 9};
    empty_supersteps(counts[chance >> 8 & 7]);
}

static void *got(void *memory) {
    if (!memory) bsp_abort("random: out of memory");
    return memory;
}

/* Static memory, the program's own mapping, and memory of malloc from before or in the first section: they stay. */
static void open_areas(bool late) {
    areas[0] = global_area;
    if (!areas[2]) areas[2] = got(malloc(SIM_BYTES));
    if (!late) return;
    if (!areas[SIM_HP_SRC]) areas[SIM_HP_SRC] = got(malloc(SIM_BYTES));
    if (!areas[SIM_HP_DST]) areas[SIM_HP_DST] = bsp_pid() % 2 ? hp_global : got(malloc(SIM_BYTES));
    if (areas[3]) return;
    areas[3] = mmap(NULL, SIM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (areas[3] == MAP_FAILED) bsp_abort("random: out of memory");
}

/* What the last section left is there, but for the stack, and for what others may have written behind the last look. */
static unsigned char kept[SIM_HP_SRC + 1][SIM_BYTES];
static bool keeps;

static void compare_kept(void) {
    for (int a = 0; a <= SIM_HP_SRC; a++)
        if (keeps && a != 1 && memcmp(kept[a], areas[a], SIM_BYTES) != 0) differ("memory of the section before", a, 0);
}

static void keep(void) {
    memcpy(kept, truth->memory[bsp_pid()], sizeof kept);
    keeps = true;
}

/* The others may not know which section it is. */
static void tell_number(void) {
    bsp_push_reg(&number, sizeof number);
    bsp_sync();
    for (int q = 1; q < bsp_nprocs() && bsp_pid() == 0; q++) bsp_put(q, &number, &number, 0, sizeof number);
    bsp_pop_reg(&number);
    bsp_sync();
}

static void section(void) {
    unsigned char stack_area[SIM_BYTES];
    bsp_begin(asked);
    areas[1] = stack_area;
    open_areas(true);
    truth = got(malloc(sizeof *truth));
    if (sections > 1) tell_number();
    sim_open(truth, bsp_nprocs(), seed + (uint64_t)(number - 1) * 1000000007);
    truth->calm = calm;
    if (sections > 1) compare_kept();
    for (int a = 0; a < SIM_AREAS; a++) memcpy(areas[a], truth->memory[bsp_pid()][a], SIM_BYTES);
    bsp_push_reg(areas[SIM_HP_SRC], SIM_BYTES);
    bsp_push_reg(areas[SIM_HP_DST], SIM_BYTES);
    bsp_sync();
    for (unsigned long i = 0; i < supersteps; i++) superstep();
    keep();
    free(truth);
    bsp_end();
}

static void first(void) { section(); }
static void second(void) { section(); }

/* The same on all processes that come here. */
static unsigned draw(unsigned below) {
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(draws >> 33) % below;
}

int main(int argc, char **argv) {
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    if (argc > 2) supersteps = strtoul(argv[2], NULL, 10);
    if (argc > 3) sections = atoi(argv[3]);
    if (argc > 4) most = atoi(argv[4]);
    calm = argc > 5;
    if (most > SIM_PROCS) most = SIM_PROCS;
    draws = seed * 0x9e3779b97f4a7c15u;
    void (*function)(void) = NULL;
    if (draw(2)) open_areas(false);
    while (number < sections) {
        number++;
        asked = sections == 1 || draw(2) ? most : 1 + (int)draw((unsigned)most);
        if (sections > 1 && draw(function ? 3 : 2) == 0)
            for (unsigned i = draw(3) ? 1 : 2; i > 0; i--) bsp_init(function = draw(2) ? first : second, argc, argv);
        if (function)
            function();
        else
            section();
    }
    printf("ok 1 - random program, seed %llu, %lu supersteps in each of %d\n", (unsigned long long)seed, supersteps,
           sections);
    return 0;
}
