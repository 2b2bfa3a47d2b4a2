/* A program measured as a kernel of its own: launches at several sizes in turn, what each call site computes, and the
 * record of it (program/runs.h). Term Tcomp; stage "measure". */
#include "measure/program/runs.h"

#include "base/clock.h"
#include "base/number/stats.h"
#include "base/number/student.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_S 1e-9 /* less than a clock can tell */
#define CONFIDENCE 0.95
enum { ROUNDS_MOST = 1000, SITES_MOST = 1024 };

/* What all launches found of one site: seconds [size · rounds + round]; NaN: the site was not met. */
typedef struct site {
    char *name;
    double *seconds;
    double sum, times; /* of the trace that is being read */
} site;

typedef struct finding {
    const sup_program_order *order;
    site *sites;
    size_t site_count, rounds; /* rounds: room for so many */
    size_t done;               /* of them, whole */
} finding;

/* ---- what is asked for ---- */

static sup_status check_order(const sup_program_order *o, char *const *words, sup_diag *diag) {
    bool there = false;
    for (size_t i = 1; words[i]; i++) there = there || strstr(words[i], SUP_PROGRAM_SIZE);
    if (!there)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                            "--program: no argument has " SUP_PROGRAM_SIZE ", which stands for the size: \"%.100s\"",
                            o->command);
    if (o->size_count < SUP_PROGRAM_SIZES_LEAST || o->size_count > SUP_PROGRAM_SIZES_MOST)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "--sizes: %d to %d sizes are needed, not %zu",
                            SUP_PROGRAM_SIZES_LEAST, SUP_PROGRAM_SIZES_MOST, o->size_count);
    for (size_t i = 0; i < o->size_count; i++)
        if (o->sizes[i] < 1 || (i && o->sizes[i] <= o->sizes[i - 1]))
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "--sizes: sizes must be above 0 and increase, not %" PRId64,
                                o->sizes[i]);
    return SUP_OK;
}

/* ---- one trace ---- */

static const char *name_of(const sup_trace *t, size_t class) {
    int64_t at = sup_trace_step_of(t, class, 0)->site;
    if (at < 0 || (size_t)at >= t->sites_count) return NULL;
    const sup_trace_site *s = &t->sites[at];
    return sup_program_base(s->line ? s->line : s->symbol ? s->symbol : s->place);
}

static site *site_called(finding *f, const char *name) {
    size_t cells = f->order->size_count * f->rounds;
    for (size_t i = 0; i < f->site_count; i++)
        if (!strcmp(f->sites[i].name, name)) return &f->sites[i];
    if (f->site_count == SITES_MOST) return NULL;
    site *s = &f->sites[f->site_count];
    *s = (site){.name = strdup(name), .seconds = malloc(cells * sizeof(double))};
    if (!s->name || !s->seconds) {
        free(s->name);
        free(s->seconds);
        return NULL;
    }
    for (size_t i = 0; i < cells; i++) s->seconds[i] = NAN;
    f->site_count++;
    return s;
}

/* Of the slowest process, a median, without looking at the clock. */
static double slowest(const sup_trace *t, size_t class, double clock_s) {
    double most = 0;
    for (size_t r = 0; r < t->processes_count; r++)
        most = fmax(most, sup_trace_step_of(t, class, (int64_t)r)->compute_s.median);
    return fmax(most - clock_s, most / 2);
}

/* Averages over the classes of each site. */
static sup_status take_trace(finding *f, const sup_trace *t, size_t cell, sup_diag *diag) {
    if (!t->classes_count)
        return sup_diag_set(diag, SUP_ENOTSUP, NULL, 0,
                            "%.100s recorded no superstep: there are none, or all are left out",
                            t->program ? t->program : "the program");
    for (size_t i = 0; i < f->site_count; i++) f->sites[i].sum = f->sites[i].times = 0;
    for (size_t c = 0; c < t->classes_count; c++) {
        const char *name = name_of(t, c);
        double times = (double)t->classes[c].count;
        site *s = name ? site_called(f, name) : NULL;
        if (!s && name && f->site_count < SITES_MOST) return sup_diag_no_memory(diag);
        if (!s) continue;
        s->sum += times * slowest(t, c, f->order->clock_s);
        s->times += times;
    }
    for (size_t i = 0; i < f->site_count; i++) {
        site *s = &f->sites[i];
        if (s->times > 0) s->seconds[cell] = fmax(LEAST_S, s->sum / s->times);
    }
    return SUP_OK;
}

/* ---- the record ---- */

static bool complete(const finding *f, const site *s) {
    for (size_t i = 0; i < f->order->size_count; i++)
        for (size_t r = 0; r < f->done; r++)
            if (isnan(s->seconds[i * f->rounds + r])) return false;
    return true;
}

/* Half width within which one more launch lies. */
static double half_width(const double *x, size_t n) {
    double spread = sup_stats_deviation(x, n);
    return n > 1 ? sup_student_two_sided(CONFIDENCE, (double)(n - 1)) * spread * sqrt(1 + 1 / (double)n) : 0;
}

