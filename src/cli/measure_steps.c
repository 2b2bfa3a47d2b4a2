/* Supersteps of the runtime itself, recorded (hidden verb __steps SECONDS [others], a BSP program) and taken into the
 * calibration of a profile: what curves say is held against what programs meet, of sizes that no curve was measured at,
 * in several runs, whose memory lies elsewhere each time. Tcomm and Tsync, stage "measure"; model/copies.c uses them.
 *
 *     superstep run -n P --trace FILE superstep __steps SECONDS     all P processes
 *     sup_measuring_steps(m, FILE)                                  the trace's classes become calibration runs */
#include "bsp/heap.h"
#include "bsp/state.h"
#include "cli/measure.h"
#include "measure/trial.h"
#include "trace/trace.h"

#include <bsp.h>
#include <superstep/trace.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Not twice as far apart; and on both sides of where the runtime does something else: a log in one cache line, in its
 * first chunk, with a length that fits into 16 bits. Others: to compare predictions with. */
enum { CALIBRATED = 22, OTHERS = 8, PARTNERS_MAX = 64, ALL_BYTES = 3300 };
static const size_t calibrated[CALIBRATED] = {8,     24,    32,     56,     100,    180,   320,   570,
                                              1000,  1800,  3300,   6000,   11000,  20000, 32000, 34000,
                                              60000, 70000, 120000, 220000, 400000, 800000};
static const size_t others[OTHERS] = {16, 128, 512, 4096, 16000, 65536, 250000, 600000};

bool bsp_takes_at_load(void) { return false; } /* the tool is a rank in this verb alone */

#define LATE 4.0 /* times as long as asked for: then what is left is left out */

typedef struct pattern {
    int partners, records; /* records to each of so many */
} pattern;

typedef struct job {
    int to[PARTNERS_MAX];
    pattern what;
    size_t bytes;
    char *out, *in;
    long *next; /* how many supersteps rank 0 wants */
} job;

/* ---- the program ---- */

/* Neighbours on a ring of every stride-th process, one on each side in turn; then whoever is left. */
static void choose(job *j, int stride) {
    int p = bsp_nprocs(), me = bsp_pid(), count = 0;
    for (int pass = 0; pass < 2; pass++, stride = 1)
        for (int k = 2; k < 2 * p && count < j->what.partners; k++) {
            int shift = (int)((int64_t)(k / 2) * stride % p), peer = (me + (k % 2 ? p - shift : shift)) % p;
            bool known = peer == me;
            for (int i = 0; i < count && !known; i++) known = j->to[i] == peer;
            if (!known) j->to[count++] = peer;
        }
}

static void step(const job *j) {
    size_t block = 0;
    for (int r = 0; r < j->what.records; r++)
        for (int i = 0; i < j->what.partners; i++, block++)
            bsp_put(j->to[i], j->out + block * j->bytes, j->in, block * j->bytes, j->bytes);
    bsp_sync();
}

/* A few to try, then as many as fit into the time; rank 0 decides for all. False: time is up. */
static bool run(const job *j, double seconds, double end) {
    enum { WARM = 4, LEAST = 24, MOST = 1000 };
    for (int s = 0; s < WARM; s++) step(j);
    double from = bsp_time();
    for (int s = 0; s < WARM; s++) step(j);
    double each = fmax((bsp_time() - from) / WARM, 1e-7);
    long count = bsp_time() > end ? 0 : (long)fmin(MOST, fmax(LEAST, seconds / each));
    for (int q = 0; bsp_pid() == 0 && q < bsp_nprocs(); q++) bsp_put(q, &count, j->next, 0, sizeof count);
    bsp_sync();
    count = *j->next;
    for (long s = 0; s < count / 10; s++) step(j);
    if (count) sup_trace_on();
    for (long s = 0; s < count; s++) step(j);
    sup_trace_off();
    return count > 0;
}

static int patterns(int processes, pattern *out) {
    int all = processes - 1 < PARTNERS_MAX ? processes - 1 : PARTNERS_MAX, count = 0;
    out[count++] = (pattern){all < 2 ? all : 2, 1};
    out[count++] = (pattern){all < 2 ? all : 2, 2};
    if (all > 4) out[count++] = (pattern){4, 1};
    if (all > 2) out[count++] = (pattern){all, 1};
    return count;
}

