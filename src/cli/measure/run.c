/* From the options of `superstep measure` and `superstep report` to a campaign (measure/campaign/campaign.h), and its
 * end; and the hidden verb __measure, which is one process of one of its launches. */
#include "cli/measure/measure.h"
#include "kernels/kernels.h"
#include "measure/campaign/budget.h"
#include "measure/launch/child.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SPARE_SHARE 0.1   /* of the time, for what comes after the campaign … */
#define SPARE_LEAST_S 2.0 /* … if that is enough for it */
enum { KERNELS = 64, SETUPS = 8 };

/* ---- lists ---- */

/* Into the order of the table, each once. */
static int take_nets(const sup_measuring *m, sup_campaign_options *o) {
    bool all = !m->nets || sup_option_has(m->nets, "all"), none = m->nets && sup_option_has(m->nets, "none");
    if (m->nets && (all || none) && strchr(m->nets, ','))
        return sup_cli_usage(m->verb, "--net: all and none stand alone, not in \"%.64s\"", m->nets);
    const char *net;
    for (size_t i = 0; !none && (net = sup_campaign_net(i)); i++) {
        if (!all && !sup_option_has(m->nets, net)) continue;
        o->asked[o->net_count] = !all;
        o->nets[o->net_count++] = net;
    }
    return 0;
}

static int take_kernels(const sup_measuring *m, const char *names[KERNELS], sup_campaign_options *o) {
    static char list[1024];
    char *rest = NULL;
    bool usual = !m->kernels, all = usual || !strcmp(m->kernels, "all"),
         none = m->kernels && !strcmp(m->kernels, "none");
    if (snprintf(list, sizeof list, "%s", m->kernels ? m->kernels : "") >= (int)sizeof list)
        return sup_cli_usage(m->verb, "--kernels: the list is too long");
    if (o->deep & SUP_MEASURE_KERNELS) usual = false;
    for (const sup_kernel *const *k = sup_kernels; all && *k && o->kernel_count < KERNELS; k++)
        if (!usual || sup_kernel_is_usual(*k)) names[o->kernel_count++] = (*k)->name;
    char *name = all || none ? NULL : strtok_r(list, ",", &rest);
    if (!all && !none && !name) return sup_cli_usage(m->verb, "--kernels: the list is empty");
    for (; name && o->kernel_count < KERNELS; name = strtok_r(NULL, ",", &rest)) {
        const sup_kernel *kernel = sup_kernel_find(name);
        if (!kernel) return sup_cli_usage(m->verb, "--kernels: there is no kernel \"%.64s\"", name);
        names[o->kernel_count++] = kernel->name;
    }
    o->kernels = names;
    o->plugins = m->plugins;
    o->plugin_count = (size_t)m->plugin_count;
    return 0;
}

static void take_setups(const sup_measuring *m, const char *names[SETUPS], sup_campaign_options *o) {
    static const char *const known[] = {"ring", "ping", "broadcast"};
    for (size_t i = 0; m->setups && i < sizeof known / sizeof *known; i++)
        if (sup_option_has(m->setups, known[i])) names[o->setup_count++] = known[i];
    o->setups = names;
}

static void take_deep(const sup_measuring *m, sup_campaign_options *o) {
    if (m->deep && sup_option_has(m->deep, "all")) o->deep = SUP_MEASURE_ALL;
    for (const sup_budget_row *r = sup_budget_rows; m->deep && r->name; r++)
        if (sup_option_has(m->deep, r->name)) o->deep |= r->bit;
}

/* ---- measuring ---- */

/* What is left of the time for the campaign, if something is to come after it. */
static double budget_of(sup_measuring *m, const sup_campaign_options *o) {
    double whole = m->budget_s;
    bool spares = isnan(m->spare_s);
    if (!spares) return whole;
    if (!(whole > 0.0)) whole = sup_campaign_usual_s(m->processes ? m->processes : 2, o->net_count, true);
    m->spare_s = SPARE_SHARE * whole >= SPARE_LEAST_S ? SPARE_SHARE * whole : 0.0;
    return m->budget_s > 0.0 ? whole - m->spare_s : 0.0;
}

int sup_measuring_run(sup_measuring *m) {
    static const char *kernels[KERNELS], *setups[SETUPS];
    sup_campaign_options o = {.file = m->file,
                              .beside = m->out,
                              .resume = m->resume,
                              .force = m->force,
                              .until = m->until,
                              .processes = m->processes,
                              .place = m->place,
                              .hosts_file = m->hosts_file,
                              .rsh = m->rsh,
                              .exhaustive = m->exhaustive,
                              .cold = m->cold,
                              .rdma = m->rdma,
                              .others = m->others,
                              .progress = sup_bar_progress};
    sup_diag diag = {0};
    int code = take_nets(m, &o);
    take_deep(m, &o);
    if (!code) code = take_kernels(m, kernels, &o);
    if (code) return code;
    take_setups(m, setups, &o);
    o.budget_s = budget_of(m, &o);
    sup_status status = sup_campaign_open(&o, &diag, &m->campaign);
    if (status == SUP_EINVAL) return sup_cli_usage(m->verb, "%s", diag.text);
    if (status) return sup_cli_fail_diag(m->verb, &diag);
    m->profile = sup_campaign_profile(m->campaign);
    sup_bar_open(m->quiet); /* from here on an interrupt finds something to sweep away */
    status = sup_campaign_run(m->campaign, &diag);
    m->interrupted = sup_campaign_interrupted(m->campaign) || sup_bar_interrupts() > 0;
    sup_bar_close();
    bool more = m->spare_s > 0.0 && !m->interrupted;
    if (!status && !more) status = sup_campaign_save(m->campaign, true, &diag);
    return status ? sup_cli_fail_diag(m->verb, &diag) : 0;
}

int sup_measuring_end(sup_measuring *m, int code) {
    bool interrupted = !code && m->interrupted;
    sup_bar_close();
    if (m->campaign)
        sup_campaign_close(m->campaign);
    else
        sup_profile_free(m->profile);
    if (interrupted) {
        const struct rlimit none = {0};
        int number = sup_bar_signal();
        fflush(NULL);
        setrlimit(RLIMIT_CORE, &none); /* SIGQUIT is a wish here, no crash */
        signal(number, SIG_DFL);
        raise(number);
    }
    return code;
}

/* ---- one process of a launch ---- */

#define VERB "measure"

static int run_child(int argc, char **argv) {
    static char why[4200];
    sup_diag diag = {0};
    if (argc != 2 && argc != 3) return sup_cli_usage(NULL, "unknown verb \"%.64s\"", argv[0]);
    snprintf(why, sizeof why, "%s.why", argv[1]);
    if (access(argv[1], R_OK) == 0) sup_cli_also_in(why);
    sup_status status = sup_measure_child(argv[1], argv[2], &diag); /* argv ends with NULL */
    if (!status) return SUP_EXIT_OK;
    sup_cli_fail_diag(VERB, &diag);
    fflush(NULL);
    _exit(sup_cli_exit_code(status)); /* closing would wait for those who do not know yet */
}

const sup_verb sup_verb_measure_child = {.name = "__measure", .hidden = true, .run = run_child};
