/* Looking up a recorded program's own computation in a profile (program_kernels.h). Term Tcomp; stage "model". */
#include "model/equation/program_kernels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEYOND 0.1  /* what the interval grows by, relatively, for each factor e beyond the sizes */
#define TO_90 0.839 /* half width of a 95 % interval → of 90 % */
#define Z90 1.645

/* ---- a site at a size ---- */

static double law_at(const sup_program_site *s, double n) {
    return (isnan(s->fixed_s) ? 0 : s->fixed_s) + s->unit_s * sup_growth_units(s->law, n);
}

static sup_prediction around(double value, double half) {
    return (sup_prediction){value, fmax(0, value - half), value + half};
}

/* Without a law: along the power of n through the two sizes at that end, and nobody knows whether it goes on so. */
static sup_prediction without_law(const sup_program_times *p, const sup_program_site *s, double n, size_t end) {
    size_t next = end ? end - 1 : 1;
    double there = s->typical[end], size = (double)p->sizes[end];
    double power = log(there / s->typical[next]) / log(size / (double)p->sizes[next]);
    double value = there * pow(n / size, fmin(fmax(power, 0), 3));
    return around(value,
                  TO_90 * s->ci[end] * value / there + fabs(value - there) + value * BEYOND * fabs(log(n / size)));
}

static sup_prediction beyond(const sup_program_times *p, const sup_program_site *s, double n, size_t end) {
    double size = (double)p->sizes[end], there = law_at(s, size), more = there > 0 ? law_at(s, n) / there : 1;
    double value = s->typical[end] * more, off = isnan(s->error) ? 0 : s->error;
    return around(value, TO_90 * s->ci[end] * more + value * (off + BEYOND * fabs(log(n / size))));
}

sup_prediction sup_program_site_at(const sup_program_times *p, const sup_program_site *s, double n) {
    size_t last = p->sizes_count - 1, i = 0;
    bool none = s->law == SUP_GROWTH_NONE;
    if (n < (double)p->sizes[0]) return none ? without_law(p, s, n, 0) : beyond(p, s, n, 0);
    if (n > (double)p->sizes[last]) return none ? without_law(p, s, n, last) : beyond(p, s, n, last);
    while (i + 2 < p->sizes_count && n > (double)p->sizes[i + 1]) i++;
    double a = (double)p->sizes[i], b = (double)p->sizes[i + 1];
    double along = log(n / a) / log(b / a), straight = (n - a) / (b - a);
    double value = s->typical[i] * pow(s->typical[i + 1] / s->typical[i], along);
    /* what a line says instead: how much the course between the two is known */
    double other = s->typical[i] + straight * (s->typical[i + 1] - s->typical[i]);
    double ci = s->ci[i] + along * (s->ci[i + 1] - s->ci[i]);
    return around(value, TO_90 * ci + fabs(value - other) / 2);
}

/* ---- the program ---- */

/* The size in one argument, by its pattern: SUP_EINVAL, it does not fit; *n 0: the pattern has none. */
static bool argument_fits(const char *pattern, const char *argument, int64_t *n) {
    const char *at = strstr(pattern, SUP_PROGRAM_SIZE);
    *n = 0;
    if (!at) return !strcmp(pattern, argument);
    size_t head = (size_t)(at - pattern), digits = 0;
    if (strncmp(pattern, argument, head) != 0) return false;
    const char *tail = at + strlen(SUP_PROGRAM_SIZE);
    while (argument[head + digits] >= '0' && argument[head + digits] <= '9' && digits < 16)
        *n = 10 * *n + (argument[head + digits++] - '0');
    return digits && *n > 0 && !strcmp(argument + head + digits, tail);
}

/* 0: other arguments. */
static int64_t size_of(const sup_program_times *p, const sup_trace *t) {
    int64_t n = 0, one;
    if (p->arguments_count != t->arguments_count) return 0;
    for (size_t i = 0; i < p->arguments_count; i++) {
        if (!argument_fits(p->arguments[i], t->arguments[i], &one)) return 0;
        if (one && n && one != n) return 0;
        if (one) n = one;
    }
    return n;
}

