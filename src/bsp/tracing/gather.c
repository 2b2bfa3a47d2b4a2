/* The end of a recording: the steps of all processes travel to rank 0, one process after the other, and become one
 * trace.
 *
 * All processes have recorded the same number of supersteps. Rank 0 starts with the sequence of its own steps and
 * splits a class in two wherever the next rank met different steps in it; so it never holds more than two sequences. */
#include "base/text.h"
#include "bsp/tracing/part.h"
#include "bsp/tracing/trace.h"
#include "net/group.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLASSES_MAX = 1 << 16, CLASSES_MIN = 64, CLASS_NUMBERS = 2 << 20, SEQUENCE_NUMBERS = 1 << 20 };

/* ---- classes ---- */

typedef struct classes {
    size_t most;
    sup_trace_class *list;
    size_t count;
    uint32_t *of; /* class of each superstep */
    size_t length;
} classes;

static void free_list(classes *c) {
    for (size_t i = 0; i < c->count; i++) sup_record_clear(&sup_trace_class_record, &c->list[i]);
    free(c->list);
}

/* Steps of the lower ranks are those of `like`, if there is one. */
static sup_trace_class *add_class(classes *c, int procs, const sup_trace_class *like) {
    int64_t *steps = calloc((size_t)procs, sizeof *steps);
    sup_trace_class *fresh = steps ? SUP_APPEND(&sup_trace_class_record, c->list, c->count) : NULL;
    if (!fresh) {
        free(steps);
        return NULL;
    }
    if (like) memcpy(steps, like->steps, (size_t)procs * sizeof *steps);
    fresh->steps = steps;
    fresh->steps_count = (size_t)procs;
    fresh->merged = like && like->merged;
    return fresh;
}

/* A child of class `parent` in which rank met `step`. */
typedef struct child {
    uint32_t parent, step, made; /* made: number + 1, 0 empty */
} child;

typedef struct split {
    child *table;
    size_t size;
    uint32_t *first; /* [parent]: its first child + 1 */
    size_t orphans;  /* parents without one */
} split;

static child *find_child(const split *s, uint32_t parent, uint32_t step) {
    uint64_t h = ((uint64_t)parent << 32 | step) * 0x9e3779b97f4a7c15u;
    size_t at = (size_t)(h >> 32) & (s->size - 1);
    while (s->table[at].made && (s->table[at].parent != parent || s->table[at].step != step))
        at = (at + 1) & (s->size - 1);
    return &s->table[at];
}

static sup_status make_child(const classes *old, classes *c, split *s, child *at, uint32_t parent, uint32_t step,
                             int rank) {
    sup_trace_class *fresh = add_class(c, (int)old->list[parent].steps_count, &old->list[parent]);
    if (!fresh) return SUP_ENOMEM;
    fresh->steps[rank] = step;
    *at = (child){parent, step, (uint32_t)c->count};
    if (!s->first[parent]) {
        s->first[parent] = (uint32_t)c->count;
        s->orphans--;
    }
    return SUP_OK;
}

/* Splits the classes by what rank met. Once there are too many, a superstep that would need a new class joins the first
 * with the same steps on the lower ranks, and that one is marked. The table holds `most` children and an empty place.
 */
static sup_status split_classes(classes *c, const uint32_t *sequence, int rank) {
    classes fresh = {.most = c->most, .of = c->of, .length = c->length};
    split s = {.size = 256, .orphans = c->count};
    while (s.size < 2 * (c->most + c->count)) s.size *= 2;
    s.table = calloc(s.size, sizeof *s.table);
    s.first = calloc(c->count + 1, sizeof *s.first);
    sup_status status = s.table && s.first ? SUP_OK : SUP_ENOMEM;
    for (size_t i = 0; i < c->length && !status; i++) {
        uint32_t parent = c->of[i];
        child *at = find_child(&s, parent, sequence[i]);
        if (!at->made && s.first[parent] && fresh.count + s.orphans >= c->most) {
            fresh.list[s.first[parent] - 1].merged = true;
            c->of[i] = s.first[parent] - 1;
            continue;
        }
        if (!at->made) status = make_child(c, &fresh, &s, at, parent, sequence[i], rank);
        c->of[i] = at->made - 1;
    }
    free(s.first);
    free(s.table);
    free_list(status ? &fresh : c);
    if (!status) *c = fresh;
    return status;
}

/* Before anybody is looked at, all supersteps are of one class. */
static sup_status start_classes(classes *c, int procs, size_t length) {
    size_t most = CLASS_NUMBERS / (size_t)procs;
    c->most = most > CLASSES_MAX ? CLASSES_MAX : most < CLASSES_MIN ? CLASSES_MIN : most;
    c->length = length;
    c->of = calloc(length + 1, sizeof *c->of);
    return c->of && add_class(c, procs, NULL) ? SUP_OK : SUP_ENOMEM;
}

