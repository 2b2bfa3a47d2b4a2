/* Patterns from their runs (pattern.h). */
#include "base/pattern/pattern.h"

#include <stdlib.h>
#include <string.h>

int sup_pattern_log(int64_t n, int radix) {
    int k = 0;
    int64_t by = radix ? radix : 2;
    for (; n > 1; k++) n = (n + by - 1) / by;
    return k;
}

int64_t sup_pattern_power(int radix, int exponent) {
    int64_t power = 1;
    while (exponent-- > 0) power *= radix;
    return power;
}

sup_pattern sup_pattern_make(const sup_generator *generator, int64_t processes) {
    return sup_pattern_of((sup_pattern_kind){generator, generator->radix}, processes);
}

sup_pattern sup_pattern_of(sup_pattern_kind kind, int64_t processes) {
    const sup_generator *generator = kind.generator;
    int own = generator->stages(processes, kind.radix), release = 0;
    if (generator->effect == SUP_PATTERN_GATHERS) release = generator->release ? own > 0 : own;
    return (sup_pattern){
        .generator = generator, .processes = processes, .radix = kind.radix, .stages = own + release, .generated = own};
}

/* The release is the arrival reversed and transposed, if the generator has none of its own. Whoever is released in it
 * did nothing since it signalled, so it has been waiting, unless that was in the stage just before. */
bool sup_pattern_run_at(const sup_pattern *p, int stage, size_t index, sup_pattern_run *out) {
    bool release = stage >= p->generated;
    if (release && p->generator->release) return p->generator->release(p, index, out);
    int own = release ? p->stages - 1 - stage : stage;
    if (!p->generator->run(p, own, index, out)) return false;
    if (release)
        *out = (sup_pattern_run){.count = out->count,
                                 .from = out->to,
                                 .from_step = out->to_step,
                                 .to = out->from,
                                 .to_step = out->from_step,
                                 .waiting = own < p->generated - 1,
                                 .common = p->generator->common_release};
    return true;
}

/* In two parts, before and behind the wrap, so that no edge asks whether it is there: models list millions of them. */
static void list_run(const sup_pattern *p, int stage, const sup_pattern_run *run, sup_pattern_edge *out) {
    const int64_t from_step = run->from_step, to_step = run->to_step, left = p->processes - run->to;
    const int64_t ends[2] = {to_step == 1 && left < run->count ? left : run->count, run->count};
    int64_t from = run->from, to = run->to, k = 0;
    const bool waiting = run->waiting, common = run->common;
    for (int part = 0; part < 2; part++, to -= p->processes)
        for (; k < ends[part]; k++, from += from_step, to += to_step)
            out[k] = (sup_pattern_edge){from, to, stage, waiting, common};
}

static int by_sender(const void *a, const void *b) {
    const sup_pattern_edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

size_t sup_pattern_stage(const sup_pattern *p, int stage, sup_pattern_edge *out) {
    size_t n = 0;
    bool mixed = false; /* a sender has edges in several runs */
    sup_pattern_run run;
    for (size_t index = 0; sup_pattern_run_at(p, stage, index, &run); index++) {
        if (out) {
            list_run(p, stage, &run, out + n);
            mixed |= n > 0 && run.from < out[n - 1].from;
        }
        n += (size_t)run.count;
    }
    if (mixed) qsort(out, n, sizeof *out, by_sender);
    return n;
}

size_t sup_pattern_widest(const sup_pattern *p) {
    size_t most = 0;
    for (int s = 0; s < p->stages; s++) {
        size_t n = sup_pattern_stage(p, s, NULL);
        if (n > most) most = n;
    }
    return most;
}

/* Edges first … first + count − 1 of a run are at `rank` with this end. */
static int64_t at_rank(const sup_pattern *p, int64_t end, int64_t step, int64_t count, int64_t rank, int64_t *first) {
    int64_t distance = (rank - end + p->processes) % p->processes;
    *first = 0;
    if (step == 0) return distance ? 0 : count;
    *first = distance / step;
    return distance % step == 0 && *first < count;
}

size_t sup_pattern_peers(const sup_pattern *p, int stage, int64_t rank, bool receives, int64_t *out) {
    size_t n = 0;
    sup_pattern_run r;
    for (size_t index = 0; sup_pattern_run_at(p, stage, index, &r); index++) {
        int64_t first, count = receives ? at_rank(p, r.to, r.to_step, r.count, rank, &first)
                                        : at_rank(p, r.from, r.from_step, r.count, rank, &first);
        int64_t other = receives ? r.from : r.to, step = receives ? r.from_step : r.to_step;
        for (int64_t k = first; k < first + count && out; k++) *out++ = (other + k * step) % p->processes;
        n += (size_t)count;
    }
    return n;
}

size_t sup_pattern_edges_of(const sup_pattern *p, int stage, int64_t rank, bool receives, sup_pattern_edge *out) {
    size_t n = 0;
    sup_pattern_run r;
    for (size_t index = 0; sup_pattern_run_at(p, stage, index, &r); index++) {
        int64_t first, count = receives ? at_rank(p, r.to, r.to_step, r.count, rank, &first)
                                        : at_rank(p, r.from, r.from_step, r.count, rank, &first);
        for (int64_t k = first; k < first + count; k++)
            out[n++] = (sup_pattern_edge){(r.from + k * r.from_step) % p->processes,
                                          (r.to + k * r.to_step) % p->processes, stage, r.waiting, r.common};
    }
    return n;
}

int64_t sup_pattern_shift(const sup_pattern *p, int stage) {
    sup_pattern_run r, second;
    if (!sup_pattern_run_at(p, stage, 0, &r) || r.count != p->processes || r.from != 0 || r.from_step != 1 ||
        r.to_step != 1)
        return 0;
    return sup_pattern_run_at(p, stage, 1, &second) ? 0 : r.to;
}