typedef struct found {
    const sup_program_times *program; /* NULL: none */
    const sup_program_times *similar; /* of the same name; NULL: none */
    int64_t n;
} found;

/* Over the trace's own transport if it was measured, else over any. */
static found find(const sup_profile *profile, const sup_trace *t) {
    found f = {0};
    const char *name = t->program ? sup_program_base(t->program) : "", *net = t->signature.transport;
    for (size_t i = 0; i < profile->programs_count; i++) {
        const sup_program_times *p = &profile->programs[i];
        if (strcmp(p->program, name) != 0) continue;
        f.similar = p;
        int64_t n = p->processes == (int64_t)t->processes_count ? size_of(p, t) : 0;
        bool same = net && !strcmp(p->transport, net);
        if (!n || (f.program && !same)) continue;
        f.program = p;
        f.n = n;
        if (same) break;
    }
    return f;
}

static const sup_program_site *site_of(const sup_program_times *p, const sup_step *step) {
    for (size_t i = 0; step->name && i < p->sites_count; i++)
        if (!strcmp(p->sites[i].site, sup_program_base(step->name))) return &p->sites[i];
    return NULL;
}

static double slowest(const sup_step *s) {
    double most = 0;
    for (size_t r = 0; r < s->works[0].units.count; r++) most = fmax(most, s->works[0].units.each[r]);
    return most;
}

/* Recorded seconds of the slowest process, averaged over all steps of a site. */
static double recorded_at(const sup_program_times *p, const sup_program_site *site, const sup_program *program) {
    double sum = 0, times = 0;
    for (size_t i = 0; i < program->step_count; i++) {
        const sup_step *s = &program->steps[i];
        if (s->work_count != 1 || site_of(p, s) != site) continue;
        sum += (double)s->repeat * slowest(s);
        times += (double)s->repeat;
    }
    return times > 0 ? sum / times : 0;
}

static void foretell(sup_step *s, double recorded, sup_prediction now) {
    sup_work *w = &s->works[0];
    double factor = recorded > 0 ? now.value / recorded : 0, share = recorded > 0 ? slowest(s) / recorded : 1;
    for (size_t r = 0; r < w->units.count; r++) w->units.each[r] = recorded > 0 ? factor * w->units.each[r] : now.value;
    w->deviation_s = share * fmax(now.high - now.value, now.value - now.low) / Z90;
    w->foretold = true;
}

static void write_note(const found *f, size_t known, size_t all, char *note, size_t size) {
    const sup_program_times *p = f->program;
    if (!p && f->similar)
        snprintf(note, size, "the profile knows %.40s with other arguments or processes; computation is as recorded",
                 f->similar->program);
    if (!p) return;
    int64_t low = p->sizes[0], high = p->sizes[p->sizes_count - 1];
    int used = snprintf(note, size, "computation of %zu of %zu kinds of supersteps is the profile's, at n = %" PRId64,
                        known, all, f->n);
    if ((f->n < low || f->n > high) && used > 0 && (size_t)used < size)
        snprintf(note + used, size - (size_t)used, ", beyond what was measured (%" PRId64 " to %" PRId64 ")", low,
                 high);
}

size_t sup_program_kernels(const sup_profile *profile, const sup_trace *trace, sup_program *program, char *note,
                           size_t size) {
    found f = find(profile, trace);
    size_t known = 0;
    note[0] = 0;
    double *recorded = f.program ? malloc((f.program->sites_count + 1) * sizeof *recorded) : NULL;
    for (size_t k = 0; recorded && k < f.program->sites_count; k++)
        recorded[k] = recorded_at(f.program, &f.program->sites[k], program);
    for (size_t i = 0; recorded && i < program->step_count; i++) {
        sup_step *s = &program->steps[i];
        const sup_program_site *site = s->work_count == 1 ? site_of(f.program, s) : NULL;
        if (!site) continue;
        foretell(s, recorded[site - f.program->sites], sup_program_site_at(f.program, site, (double)f.n));
        known++;
    }
    free(recorded);
    write_note(&f, known, program->step_count, note, size);
    return known;
}
