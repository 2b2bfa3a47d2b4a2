/* Cost of a prediction: barriers, a broadcast and a stencil's superstep on a regular hierarchical machine, from 2^10 to
 * 2^20 processes. Everything is one thread and linear in edges; peak memory is that of this process. Floors are what a
 * prediction may take ("allowed"); no other simulator is run beside it. */
#include "harness.h"

#include "model/equation/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct task {
    const sup_platform *m;
    sup_pattern pattern;
    double bytes;               /* < 0: a barrier */
    const sup_program *program; /* NULL: the pattern */
    double result;
} task;

static void body(void *context, long reps) {
    task *k = context;
    for (long r = 0; r < reps; r++) {
        sup_prediction p = {0};
        sup_program_cost c = {0};
        sup_status st;
        if (k->program) {
            st = sup_model_program(sup_model_find("flow"), k->m, k->program, NULL, &c);
            p = c.total;
            sup_program_cost_free(&c);
        } else if (k->bytes < 0) {
            st = sup_barrier_cost(k->m, &k->pattern, false, NULL, &p);
        } else {
            st = sup_schedule_cost(k->m, &k->pattern, k->bytes, NULL, &p);
        }
        k->result = st ? -1 : p.value;
    }
}

static bool batch(void *context, long reps, double *seconds, bool *disturbed) {
    bool good = bench_timed(body, context, reps, seconds, disturbed);
    return good && ((task *)context)->result >= 0;
}

/* ---- the machine: 4 cores a cache, 32 a socket, 64 a node ---- */

static sup_status number(double value, sup_number **out) {
    sup_number *n = sup_record_make(&sup_number_record);
    if (!n) return SUP_ENOMEM;
    n->value = value;
    n->ci = 0.02 * value;
    n->n = 30;
    *out = n;
    return SUP_OK;
}

static sup_status add_level(sup_pairs *p, const char *name, int64_t size, double o, double l, double b) {
    int64_t class = (int64_t)p->classes_count;
    sup_pair_level *v = SUP_APPEND(&sup_pair_level_record, p->levels, p->levels_count);
    sup_pair_class *c = SUP_APPEND(&sup_pair_class_record, p->classes, p->classes_count);
    if (!v || !c || sup_record_set_string(&v->name, name) || sup_record_set_string(&c->name, name) ||
        sup_record_set_ints(&v->classes, &v->classes_count, &class, 1))
        return SUP_ENOMEM;
    v->size = size;
    v->stride = 1;
    sup_status st = number(o, &c->overhead_s);
    if (!st && l > 0) st = number(l, &c->latency_s);
    if (!st && l > 0) st = number(b, &c->per_byte_s);
    return st;
}

static sup_status make_machine(int64_t processes, sup_profile **out) {
    sup_profile *p;
    sup_status st = sup_profile_new(0, NULL, &p);
    if (st) return st;
    sup_pairs *pairs = SUP_APPEND(&sup_pairs_record, p->pairs, p->pairs_count);
    if (!pairs || sup_record_set_string(&pairs->transport, "shm") ||
        sup_record_set_string(&p->signature.transport, "shm"))
        return SUP_ENOMEM;
    pairs->processes = p->signature.processes = processes;
    p->signature.hosts = processes / 64;
    st = add_level(pairs, "self", 1, 5e-8, 0, 0);
    if (!st) st = add_level(pairs, "cache", 4, 8e-8, 1.5e-7, 5e-11);
    if (!st) st = add_level(pairs, "socket", 32, 1e-7, 2.5e-7, 1e-10);
    if (!st) st = add_level(pairs, "node", 64, 1.2e-7, 4e-7, 1.5e-10);
    if (!st) st = add_level(pairs, "machine", 0, 5e-7, 1.8e-6, 1e-10);
    *out = p;
    return st;
}

static sup_program *make_stencil(void) {
    sup_program *p = sup_program_new();
    sup_step *s = p ? sup_program_add_step(p) : NULL;
    sup_flow *f = s ? sup_step_add_flow(s) : NULL;
    if (!f) return NULL;
    f->kind = SUP_FLOW_STENCIL_2D;
    f->bytes = 8192;
    f->periodic = true;
    return p;
}

/* ---- rows ---- */