/* The classes become the trace's. */
static sup_status give_classes(classes *c, sup_trace *t) {
    size_t kept;
    for (size_t i = 0; i < c->length; i++) c->list[c->of[i]].count++;
    t->classes = c->list;
    t->classes_count = c->count;
    c->list = NULL;
    c->count = 0;
    return sup_trace_fold(c->of, c->length, (uint32_t)t->classes_count, SEQUENCE_NUMBERS, &t->sequence,
                          &t->sequence_count, &kept);
}

/* ---- what is known of the run ---- */

static sup_status set_program(sup_trace *t) {
    char text[16384];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    text[n < 0 ? 0 : n] = 0;
    for (char *next = text, *end; n > 0 && next < text + n; next = end) {
        char **slot = &t->program;
        end = next + strlen(next) + 1;
        if (t->program) {
            char **more = realloc(t->arguments, (t->arguments_count + 1) * sizeof *more);
            if (!more) return SUP_ENOMEM;
            t->arguments = more;
            slot = &more[t->arguments_count++];
            *slot = NULL;
        }
        if (end - next > SUP_STRING_LIMIT) next[SUP_STRING_LIMIT] = 0;
        sup_text_make_plain(next); /* after the cut, which may go through a character */
        /* an empty one has no place in the file */
        if (sup_record_set_string(slot, *next ? next : " ")) return SUP_ENOMEM;
    }
    return t->program ? SUP_OK : sup_record_set_string(&t->program, program_invocation_short_name);
}

static sup_status set_signature(bsp_runtime *b, const int *cpu, sup_trace *t, sup_diag *diag) {
    sup_topology *topology = NULL;
    sup_net_group everybody = sup_net_group_first(b->net, b->procs);
    sup_net_hosts hosts = {0};
    sup_status status = sup_net_group_hosts(&everybody, &hosts);
    if (!status) status = sup_topology_load(0, diag, &topology);
    if (!status) status = sup_origin_set(&t->signature, topology, NULL, NULL, sup_net_name(b->net));
    if (!status) {
        status = sup_origin_set_placement(&t->signature, b->procs, hosts.host_of, cpu);
        if (hosts.count > t->signature.hosts) t->signature.hosts = hosts.count;
    }
    sup_topology_free(topology);
    sup_net_hosts_free(&hosts);
    return status;
}

/* ---- rank 0 ---- */

static sup_status take_rank(bsp_runtime *b, const bsp_trace_book *k, int rank, double wall_s, sup_trace *t, classes *c,
                            int *cpu, sup_diag *diag) {
    bsp_trace_part p = {0};
    sup_status status = rank == 0 ? bsp_trace_part_make(k, wall_s, &p) : bsp_trace_part_receive(b->net, rank, diag, &p);
    if (status == SUP_ENOMEM) sup_diag_set(diag, status, NULL, 0, "out of memory on rank %d while recording", rank);
    if (!status && rank == 0) {
        t->supersteps = p.supersteps;
        t->left_out = p.left_out;
        status = start_classes(c, b->procs, p.sequence_count);
    }
    if (!status && (p.supersteps != t->supersteps || p.sequence_count != c->length))
        status = sup_diag_set(diag, SUP_EMISMATCH, NULL, 0, "ranks 0 and %d count supersteps differently", rank);
    if (!status) status = bsp_trace_part_add(&p, t);
    if (!status) status = split_classes(c, p.sequence, rank);
    if (!status) cpu[rank] = (int)p.cpu;
    bsp_trace_part_free(&p);
    return status;
}

/* Everybody is heard out even if nothing can be written any more: they are sending. */
static sup_status assemble(bsp_runtime *b, bsp_trace_book *k, double wall_s, sup_trace *t, sup_diag *diag) {
    classes c = {0};
    int *cpu = calloc((size_t)b->procs, sizeof *cpu);
    sup_status status = t && cpu ? SUP_OK : SUP_ENOMEM;
    for (int r = 0; r < b->procs; r++) {
        if (!status)
            status = take_rank(b, k, r, wall_s, t, &c, cpu, diag);
        else if (r > 0 && bsp_trace_part_receive(b->net, r, NULL, NULL))
            break;
    }
    if (!status) status = give_classes(&c, t);
    if (!status) status = bsp_trace_places(t);
    if (!status) status = set_program(t);
    if (!status) status = sup_record_set_string(&t->engine, b->launch.engine[0] ? b->launch.engine : "auto");
    if (!status) status = set_signature(b, cpu, t, diag);
    free_list(&c);
    free(c.of);
    free(cpu);
    return status;
}

sup_status bsp_trace_gather(bsp_runtime *b, bsp_trace_book *k, double wall_s, const char *path, sup_diag *diag) {
    if (b->pid > 0) {
        bsp_trace_part p = {0};
        bool made = !bsp_trace_part_make(k, wall_s, &p);
        sup_status status = bsp_trace_part_send(b->net, made ? &p : NULL);
        bsp_trace_part_free(&p);
        return status;
    }
    sup_trace *t = NULL;
    (void)sup_trace_new(-1, diag, &t);
    sup_status status = assemble(b, k, wall_s, t, diag);
    if (!status) status = sup_trace_write(t, path, diag);
    sup_trace_free(t);
    return status;
}