static sup_status add_site(const finding *f, const site *s, sup_program_times *out) {
    const sup_program_order *o = f->order;
    double least[SUP_PROGRAM_SIZES_MOST], typical[SUP_PROGRAM_SIZES_MOST], ci[SUP_PROGRAM_SIZES_MOST];
    for (size_t i = 0; i < o->size_count; i++) {
        const double *x = s->seconds + i * f->rounds;
        least[i] = sup_stats_quantile(x, f->done, 0);
        typical[i] = sup_stats_median(x, f->done);
        ci[i] = half_width(x, f->done);
    }
    sup_program_site *to = SUP_APPEND(&sup_program_site_record, out->sites, out->sites_count);
    sup_status status = to ? sup_record_set_string(&to->site, s->name) : SUP_ENOMEM;
    if (!status) status = sup_record_set_reals(&to->seconds, &to->seconds_count, least, o->size_count);
    if (!status) status = sup_record_set_reals(&to->typical, &to->typical_count, typical, o->size_count);
    if (!status) status = sup_record_set_reals(&to->ci, &to->ci_count, ci, o->size_count);
    if (!status) sup_program_law(o->sizes, o->size_count, to);
    return status;
}

static sup_status add_arguments(char *const *words, sup_program_times *out) {
    size_t count = 0;
    while (words[count]) count++;
    out->arguments = calloc(count + 1, sizeof *out->arguments);
    for (size_t i = 1; out->arguments && i < count; i++) {
        if (!(out->arguments[i - 1] = strdup(words[i]))) return SUP_ENOMEM;
        out->arguments_count++;
    }
    return out->arguments ? SUP_OK : SUP_ENOMEM;
}

static sup_status make_record(const finding *f, char *const *words, sup_diag *diag, sup_program_times *out) {
    const sup_program_order *o = f->order;
    sup_status status = sup_record_set_string(&out->program, sup_program_base(words[0]));
    if (!status) status = sup_record_set_string(&out->transport, o->transport);
    if (!status) status = sup_record_set_ints(&out->sizes, &out->sizes_count, o->sizes, o->size_count);
    if (!status) status = add_arguments(words, out);
    out->processes = o->processes;
    out->launches = (int64_t)f->done;
    for (size_t i = 0; i < f->site_count && !status; i++)
        if (complete(f, &f->sites[i])) status = add_site(f, &f->sites[i], out);
    if (status) return sup_diag_no_memory(diag);
    if (!out->sites_count)
        return sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "%.100s ends no superstep at the same place at all sizes",
                            words[0]);
    return sup_record_check(&sup_program_times_record, out, diag);
}

/* ---- all launches ---- */

static sup_status go_round(finding *f, const char *folder, char *const *words, double begin_s, sup_diag *diag) {
    const sup_program_order *o = f->order;
    sup_status status = SUP_OK;
    for (size_t i = 0; i < o->size_count && !status; i++) {
        double spent = sup_clock_now() - begin_s, part = (double)(f->done * o->size_count + i);
        double fraction = o->budget_s > 0 ? spent / o->budget_s : part / (double)(f->rounds * o->size_count);
        sup_trace *t = NULL;
        status = sup_program_launch(o, folder, words, o->sizes[i], fraction, diag, &t);
        if (!status) status = take_trace(f, t, i * f->rounds + f->done, diag);
        sup_trace_free(t);
    }
    return status;
}

static sup_status go_rounds(finding *f, const char *folder, char *const *words, bool *interrupted, sup_diag *diag) {
    double begin_s = sup_clock_now();
    sup_status status = SUP_OK;
    while (!status && f->done < f->rounds) {
        double spent = sup_clock_now() - begin_s, each = f->done ? spent / (double)f->done : 0;
        if (f->order->budget_s > 0 && f->done >= SUP_PROGRAM_ROUNDS_LEAST && spent + each > f->order->budget_s) break;
        status = go_round(f, folder, words, begin_s, diag);
        if (!status) f->done++;
    }
    *interrupted = status == SUP_EINTR;
    return *interrupted && f->done >= SUP_PROGRAM_ROUNDS_LEAST ? SUP_OK : status;
}

static void free_finding(finding *f) {
    for (size_t i = 0; f->sites && i < f->site_count; i++) {
        free(f->sites[i].name);
        free(f->sites[i].seconds);
    }
    free(f->sites);
}

sup_status sup_program_measure(const sup_program_order *order, sup_diag *diag, sup_program_times *out,
                               bool *interrupted) {
    char **words = NULL;
    sup_folder folder = {.open = -1, .keeper = -1};
    finding f = {.order = order, .rounds = order->budget_s > 0 ? ROUNDS_MOST : SUP_PROGRAM_ROUNDS};
    sup_record_init(&sup_program_times_record, out);
    *interrupted = false;
    sup_status status = sup_program_split(order->command, diag, &words);
    if (!status) status = check_order(order, words, diag);
    if (!status && !(f.sites = calloc(SITES_MOST, sizeof *f.sites))) status = sup_diag_no_memory(diag);
    if (!status) status = sup_folder_open(order->beside, diag, &folder);
    if (!status) status = go_rounds(&f, folder.path, words, interrupted, diag);
    if (!status) status = make_record(&f, words, diag, out);
    sup_folder_close(&folder);
    free_finding(&f);
    sup_program_words_free(words);
    return status;
}
