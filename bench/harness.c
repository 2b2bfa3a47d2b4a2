/* Running contenders in turn and saying what came out (see harness.h). */
#include "harness.h"

#include "base/clock.h"
#include "base/pace.h"
#include "machine/cpu_model.h"

#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { REPEATS = 6, QUICK_ROUNDS = 15, FULL_ROUNDS = 41 };
#define PACE_S 0.005 /* a batch waits for its core to be its own alone */

struct bench_line {
    char name[64], unit[16], reference_name[48], floor[16];
    double value, reference, ratio;
    bool failed, has_reference, has_ratio, judged, holds, disturbed;
};

static int usage(const char *name, int code) {
    fprintf(code ? stderr : stdout,
            "usage: bench_%s [--quick] [--json] [--rounds N]\n"
            "  --quick     fewer rounds: done within 45 s on 2 cores\n"
            "  --json      one JSON object instead of a table\n"
            "  --rounds N  batches per contender (%d, quick %d)\n",
            name, FULL_ROUNDS, QUICK_ROUNDS);
    return code;
}

int bench_begin(bench *b, const char *name, int argc, char **argv) {
    *b = (bench){.name = name};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            b->json = true;
        else if (!strcmp(argv[i], "--quick"))
            b->quick = true;
        else if (!strcmp(argv[i], "--rounds") && i + 1 < argc && atoi(argv[i + 1]) > 0)
            b->rounds = atoi(argv[++i]);
        else
            return usage(name, strcmp(argv[i], "--help") != 0 ? 2 : 0);
    }
    if (!b->rounds) b->rounds = b->quick ? QUICK_ROUNDS : FULL_ROUNDS;
    b->batch_s = b->quick ? 1e-3 : 5e-3;
    b->deadline_s = sup_clock_now() + (b->quick ? 30 : 600);
    return -1;
}

/* ---- cores -------------------------------------------------------------------------------------------------------*/

int bench_cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

bool bench_pin(int index) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed)) return false;
    int wanted = index % CPU_COUNT(&allowed), cpu = 0;
    while (!CPU_ISSET(cpu, &allowed) || wanted-- > 0) cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

bool bench_confine(int count) {
    cpu_set_t allowed, few;
    if (sched_getaffinity(0, sizeof allowed, &allowed)) return false;
    CPU_ZERO(&few);
    for (int cpu = 0; cpu < CPU_SETSIZE && count > 0; cpu++)
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_SET(cpu, &few);
            count--;
        }
    return sched_setaffinity(0, sizeof few, &few) == 0;
}

/* ---- running -----------------------------------------------------------------------------------------------------*/

bool bench_timed(void (*body)(void *context, long reps), void *context, long reps, double *seconds, bool *disturbed) {
    sup_usage_mark mark;
    sup_usage usage;
    sup_pace_await(1, PACE_S, NULL);
    sup_usage_begin(&mark);
    body(context, reps);
    sup_usage_end(&mark, &usage);
    *seconds = usage.wall_s;
    *disturbed = sup_usage_disturbed(&usage, true) || sup_pace_lost(1);
    return true;
}

/* One batch that counts: undisturbed if that can be had in the time there is. Undisturbed samples are kept at the front
 * of the array, the others at the end. */
static bool one_batch(bench *b, bench_contender *c) {
    bool disturbed = true;
    double best = HUGE_VAL, now;
    for (int i = 0; i < REPEATS && disturbed && (i == 0 || sup_clock_now() < b->deadline_s); i++) {
        if (!c->batch(c->context, c->reps, &now, &disturbed)) return false;
        if (!disturbed || now < best) best = now;
    }
    b->batches++;
    b->disturbed += disturbed;
    if (disturbed)
        c->sample[b->rounds - ++c->disturbed] = best;
    else
        c->sample[c->clean++] = best;
    return true;
}