static void *take(size_t bytes) {
    void *p = sup_heap_zalloc(bytes); /* where malloc of a program has it from */
    if (!p) p = calloc(1, bytes);
    if (!p) bsp_abort("out of memory\n");
    return p;
}

static int run_steps(int argc, char **argv) {
    char *rest = argv[0];
    double seconds = argc == 2 || argc == 3 ? strtod(argv[1], &rest) : NAN;
    const size_t *sizes = argc == 3 ? others : calibrated;
    if (!(seconds > 0.0) || *rest) return sup_cli_usage(NULL, "unknown verb \"%.64s\"", argv[0]);
    bsp_begin(bsp_nprocs());
    sup_trace_off();
    pattern all[4];
    int kinds = patterns(bsp_nprocs(), all), count = sizes == calibrated ? CALIBRATED : OTHERS,
        tried = kinds * count + 1;
    int stride = sizes == calibrated && bsp_nprocs() > 4 ? bsp_nprocs() / 4 : 1;
    size_t most = 4 * calibrated[CALIBRATED - 1] + PARTNERS_MAX * (size_t)ALL_BYTES;
    job j = {.out = take(most), .in = take(most), .next = take(sizeof(long))};
    double begin = bsp_time();
    bsp_push_reg(j.in, most);
    bsp_push_reg(j.next, sizeof(long));
    bsp_sync();
    double end = begin + LATE * seconds;
    bool go = run(&j, seconds / tried, end); /* nothing to move: the barrier */
    for (int k = 0; k < kinds * count && go; k++) {
        j.what = all[k / count];
        j.bytes = sizes[k % count];
        if (j.what.partners > 4 && j.bytes > ALL_BYTES) continue;
        choose(&j, stride);
        go = run(&j, fmax(0.0, begin + seconds - bsp_time()) / (tried - 1 - k), end);
    }
    bsp_end();
    return SUP_EXIT_OK;
}

/* ---- what it leaves ---- */

static double without(double seconds, double clock_s) { return fmax(seconds - clock_s, 1e-9); }

static sup_status add_calibration(sup_measuring *m, const sup_trace *trace, size_t which, double clock_s) {
    const sup_trace_step *first = sup_trace_step_of(trace, which, 0);
    double calls = 0, sync = 0;
    for (size_t r = 0; r < trace->processes_count; r++) {
        const sup_trace_step *s = sup_trace_step_of(trace, which, (int64_t)r);
        if (s->merged || s->items_count != first->items_count) return SUP_OK;
        calls = fmax(calls, without(s->compute_s.median, clock_s));
        sync = fmax(sync, without(s->sync_s.median, clock_s));
    }
    sup_calibration *c = SUP_APPEND(&sup_calibration_record, m->profile->calibration, m->profile->calibration_count);
    if (!c) return SUP_ENOMEM;
    c->processes = (int64_t)trace->processes_count;
    c->stride = c->processes / 4 > 0 ? c->processes / 4 : 1;
    c->records = 1;
    const sup_timing counted = {.n = (int64_t)first->count};
    sup_status st = sup_record_set_string(&c->transport, "shm");
    if (!first->items_count) {
        if (!st) st = sup_record_set_string(&c->algorithm, "dissemination");
        return st ? st : sup_number_new(sync, NAN, &counted, &c->time_s);
    }
    c->messages = (int64_t)first->items_count;
    c->records = (int64_t)first->items[0].messages;
    c->bytes = (int64_t)(first->items[0].bytes / first->items[0].messages);
    if (!st) st = sup_number_new(calls, NAN, &counted, &c->calls_s);
    return st ? st : sup_number_new(calls + sync, NAN, &counted, &c->time_s);
}

sup_status sup_measuring_steps(sup_measuring *m, const char *path, sup_diag *diag) {
    sup_trace *trace = NULL;
    sup_status st = sup_trace_read(path, false, diag, &trace);
    for (size_t c = 0; !st && c < trace->classes_count; c++) {
        st = add_calibration(m, trace, c, sup_session_clock(m->session)->overhead_s);
        if (st) sup_diag_set(diag, st, NULL, 0, "out of memory");
    }
    sup_trace_free(trace);
    return st;
}

const sup_verb sup_verb_measure_steps = {.name = "__steps", .hidden = true, .run = run_steps};
