/* Tables of programs that were measured as kernels of their own (programs.h). Term Tcomp; joint 1 of the flow. */
#include "profile/programs.h"

#include "machine/origin.h"

#include <stdio.h>
#include <string.h>

#define MOST 1e18

static const char *const growth_names[] = {
    [SUP_GROWTH_CONSTANT] = "1",      [SUP_GROWTH_ROOT] = "sqrt n",    [SUP_GROWTH_LINEAR] = "n",
    [SUP_GROWTH_N_LOG_N] = "n log n", [SUP_GROWTH_N_ROOT_N] = "n^1.5", [SUP_GROWTH_SQUARE] = "n^2",
    [SUP_GROWTH_CUBE] = "n^3",        [SUP_GROWTH_NONE] = "none",      NULL};

const char *sup_growth_text(int law) { return law == SUP_GROWTH_NONE ? "no law" : growth_names[law]; }

double sup_growth_units(int law, double n) {
    switch (law) {
    case SUP_GROWTH_ROOT: return sqrt(n);
    case SUP_GROWTH_LINEAR: return n;
    case SUP_GROWTH_N_LOG_N: return n * log2(n + 1);
    case SUP_GROWTH_N_ROOT_N: return n * sqrt(n);
    case SUP_GROWTH_SQUARE: return n * n;
    case SUP_GROWTH_CUBE: return n * n * n;
    default: return 1;
    }
}

const char *sup_program_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static const sup_field site_fields[] = {
    SUP_F_STRING(sup_program_site, site, "site"),
    SUP_F_REALS(sup_program_site, seconds, "seconds", true, 0, MOST),
    SUP_F_REALS(sup_program_site, typical, "typical", true, 0, MOST),
    SUP_F_REALS(sup_program_site, ci, "ci", true, 0, MOST),
    SUP_F_ENUM(sup_program_site, law, "law", growth_names),
    SUP_F_REAL_MAYBE(sup_program_site, fixed_s, "fixed_s", 0, MOST),
    SUP_F_REAL(sup_program_site, unit_s, "unit_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_program_site, error, "error", 0, MOST),
    SUP_F_END,
};

static sup_status check_site(const sup_where *w, const void *object) {
    const sup_program_site *s = object;
    for (size_t i = 0; i < s->typical_count; i++)
        if (!(s->typical[i] > 0)) return sup_where_fail(w, "typical", (int)i, "\"typical\" must be above 0");
    return SUP_OK;
}

SUP_RECORD(sup_program_site_record, "call site of a program", sup_program_site, site_fields, check_site);

static const sup_field program_fields[] = {
    SUP_F_STRING(sup_program_times, program, "program"),
    SUP_F_STRINGS(sup_program_times, arguments, "arguments", true),
    SUP_F_STRING(sup_program_times, transport, "transport"),
    SUP_F_INT(sup_program_times, processes, "processes", 1, SUP_PROCESSES_MAX),
    SUP_F_INT_OR(sup_program_times, launches, "launches", 1, SUP_INT_MAX, 1),
    SUP_F_INTS(sup_program_times, sizes, "sizes", true, 1, SUP_INT_MAX),
    SUP_F_RECORDS(sup_program_times, sites, "sites", true, &sup_program_site_record),
    SUP_F_END,
};

static sup_status check_length(const sup_where *w, const char *key, size_t count, size_t wanted) {
    if (count == wanted) return SUP_OK;
    return sup_where_fail(w, key, -1, "\"%s\" has %zu values, \"sizes\" has %zu", key, count, wanted);
}

static sup_status check_program(const sup_where *w, const void *object) {
    const sup_program_times *p = object;
    bool there = false;
    for (size_t i = 0; i < p->arguments_count; i++) there = there || strstr(p->arguments[i], SUP_PROGRAM_SIZE);
    if (!there) return sup_where_fail(w, "arguments", -1, "no argument has the size, " SUP_PROGRAM_SIZE);
    if (p->sizes_count < SUP_PROGRAM_SIZES_LEAST || p->sizes_count > SUP_PROGRAM_SIZES_MOST)
        return sup_where_fail(w, "sizes", -1, "%zu \"sizes\", where %d to %d belong", p->sizes_count,
                              SUP_PROGRAM_SIZES_LEAST, SUP_PROGRAM_SIZES_MOST);
    sup_status status = sup_where_ascending(w, "sizes", p->sizes, p->sizes_count);
    for (size_t i = 0; i < p->sites_count && !status; i++) {
        const sup_program_site *s = &p->sites[i];
        sup_where at = sup_where_below(w, "sites", (int)i, &sup_program_site_record);
        status = check_length(&at, "seconds", s->seconds_count, p->sizes_count);
        if (!status) status = check_length(&at, "typical", s->typical_count, p->sizes_count);
        if (!status) status = check_length(&at, "ci", s->ci_count, p->sizes_count);
    }
    return status;
}

SUP_RECORD(sup_program_times_record, "program", sup_program_times, program_fields, check_program);