/* Doubles the repetitions until a batch is long enough: that is the warm-up, too. */
static bool warm_up(bench *b, bench_contender *c) {
    double seconds = 0;
    bool disturbed;
    long most = c->max_reps ? c->max_reps : 1L << 24;
    for (c->reps = 1;;) {
        if (!c->batch(c->context, c->reps, &seconds, &disturbed)) return false;
        if (seconds >= b->batch_s || c->reps >= most) break;
        double factor = seconds > 0 ? b->batch_s / seconds : 16;
        long next = (long)((double)c->reps * (factor > 16 ? 16 : factor < 1.2 ? 1.2 : factor)) + 1;
        c->reps = next > most ? most : next;
    }
    return true;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n) {
    qsort(v, (size_t)n, sizeof *v, ascending);
    return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

/* Of the undisturbed batches, if there are enough to say anything. Else the lower quartile of all: what disturbs only
 * adds. That is the best there is then, and rows say so. */
static double settle(bench *b, bench_contender *c) {
    enum { ENOUGH = 3 };
    if (c->clean >= ENOUGH) return median(c->sample, c->clean);
    int n = c->clean + c->disturbed;
    memmove(c->sample + c->clean, c->sample + b->rounds - c->disturbed, (size_t)c->disturbed * sizeof *c->sample);
    qsort(c->sample, (size_t)n, sizeof *c->sample, ascending);
    b->shaky = true;
    return c->sample[n / 4];
}

void bench_race(bench *b, bench_contender *list, int count) {
    b->shaky = false;
    for (int i = 0; i < count; i++) {
        bench_contender *c = &list[i];
        c->disturbed = c->clean = 0;
        c->median_s = 0;
        c->sample = calloc((size_t)b->rounds, sizeof *c->sample);
        if (!c->sample || !c->batch || !warm_up(b, c)) c->median_s = BENCH_FAILED;
    }
    int done = 0;
    for (; done < b->rounds && (done < 1 || sup_clock_now() < b->deadline_s); done++)
        for (int k = 0; k < count; k++) {
            bench_contender *c = &list[(k + done) % count];
            if (c->median_s >= 0 && !one_batch(b, c)) c->median_s = BENCH_FAILED;
        }
    for (int i = 0; i < count; i++) {
        bench_contender *c = &list[i];
        if (c->median_s >= 0) c->median_s = settle(b, c) / (double)c->reps;
        free(c->sample);
        c->sample = NULL;
    }
}

/* ---- rows --------------------------------------------------------------------------------------------------------*/

static bool floor_holds(const char *floor, double ratio) {
    double limit = strtod(floor + 2, NULL);
    return floor[0] == '<' ? ratio <= limit : ratio >= limit;
}

double bench_scaled(double seconds, double factor) { return seconds < 0 ? seconds : seconds * factor; }

double bench_rate(double amount, double seconds) { return seconds < 0 ? seconds : amount / seconds; }

double bench_least(double a, double b) { return a < 0 ? b : b < 0 || a < b ? a : b; }

void bench_row(bench *b, const char *name, double value, const char *unit, double reference, const char *reference_name,
               const char *floor) {
    if (value <= BENCH_ABSENT) return;
    if (b->count == b->room) {
        int room = b->room ? 2 * b->room : 64;
        bench_line *more = realloc(b->lines, (size_t)room * sizeof *more);
        if (!more) return;
        b->lines = more;
        b->room = room;
    }
    bench_line *l = &b->lines[b->count++];
    *l = (bench_line){.value = value, .reference = reference, .failed = !(value >= 0), .disturbed = b->shaky};
    snprintf(l->name, sizeof l->name, "%s", name);
    snprintf(l->unit, sizeof l->unit, "%s", unit);
    snprintf(l->reference_name, sizeof l->reference_name, "%s", reference_name ? reference_name : "");
    snprintf(l->floor, sizeof l->floor, "%s", floor ? floor : "");
    l->has_reference = reference_name && reference > 0;
    l->has_ratio = l->has_reference && !l->failed;
    if (l->has_ratio) l->ratio = value / reference;
    l->judged = floor && (l->has_ratio || l->failed);
    l->holds = floor && l->has_ratio && floor_holds(floor, l->ratio);
}

/* ---- printing ----------------------------------------------------------------------------------------------------*/

static json_t *machine(void) {
    struct utsname u;
    char model[128] = "";
    uname(&u);
    sup_cpu_model_read("/proc/cpuinfo", model, sizeof model);
    return json_pack("{s:s, s:s, s:i, s:s}", "architecture", u.machine, "cpu", model, "cores", bench_cores(), "kernel",
                     u.release);
}

static json_t *or_null(bool there, json_t *value) {
    if (there) return value;
    json_decref(value);
    return json_null();
}

static int print_json(const bench *b) {
    json_t *rows = json_array();
    for (int i = 0; i < b->count; i++) {
        const bench_line *l = &b->lines[i];
        json_t *row =
            json_pack("{s:s, s:o, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:b}", "case", l->name, "value",
                      or_null(!l->failed, json_real(l->failed ? 0 : l->value)), "failed", l->failed, "unit", l->unit,
                      "reference", or_null(l->has_reference, json_real(l->has_reference ? l->reference : 0)),
                      "reference_name", or_null(l->reference_name[0], json_string(l->reference_name)), "ratio",
                      or_null(l->has_ratio, json_real(l->ratio)), "floor", or_null(l->floor[0], json_string(l->floor)),
                      "holds", or_null(l->judged, json_boolean(l->holds)), "disturbed", l->disturbed);
        json_array_append_new(rows, row);
    }
    json_t *all = json_pack("{s:s, s:o, s:i, s:i, s:o}", "bench", b->name, "machine", machine(), "batches", b->batches,
                            "disturbed", b->disturbed, "rows", rows);
    if (!all) return 1;
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(all);
    return 0;
}

static void print_table(const bench *b) {
    printf("%-34s %12s %-5s %12s %-24s %7s  %s\n", "case", "value", "unit", "reference", "", "ratio", "floor");
    for (int i = 0; i < b->count; i++) {
        const bench_line *l = &b->lines[i];
        if (l->failed)
            printf("%-34s %12s %-5s", l->name, "failed", l->unit);
        else
            printf("%-34s %12.4g %-5s", l->name, l->value, l->unit);
        if (l->has_ratio)
            printf(" %12.4g %-24s %7.3f", l->reference, l->reference_name, l->ratio);
        else if (l->reference_name[0])
            printf(" %12s %-24s %7s", l->has_reference ? "" : "no peer", l->reference_name, "");
        if (l->floor[0]) printf("  %s %s", l->floor, !l->judged ? "not judged" : l->holds ? "holds" : "DOES NOT HOLD");
        if (l->disturbed) printf("  (disturbed)");
        putchar('\n');
    }
    printf("%d batches, %d of them disturbed whatever was tried%s\n", b->batches, b->disturbed,
           2 * b->disturbed > b->batches ? ": this machine is too busy to compare anything" : "");
}

int bench_end(bench *b) {
    int rc = 0;
    if (b->json)
        rc = print_json(b);
    else
        print_table(b);
    free(b->lines);
    b->lines = NULL;
    return rc;
}
