/* superstep measure --program: a program's own supersteps, measured as kernels and added to a profile that is there
 * already. Term Tcomp; stage "measure". */
#include "base/file/file.h"
#include "base/text.h"
#include "cli/measure/measure.h"
#include "cli/predict/predict.h"
#include "measure/program/runs.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "measure"

/* ---- the command line ---- */

static int take_sizes(const char *list, int64_t sizes[SUP_PROGRAM_SIZES_MOST], size_t *count) {
    char text[24 * SUP_PROGRAM_SIZES_MOST], *rest = NULL;
    *count = 0;
    if (snprintf(text, sizeof text, "%s", list) >= (int)sizeof text)
        return sup_cli_usage(VERB, "--sizes: the list is too long");
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        long size;
        if (*count == SUP_PROGRAM_SIZES_MOST)
            return sup_cli_usage(VERB, "--sizes: at most %d sizes", SUP_PROGRAM_SIZES_MOST);
        if (!sup_cli_int(word, 1, (long)SUP_INT_MAX, &size))
            return sup_cli_usage(VERB, "--sizes: \"%.40s\" is not a size", word);
        if (*count && size <= sizes[*count - 1])
            return sup_cli_usage(VERB, "--sizes: sizes must increase, but %ld follows %" PRId64, size,
                                 sizes[*count - 1]);
        sizes[(*count)++] = size;
    }
    if (*count < SUP_PROGRAM_SIZES_LEAST)
        return sup_cli_usage(VERB, "--sizes: two sizes or more are needed to see how the program grows");
    return 0;
}

static int check_others(const sup_measuring *m) {
    if (m->force) return sup_cli_usage(VERB, "--program adds to a profile: --force has no meaning");
    if (m->kernels || m->plugin_count || m->setups || m->cold || m->rdma || m->exhaustive || m->until > 0)
        return sup_cli_usage(VERB,
                             "with --program nothing else is measured: --kernels, --kernel, --setups, --cold, --rdma, "
                             "--exhaustive and --until have no meaning");
    if (m->nets && (sup_option_has(m->nets, "all") || sup_option_has(m->nets, "none")))
        return sup_cli_usage(VERB, "--net: with --program transports are named, not \"%.64s\"", m->nets);
    return 0;
}

/* ---- the profile ---- */

/* It must be of this machine, or its other numbers do not belong to those of the program. */
static int open_profile(sup_measuring *m) {
    sup_diag diag = {0}, why = {0};
    sup_origin here;
    sup_status status = sup_profile_read(m->file, false, &diag, &m->profile);
    if (status == SUP_ENOENT)
        return sup_cli_fail(VERB, SUP_EXIT_FILE,
                            "%s: No such file: --program adds to a profile; measure the machine first", m->file);
    if (status) return sup_cli_fail_diag(VERB, &diag);
    if (m->profile->composed)
        return sup_cli_fail(VERB, SUP_EXIT_MISMATCH, "%s is of a composed machine, on which no program can run",
                            m->file);
    status = sup_cli_here(NULL, &diag, &here);
    if (status) return sup_cli_fail_diag(VERB, &diag);
    if (sup_origin_match(&m->profile->signature, &here, SUP_SIGNATURE_ANY_RUN, &why))
        status = sup_cli_fail(VERB, SUP_EXIT_MISMATCH, "%s: %s", m->file, why.text);
    sup_record_clear(&sup_origin_record, &here);
    return status;
}

static bool same(const sup_program_times *a, const sup_program_times *b) {
    bool equal = !strcmp(a->program, b->program) && !strcmp(a->transport, b->transport) &&
                 a->processes == b->processes && a->arguments_count == b->arguments_count;
    for (size_t i = 0; equal && i < a->arguments_count; i++) equal = !strcmp(a->arguments[i], b->arguments[i]);
    return equal;
}

/* In place of what was found before. */
static int keep(sup_measuring *m, const sup_program_times *found) {
    sup_diag diag = {0};
    sup_profile *p = m->profile;
    sup_program_times *to = NULL;
    for (size_t i = 0; i < p->programs_count && !to; i++)
        if (same(&p->programs[i], found)) to = &p->programs[i];
    if (!to) to = SUP_APPEND(&sup_program_times_record, p->programs, p->programs_count);
    if (!to || sup_record_copy(&sup_program_times_record, found, to)) return sup_cli_no_memory(VERB);
    return sup_profile_write(p, m->file, &diag) ? sup_cli_fail_diag(VERB, &diag) : 0;
}