static bench_value time_of(bench *b, task *k) {
    bench_contender c = {.name = "ours", .batch = batch, .context = k};
    bench_race(b, &c, 1);
    return c.time_s;
}

static void rows(bench *b, int64_t processes, const sup_platform *m, sup_program *stencil) {
    static const struct {
        const char *name;
        const sup_generator *generator;
        double bytes;
    } kinds[] = {{"dissemination barrier", &sup_generator_dissemination, -1},
                 {"tree barrier", &sup_generator_tree, -1},
                 {"linear barrier", &sup_generator_linear, -1},
                 {"binomial broadcast 8 KB", &sup_generator_binomial, 8192}};
    char name[80];
    for (size_t i = 0; i < 4; i++) {
        task k = {.m = m, .pattern = sup_pattern_make(kinds[i].generator, processes), .bytes = kinds[i].bytes};
        bench_value ms = bench_scaled(time_of(b, &k), 1e3);
        bool barrier = kinds[i].bytes < 0, mid = processes == 65536, top = processes == 1 << 20;
        snprintf(name, sizeof name, "%s, P = %ld", kinds[i].name, (long)processes);
        bench_row(b, name, ms, "ms", BENCH_ABSENT, NULL, NULL);
        if (barrier && mid) bench_row(b, "  against 5 ms allowed", ms, "ms", bench_exact(5), "allowed", "<= 1.0");
        if (barrier && top) bench_row(b, "  against 150 ms allowed", ms, "ms", bench_exact(150), "allowed", "<= 1.0");
    }
    task k = {.m = m, .program = stencil};
    bench_value s = sup_program_fit(stencil, processes, NULL) ? BENCH_FAILED : time_of(b, &k);
    snprintf(name, sizeof name, "2-D stencil superstep, P = %ld", (long)processes);
    bench_row(b, name, bench_scaled(s, 1e3), "ms", BENCH_ABSENT, NULL, NULL);
}

static double peak_mb(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1024;
}

/* P·log P: from 2^17 to 2^20 that is 8·20/17. */
static void growth(bench *b, sup_platform *const m[], const int64_t *sizes) {
    bench_value s[2];
    for (int i = 0; i < 2; i++) {
        task k = {.m = m[i], .pattern = sup_pattern_make(&sup_generator_dissemination, sizes[i]), .bytes = -1};
        s[i] = time_of(b, &k);
    }
    bench_value grown = BENCH_FAILED;
    if (s[0].low > 0 && bench_there(s[1])) grown = (bench_value){s[1].low / s[0].low, s[1].median / s[0].median};
    bench_row(b, "growth, 2^17 to 2^20, of P log P", grown, "x", bench_exact(8 * 20 / 17.0), "P log P", "<= 1.5");
}

int main(int argc, char **argv) {
    static const int64_t sizes[] = {1 << 10, 1 << 14, 1 << 16, 1 << 17, 1 << 20};
    enum { SIZES = 5 };
    sup_profile *profile[SIZES] = {0};
    sup_platform *m[SIZES] = {0};
    sup_program *stencil = make_stencil();
    bench b;
    int rc = bench_begin(&b, "model", argc, argv);
    if (rc >= 0) return rc;
    bool good = stencil != NULL;
    for (int i = 0; i < SIZES && good; i++) {
        sup_platform_options o = {.processes = sizes[i]};
        good = !make_machine(sizes[i], &profile[i]) && !sup_platform_open(profile[i], &o, NULL, &m[i]);
    }
    if (good) { /* memory of a barrier alone, before anything else has used more */
        task k = {.m = m[SIZES - 1], .pattern = sup_pattern_make(&sup_generator_dissemination, 1 << 20), .bytes = -1};
        body(&k, 1);
        bench_row(&b, "peak memory, dissemination, P = 2^20", bench_exact(peak_mb()), "MB", bench_exact(200), "allowed",
                  "<= 1.0");
        for (int i = 0; i < SIZES; i++) rows(&b, sizes[i], m[i], stencil);
        growth(&b, m + 3, sizes + 3);
        bench_row(&b, "peak memory, everything", bench_exact(peak_mb()), "MB", BENCH_ABSENT, NULL, NULL);
    }
    for (int i = 0; i < SIZES; i++) {
        sup_platform_free(m[i]);
        sup_profile_free(profile[i]);
    }
    sup_program_free(stencil);
    return good ? bench_end(&b) : 1;
}
