/* The rules of bsp.h as a sequential program; see sim.h. */
#include "sim.h"

#include <string.h>

static uint64_t next_random(sim *s) {
    uint64_t z = (s->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t sim_random(sim *s, uint64_t below) { return below ? next_random(s) % below : 0; }

static void fill(sim *s, unsigned char *p, size_t n) {
    for (uint64_t word = 0; n; p += 8, n -= n < 8 ? n : 8) {
        word = next_random(s);
        memcpy(p, &word, n < 8 ? n : 8);
    }
}

void sim_open(sim *s, int nprocs, uint64_t seed) {
    memset(s, 0, sizeof *s);
    s->nprocs = nprocs;
    s->random = seed;
    for (int r = 0; r < nprocs; r++)
        for (int a = 0; a < SIM_AREAS; a++) fill(s, s->memory[r][a], SIM_BYTES);
    s->nslots = 2;
    for (int i = 0; i < 2; i++)
        for (int r = 0; r < nprocs; r++) {
            s->slots[i].area[r] = SIM_HP_SRC + i;
            s->slots[i].size[r] = SIM_BYTES;
        }
}

/* ---- registrations ---- */

/* The registration that the address of `area` names on process `rank`: the latest. -1: none. */
static int visible(const sim_slot *slots, int nslots, int rank, int area) {
    for (int i = nslots; i-- > 0;)
        if (slots[i].area[rank] == area) return i;
    return -1;
}

static void apply(sim_slot *slots, int *nslots, const sim_change *c) {
    if (c->push) {
        slots[(*nslots)++] = c->slot;
        return;
    }
    memmove(slots + c->index, slots + c->index + 1, (size_t)(*nslots - c->index - 1) * sizeof *slots);
    --*nslots;
}

static bool is_null(const sim *s, const sim_slot *slot) {
    for (int r = 0; r < s->nprocs; r++)
        if (slot->area[r] >= 0) return false;
    return true;
}

/* A pop is legal where every process that has an address names the same registration by it; NULL stands for what the
 * others name. Where all have NULL, the latest such registration goes. */
static bool may_pop(const sim *s, const sim_slot *slots, int nslots, int i) {
    for (int r = 0; r < s->nprocs; r++)
        if (slots[i].area[r] >= 0 && visible(slots, nslots, r, slots[i].area[r]) != i) return false;
    for (int later = i + 1; later < nslots && is_null(s, &slots[i]); later++)
        if (is_null(s, &slots[later])) return false;
    return true;
}

/* Whoever has NULL has it once in twelve, or all but one process have it, or a few. */
static sim_slot draw_slot(sim *s) {
    sim_slot slot;
    int shift = (int)sim_random(s, 2), area = (int)sim_random(s, SIM_HP_SRC);
    int owner = sim_random(s, 4) ? -1 : (int)sim_random(s, (uint64_t)s->nprocs);
    uint64_t others = sim_random(s, 2) ? 1 : 3;
    for (int r = 0; r < s->nprocs; r++) {
        slot.area[r] = (area + shift * r) % SIM_HP_SRC;
        slot.size[r] = sim_random(s, 4) ? SIM_BYTES - sim_random(s, SIM_BYTES / 2) : sim_random(s, 3);
        bool null = owner < 0 ? sim_random(s, 12) == 0 : r != owner && (others == 1 || sim_random(s, others));
        if (null) slot.area[r] = -1, slot.size[r] = 0;
    }
    return slot;
}

void sim_collective(sim *s) {
    sim_slot slots[SIM_SLOTS];
    int nslots = s->nslots, n = sim_random(s, 3) ? 0 : (int)sim_random(s, SIM_CHANGES + 1);
    memcpy(slots, s->slots, sizeof slots);
    s->nchanges = 0;
    for (int i = 0; i < n; i++) {
        sim_change c = {.push = nslots < 4 || (nslots < SIM_SLOTS && sim_random(s, 2))};
        if (c.push) {
            c.slot = draw_slot(s);
        } else {
            int victim = 2 + (int)sim_random(s, (uint64_t)(nslots - 2));
            if (!may_pop(s, slots, nslots, victim)) continue;
            c.slot = slots[victim];
            c.index = victim;
        }
        apply(slots, &nslots, &c);
        s->changes[s->nchanges++] = c;
    }
    s->new_tagsize = sim_random(s, 6) ? s->tagsize : sim_random(s, SIM_TAG + 1);
}

/* ---- operations ---- */

/* A place in a registered area that `o->rank` can name. Falls back to a poke where there is none. */
static void draw_remote(sim *s, sim_op *o) {
    o->name = (int)sim_random(s, SIM_HP_SRC);
    o->slot = visible(s->slots, s->nslots, o->rank, o->name);
    o->local = (int)sim_random(s, SIM_HP_SRC);
    if (o->slot < 0 || s->slots[o->slot].area[o->target] < 0) {
        o->kind = SIM_POKE;
        return;
    }
    size_t size = s->slots[o->slot].size[o->target];
    o->offset = sim_random(s, size + 1);
    o->nbytes = sim_random(s, 5) ? sim_random(s, 40) : sim_random(s, SIM_BYTES);
    if (o->nbytes > size - o->offset) o->nbytes = size - o->offset;
    o->local_offset = sim_random(s, SIM_BYTES - o->nbytes + 1);
}

/* Unbuffered calls must not race: each source has a cell of its own in each target, and reads what nobody changes. */
static void draw_unbuffered(sim *s, sim_op *o) {
    bool put = o->kind == SIM_HPPUT;
    if (s->superstep % 2 == 0) {
        o->kind = SIM_POKE;
        o->local = SIM_HP_SRC;
        return;
    }
    for (int i = 0; i < s->nops[o->rank]; i++) {
        const sim_op *other = &s->ops[o->rank][i];
        if (other->kind == o->kind && (!put || other->target == o->target)) {
            o->kind = SIM_SEND;
            return;
        }
    }
    size_t cell = (size_t)(2 * o->rank + !put) * SIM_CELL, n = 1 + sim_random(s, SIM_CELL);
    size_t anywhere = sim_random(s, SIM_BYTES - n + 1);
    o->nbytes = n;
    o->slot = o->name = put ? SIM_HP_DST : SIM_HP_SRC;
    o->slot -= SIM_HP_SRC;
    o->offset = put ? cell : anywhere;
    o->local = put ? SIM_HP_SRC : SIM_HP_DST;
    o->local_offset = put ? anywhere : cell;
}

static void draw_bytes(sim *s, sim_op *o) {
    unsigned char *own = s->memory[o->rank][o->local];
    if (o->kind == SIM_POKE) {
        if (o->nbytes == 0) o->nbytes = 1 + sim_random(s, 60);
        o->local_offset = sim_random(s, SIM_BYTES - o->nbytes + 1);
        fill(s, o->bytes, o->nbytes);
        memcpy(own + o->local_offset, o->bytes, o->nbytes);
    } else if (o->kind == SIM_SEND) {
        o->nbytes = sim_random(s, 3) ? sim_random(s, SIM_PAYLOAD + 1) : 0;
        fill(s, o->bytes, o->nbytes);
        fill(s, o->tag, s->tagsize);
    } else if (o->kind == SIM_PUT || o->kind == SIM_HPPUT) {
        memcpy(o->bytes, own + o->local_offset, o->nbytes);
    }
}

const sim_op *sim_draw(sim *s, int rank) {
    if (s->nops[rank] == SIM_OPS || sim_random(s, 7) == 0) return NULL;
    sim_op *o = &s->ops[rank][s->nops[rank]];
    memset(o, 0, sizeof *o);
    o->rank = rank;
    o->kind = (sim_kind)sim_random(s, SIM_KINDS);
    if (s->calm && o->kind == SIM_PUT) o->kind = SIM_SEND;
    o->target = (int)sim_random(s, (uint64_t)s->nprocs);
    if (o->kind == SIM_PUT || o->kind == SIM_GET)
        draw_remote(s, o);
    else if (o->kind == SIM_HPPUT || o->kind == SIM_HPGET)
        draw_unbuffered(s, o);
    else if (o->kind == SIM_POKE)
        o->local = (int)sim_random(s, SIM_HP_SRC);
    draw_bytes(s, o);
    s->nops[rank]++;
    return o;
}

/* ---- the end of a superstep ---- */

static unsigned char *remote_place(sim *s, const sim_op *o) {
    return s->memory[o->target][s->slots[o->slot].area[o->target]] + o->offset;
}

static void deliver(sim *s, const sim_op *o) {
    sim_message *m = &s->queue[o->target][s->queued[o->target]++];
    *m = (sim_message){.tag_nbytes = s->tagsize, .nbytes = o->nbytes};
    memcpy(m->tag, o->tag, s->tagsize);
    memcpy(m->payload, o->bytes, o->nbytes);
}

void sim_sync(sim *s) {
    memset(s->queued, 0, sizeof s->queued);
    for (int step = 0; step < 3; step++)
        for (int r = 0; r < s->nprocs; r++)
            for (int i = 0; i < s->nops[r]; i++) {
                sim_op *o = &s->ops[r][i];
                bool get = o->kind == SIM_GET || o->kind == SIM_HPGET, put = o->kind == SIM_PUT || o->kind == SIM_HPPUT;
                if (step == 0 && get) memcpy(o->bytes, remote_place(s, o), o->nbytes);
                if (step == 1 && get) memcpy(s->memory[r][o->local] + o->local_offset, o->bytes, o->nbytes);
                if (step == 2 && put) memcpy(remote_place(s, o), o->bytes, o->nbytes);
                if (step == 2 && o->kind == SIM_SEND) deliver(s, o);
            }
    for (int i = 0; i < s->nchanges; i++) apply(s->slots, &s->nslots, &s->changes[i]);
    s->tagsize = s->new_tagsize;
    memset(s->nops, 0, sizeof s->nops);
    s->superstep++;
}