/* ---- what is said ---- */

static void say(const sup_measuring *m, const sup_program_times *p) {
    char text[32];
    sup_text_print(stdout, "%s: %s", m->file, p->program);
    for (size_t i = 0; i < p->arguments_count; i++) sup_text_print(stdout, " %s", p->arguments[i]);
    sup_text_print(stdout, " on %" PRId64 " process%s over %s, %" PRId64 " launches of each size\n", p->processes,
                   p->processes == 1 ? "" : "es", p->transport, p->launches);
    printf("%-28s %-10s", "computation at", "grows like");
    for (size_t i = 0; i < p->sizes_count; i++) printf(" %7s%-14" PRId64, "n = ", p->sizes[i]);
    printf("\n");
    for (size_t k = 0; k < p->sites_count; k++) {
        const sup_program_site *s = &p->sites[k];
        sup_text_print(stdout, "%-28.28s %-10s", s->site, sup_growth_text(s->law));
        for (size_t i = 0; i < p->sizes_count; i++)
            printf(" %11s ± %3.0f %%   ", sup_time_text(s->typical[i], text, sizeof text),
                   100 * s->ci[i] / s->typical[i]);
        printf("\n");
    }
    if (m->interrupted) printf("interrupted: what was measured is kept\n");
}

static int add_json(json_t *all, const sup_program_times *p) {
    sup_diag diag = {0};
    json_t *one = NULL;
    if (sup_record_write(&sup_program_times_record, p, &diag, &one)) return sup_cli_fail_diag(VERB, &diag);
    return json_array_append_new(all, one) ? sup_cli_no_memory(VERB) : 0;
}

/* ---- going ---- */

static int run_over(sup_measuring *m, const char *net, const int64_t *sizes, size_t count, json_t *all) {
    sup_diag diag = {0};
    sup_program_times found;
    sup_program_order order = {.command = m->program,
                               .sizes = sizes,
                               .size_count = count,
                               .transport = net,
                               .processes = m->processes ? m->processes : (int)m->profile->signature.processes,
                               .place = m->place,
                               .hosts_file = m->hosts_file,
                               .rsh = m->rsh,
                               .beside = m->out,
                               .budget_s = m->budget_s,
                               .clock_s = sup_predict_clock(m->profile),
                               .progress = sup_bar_progress};
    sup_bar_open(m->quiet);
    sup_status status = sup_program_measure(&order, &diag, &found, &m->interrupted);
    sup_bar_close();
    int code = 0;
    if (status == SUP_EINVAL)
        code = sup_cli_usage(VERB, "%s", diag.text);
    else if (status && status != SUP_EINTR)
        code = sup_cli_fail_diag(VERB, &diag);
    else if (!status)
        code = keep(m, &found);
    if (!code && !status && !m->quiet && !m->json) say(m, &found);
    if (!code && !status && m->json) code = add_json(all, &found);
    sup_record_clear(&sup_program_times_record, &found);
    return code;
}

/* The transports that were named; else that of the profile. */
static int run_all(sup_measuring *m, const int64_t *sizes, size_t count, json_t *all) {
    const char *own = m->profile->signature.transport, *net;
    int code = 0;
    if (!m->nets) return run_over(m, own && strcmp(own, "self") != 0 ? own : "shm", sizes, count, all);
    for (size_t i = 0; !code && !m->interrupted && (net = sup_campaign_net(i)); i++)
        if (sup_option_has(m->nets, net)) code = run_over(m, net, sizes, count, all);
    return code;
}

int sup_measuring_program(sup_measuring *m) {
    int64_t sizes[SUP_PROGRAM_SIZES_MOST];
    size_t count;
    int code = check_others(m);
    if (!code) code = take_sizes(m->sizes, sizes, &count);
    if (!code) code = open_profile(m);
    if (!code) code = sup_cli_check_out(VERB, m->file, SUP_FILE_PROFILE, true);
    if (code) return code;
    json_t *all = m->json ? json_array() : NULL;
    code = run_all(m, sizes, count, all);
    if (code || !m->json) {
        json_decref(all);
        return code;
    }
    return sup_cli_emit(VERB, json_pack("{s:o, s:b, s:o}", "profile", sup_cli_name(m->file), "interrupted",
                                        m->interrupted, "programs", all));
}
