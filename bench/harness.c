/* Running contenders in turn and saying what came out (see harness.h). */
#include "harness.h"

#include "base/clock.h"
#include "machine/cpu_model.h"

#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { QUICK_ROUNDS = 15, FULL_ROUNDS = 41, MORE = 2 }; /* rounds, if batches do not count: so many times as many */
#define LOW 0.10

struct bench_line {
    char name[64], unit[16], reference_name[48], floor[16];
    bench_value value, reference, ratio;
    bool failed, has_reference, has_ratio, judged, holds, median_holds, disturbed;
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
    sup_usage_begin(&mark);
    body(context, reps);
    sup_usage_end(&mark, &usage);
    *seconds = usage.wall_s;
    *disturbed = sup_usage_disturbed(&usage, true);
    return true;
}

/* Those that count are kept at the front of the array, the others at the end. */
static bool one_batch(bench *b, bench_contender *c) {
    bool disturbed = false;
    double seconds;
    if (!c->batch(c->context, c->reps, &seconds, &disturbed)) return false;
    b->batches++;
    b->disturbed += disturbed;
    if (disturbed)
        c->sample[MORE * b->rounds - ++c->disturbed] = seconds;
    else
        c->sample[c->clean++] = seconds;
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

double bench_quantile(double *times, int count, double share) {
    qsort(times, (size_t)count, sizeof *times, ascending);
    double at = share * (count - 1);
    int below = (int)at;
    return below + 1 < count ? times[below] + (at - below) * (times[below + 1] - times[below]) : times[below];
}

/* Of the batches that count, if there are enough to say anything; else of all, and rows say so. */
static bench_value settle(bench *b, bench_contender *c) {
    enum { ENOUGH = 5 };
    int n = c->clean;
    if (n < ENOUGH && c->disturbed) {
        memmove(c->sample + n, c->sample + MORE * b->rounds - c->disturbed, (size_t)c->disturbed * sizeof *c->sample);
        n += c->disturbed;
        b->shaky = true;
    }
    double low = bench_quantile(c->sample, n, LOW), median = bench_quantile(c->sample, n, 0.5);
    return bench_scaled((bench_value){low, median}, 1 / (double)c->reps);
}

/* Has everybody that runs had as many batches that count as there are rounds? */
static bool enough(const bench *b, const bench_contender *list, int count) {
    for (int i = 0; i < count; i++)
        if (bench_there(list[i].time_s) && list[i].clean < b->rounds) return false;
    return true;
}

void bench_race(bench *b, bench_contender *list, int count) {
    b->shaky = false;
    for (int i = 0; i < count; i++) {
        bench_contender *c = &list[i];
        c->disturbed = c->clean = 0;
        c->time_s = bench_exact(0);
        c->sample = calloc((size_t)b->rounds * MORE, sizeof *c->sample);
        if (!c->sample || !c->batch || !warm_up(b, c)) c->time_s = BENCH_FAILED;
    }
    for (int done = 0; done < MORE * b->rounds && !enough(b, list, count); done++) {
        if (done > 0 && sup_clock_now() >= b->deadline_s) break;
        for (int k = 0; k < count; k++) {
            bench_contender *c = &list[(k + done) % count];
            if (bench_there(c->time_s) && !one_batch(b, c)) c->time_s = BENCH_FAILED;
        }
    }
    for (int i = 0; i < count; i++) {
        bench_contender *c = &list[i];
        if (bench_there(c->time_s)) c->time_s = settle(b, c);
        free(c->sample);
        c->sample = NULL;
    }
}

/* ---- rows --------------------------------------------------------------------------------------------------------*/

static bool floor_holds(const char *floor, double ratio) {
    double limit = strtod(floor + 2, NULL);
    return floor[0] == '<' ? ratio <= limit : ratio >= limit;
}

bench_value bench_exact(double value) { return value >= 0 ? (bench_value){value, value} : BENCH_FAILED; }

bool bench_there(bench_value value) { return value.low >= 0; }

bench_value bench_scaled(bench_value v, double factor) {
    return bench_there(v) ? (bench_value){v.low * factor, v.median * factor} : v;
}

bench_value bench_rate(double amount, bench_value v) {
    return bench_there(v) ? (bench_value){amount / v.low, amount / v.median} : v;
}

bench_value bench_least(bench_value a, bench_value b) {
    return !bench_there(a) ? b : !bench_there(b) || a.low < b.low ? a : b;
}

void bench_row(bench *b, const char *name, bench_value value, const char *unit, bench_value reference,
               const char *reference_name, const char *floor) {
    if (value.low <= BENCH_ABSENT.low) return;
    if (b->count == b->room) {
        int room = b->room ? 2 * b->room : 64;
        bench_line *more = realloc(b->lines, (size_t)room * sizeof *more);
        if (!more) return;
        b->lines = more;
        b->room = room;
    }
    bench_line *l = &b->lines[b->count++];
    *l = (bench_line){.value = value, .reference = reference, .failed = !bench_there(value), .disturbed = b->shaky};
    snprintf(l->name, sizeof l->name, "%s", name);
    snprintf(l->unit, sizeof l->unit, "%s", unit);
    snprintf(l->reference_name, sizeof l->reference_name, "%s", reference_name ? reference_name : "");
    snprintf(l->floor, sizeof l->floor, "%s", floor ? floor : "");
    l->has_reference = reference_name && reference.low > 0;
    l->has_ratio = l->has_reference && !l->failed;
    if (l->has_ratio) l->ratio = (bench_value){value.low / reference.low, value.median / reference.median};
    l->judged = floor && (l->has_ratio || l->failed);
    l->holds = floor && l->has_ratio && floor_holds(floor, l->ratio.low);
    l->median_holds = floor && l->has_ratio && floor_holds(floor, l->ratio.median);
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

static json_t *real_or_null(bool there, double value) { return there ? json_real(value) : json_null(); }

static int print_json(const bench *b) {
    json_t *rows = json_array();
    for (int i = 0; i < b->count; i++) {
        const bench_line *l = &b->lines[i];
        json_t *row = json_pack("{s:s, s:o, s:o, s:b, s:s, s:o, s:o, s:o}", "case", l->name, "value",
                                real_or_null(!l->failed, l->value.low), "value_median",
                                real_or_null(!l->failed, l->value.median), "failed", l->failed, "unit", l->unit,
                                "reference", real_or_null(l->has_reference, l->reference.low), "reference_median",
                                real_or_null(l->has_reference, l->reference.median), "reference_name",
                                or_null(l->reference_name[0], json_string(l->reference_name)));
        json_t *verdict =
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "ratio", real_or_null(l->has_ratio, l->ratio.low),
                      "ratio_median", real_or_null(l->has_ratio, l->ratio.median), "floor",
                      or_null(l->floor[0], json_string(l->floor)), "holds", or_null(l->judged, json_boolean(l->holds)),
                      "median_holds", or_null(l->judged, json_boolean(l->median_holds)), "disturbed", l->disturbed);
        json_object_update(row, verdict);
        json_decref(verdict);
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

static void print_line(const bench_line *l) {
    if (l->failed)
        printf("%-34s %12s %-5s", l->name, "failed", l->unit);
    else
        printf("%-34s %12.4g %-5s", l->name, l->value.low, l->unit);
    if (l->has_ratio)
        printf(" %12.4g %-24s %7.3f %7.3f", l->reference.low, l->reference_name, l->ratio.low, l->ratio.median);
    else if (l->reference_name[0])
        printf(" %12s %-24s %7s %7s", l->has_reference ? "" : "no peer", l->reference_name, "", "");
    if (l->floor[0]) printf("  %s %s", l->floor, !l->judged ? "not judged" : l->holds ? "holds" : "DOES NOT HOLD");
    if (l->judged && l->holds != l->median_holds) printf(" (the median %s)", l->median_holds ? "does" : "does not");
    if (l->disturbed) printf("  (disturbed)");
    putchar('\n');
}

static void print_table(const bench *b) {
    printf("%-34s %12s %-5s %12s %-24s %7s %7s  %s\n", "case", "value", "unit", "reference", "", "ratio", "median",
           "floor");
    for (int i = 0; i < b->count; i++) print_line(&b->lines[i]);
    printf("%d batches, %d of them do not count: a process lost its core\n"
           "values and ratios are of 10 %% quantiles, which are judged; \"median\" is the ratio of the medians\n",
           b->batches, b->disturbed);
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
