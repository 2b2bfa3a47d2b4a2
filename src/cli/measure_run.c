/* A measurement from beginning to end: what can be wrong is found first, then computation is measured in this process
 * and its workers (Tcomp), then communication over one transport after the other (Tcomm, Tsync). After each stage the
 * profile is in its file, marked as not complete until the last one is done. */
#include "base/list.h"
#include "cli/measure.h"
#include "cli/run.h"
#include "kernels/kernels.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define COMP_SHARE 0.4 /* of the time, if both are measured */
#define NETS_END 0.9   /* of the progress bar, if rates are measured again after them */

/* ---- before ---- */

static int add_kernel(sup_measuring *m, const sup_kernel *kernel, const char *source) {
    if (!sup_list_room(&m->kernel, m->kernel_count, sizeof *m->kernel))
        return sup_cli_fail(m->verb, SUP_EXIT_SYSTEM, "out of memory");
    m->kernel[m->kernel_count++] = (sup_comp_kernel){kernel, source};
    return 0;
}

static int find_kernels(sup_measuring *m) {
    char list[1024], *rest = NULL;
    int code = 0;
    bool all = !m->kernels || !strcmp(m->kernels, "all"), none = m->kernels && !strcmp(m->kernels, "none");
    if (snprintf(list, sizeof list, "%s", m->kernels ? m->kernels : "") >= (int)sizeof list)
        return sup_cli_usage(m->verb, "--kernels: the list is too long");
    for (const sup_kernel *const *k = sup_kernels; all && *k && !code; k++) code = add_kernel(m, *k, NULL);
    char *name = all || none ? NULL : strtok_r(list, ",", &rest);
    if (!all && !none && !name) return sup_cli_usage(m->verb, "--kernels: the list is empty");
    for (; name && !code; name = strtok_r(NULL, ",", &rest)) {
        const sup_kernel *kernel = sup_kernel_find(name);
        if (!kernel) return sup_cli_usage(m->verb, "--kernels: there is no kernel \"%.64s\"", name);
        code = add_kernel(m, kernel, NULL);
    }
    m->comp = m->kernel_count > 0 || m->plugin_count > 0;
    return code;
}

/* Kernels of the user: each is tried in a process of its own before anything is measured. */
static int load_plugins(sup_measuring *m) {
    int code = 0;
    for (int i = 0; i < m->plugin_count && !code; i++) {
        sup_diag diag;
        sup_status status = sup_user_kernel_load(m->plugins[i], NULL, &diag, &m->plugin[i]);
        if (status == SUP_EINVAL || status == SUP_ETIMEOUT) { /* the command line is right, what it names is not */
            sup_cli_fail_diag(m->verb, &diag);
            return SUP_EXIT_FILE;
        }
        if (status) return sup_cli_fail_diag(m->verb, &diag);
        m->plugin_loaded = i + 1;
        code = add_kernel(m, m->plugin[i].kernel, m->plugin[i].path);
    }
    return code;
}

/* The hosts of --hosts, and which transports reach them. What processes hand over is in a folder of this machine. */
static int read_hosts(sup_measuring *m) {
    sup_diag diag;
    int kept = 0;
    if (!m->hosts_file) return m->rsh ? sup_cli_usage(m->verb, "--rsh is for --hosts") : 0;
    if (sup_hosts_load(m->hosts_file, &diag, &m->hosts)) return sup_cli_fail_diag(m->verb, &diag);
    for (int i = 0; i < m->hosts.count; i++) m->remote |= !sup_run_is_here(m->hosts.at[i].name);
    if (!sup_run_is_here(m->hosts.at[0].name))
        return sup_cli_usage(m->verb,
                             "--hosts: %s is not this machine, but the first host must be: it writes the profile",
                             m->hosts.at[0].name);
    for (int i = 0; i < m->net_count; i++) {
        bool stays = m->remote && m->net[i] && !strcmp(m->net[i], "shm");
        if (stays && m->net_asked[i])
            return sup_cli_usage(m->verb, "--net shm stays on this machine, but --hosts names others");
        m->net_asked[kept] = m->net_asked[i];
        m->net[kept] = m->net[i];
        kept += !stays;
    }
    m->net_count = kept;
    return 0;
}

static int place(sup_measuring *m) {
    sup_diag diag;
    if (sup_topology_load(0, &diag, &m->topology)) return sup_cli_fail_diag(m->verb, &diag);
    if (!m->topology->this_system)
        return sup_cli_fail(m->verb, SUP_EXIT_USAGE,
                            "hwloc describes another machine (HWLOC_XMLFILE or HWLOC_SYNTHETIC is set); "
                            "only this one can be measured");
    if (sup_usable_read(m->topology, &diag, &m->usable)) return sup_cli_fail_diag(m->verb, &diag);
    for (int i = 0, asked = m->processes; i < m->hosts.count && !asked && m->processes <= SUP_MEASURE_PROCESSES; i++)
        m->processes += m->hosts.at[i].slots;
    if (!m->processes) m->processes = m->usable.process_count;
    if (m->processes > SUP_MEASURE_PROCESSES)
        return sup_cli_usage(m->verb, "--hosts: at most %d processes can be measured; -n says how many",
                             SUP_MEASURE_PROCESSES);
    if (sup_policy_parse(m->place ? m->place : "compact", &diag, &m->policy))
        return sup_cli_usage(m->verb, "--place: %s", diag.text);
    const sup_hosts *hosts = m->hosts.count ? &m->hosts : NULL;
    if (sup_placement_make(m->topology, &m->usable, hosts, &m->policy, m->processes, &diag, &m->placement))
        return sup_cli_fail_diag(m->verb, &diag);
    return 0;
}

/* What a budget must have room for. */
static int check_budget(const sup_measuring *m) {
    double least = SUP_MEASURE_LEAST_S * ((m->comp ? 1 : 0) + (m->processes > 1 ? m->net_count : 0));
    if (m->budget_s >= least) return 0;
    return sup_cli_usage(m->verb,
                         "--budget %g s is too short to measure anything: at least %g s are needed, one second for "
                         "each of %s%d transport%s",
                         m->budget_s, least, m->comp ? "computation and " : "", m->processes > 1 ? m->net_count : 0,
                         m->net_count == 1 ? "" : "s");
}

static int open_session(sup_measuring *m) {
    sup_session_options options = sup_session_defaults();
    sup_diag diag;
    options.budget_s = m->budget_s;
    options.progress = sup_bar_progress;
    if (sup_session_open(&options, &diag, &m->session)) return sup_cli_fail_diag(m->verb, &diag);
    return 0;
}

/* ---- stages ---- */

/* Part [from, to] of the bar. *enough: everything is as certain as wanted. */
static int measure_comp(sup_measuring *m, double from, double to, double seconds, bool again, bool *enough) {
    sup_diag diag = {0};
    sup_comp_summary summary = {0};
    sup_measure_comp_options options = {.topology = m->topology,
                                        .usable = &m->usable,
                                        .kernels = m->kernel,
                                        .kernel_count = m->kernel_count,
                                        .no_check = again,
                                        .summary = &summary};
    sup_session_stage(m->session, from, to, seconds);
    sup_status status = sup_measure_comp(m->session, &options, m->profile, &diag);
    if (status == SUP_ETIMEOUT)
        return sup_cli_fail(m->verb, SUP_EXIT_USAGE, "--budget %g s is too short to measure a kernel: %s", m->budget_s,
                            diag.text);
    if (status && status != SUP_EINTR) return sup_cli_fail_diag(m->verb, &diag);
    *enough = !summary.out_of_time && !status;
    return 0;
}

/* After a stage: what is known so far, in the file, marked as not complete. The session says more at the end. */
static int keep(sup_measuring *m) {
    sup_quality *before = m->profile->quality, *now = sup_record_make(&sup_quality_record);
    if (!now) return sup_cli_fail(m->verb, SUP_EXIT_SYSTEM, "out of memory");
    now->rejection_rate = sup_session_rejection_rate(m->session);
    now->spent_s = sup_session_spent(m->session) + (before && before->spent_s > 0.0 ? before->spent_s : 0.0);
    now->complete = false;
    m->profile->quality = now;
    int code = sup_measuring_save(m);
    m->profile->quality = before;
    sup_record_clear(&sup_quality_record, now);
    free(now);
    return code;
}

static int measure_nets(sup_measuring *m, double from, double to) {
    int count = m->processes > 1 ? m->net_count : 0, left = count, code = 0;
    for (int i = 0; i < count && !code && !sup_session_stopped(m->session); i++, left--) {
        double step = (to - from) / count, seconds = m->budget_s - sup_session_spent(m->session);
        if (m->net_done[i]) continue;
        seconds = fmax(seconds / left, SUP_MEASURE_LEAST_S / 2.0);
        code = sup_measuring_net(m, i, from + step * i, from + step * (i + 1), seconds);
        if (!code) code = keep(m);
    }
    return code;
}

static void warn_of_placement(sup_measuring *m) {
    if (m->processes == 1) sup_session_warn(m->session, SUP_WARNING_ONE_PROCESS, NULL);
    if (m->remote && m->comp) sup_session_warn(m->session, SUP_WARNING_RATES_OF_ONE_HOST, NULL);
    if (m->processes > 1 && m->placement.oversubscribed)
        sup_session_warn(m->session, SUP_WARNING_PROCESSES_TAKE_TURNS,
                         &(sup_about){.number = {m->processes, m->usable.core_count}});
}

static int measure_all(sup_measuring *m) {
    bool nets = m->processes > 1 && m->net_count;
    double share = !m->comp ? 0.0 : nets ? COMP_SHARE : 1.0;
    int code = 0;
    m->complete = true;
    warn_of_placement(m);
    bool enough = true;
    if (m->comp) code = measure_comp(m, 0.0, share, share < 1.0 ? share * m->budget_s : INFINITY, false, &enough);
    if (!code && m->comp) code = keep(m);
    double end = enough ? 1.0 : NETS_END;
    if (!code) code = measure_nets(m, share, end);
    /* transports that were certain early leave their time to the rates that were not */
    bool more = nets && !enough && !sup_session_stopped(m->session);
    if (!code && more && m->budget_s - sup_session_spent(m->session) >= SUP_MEASURE_LEAST_S)
        code = measure_comp(m, end, 1.0, INFINITY, true, &enough);
    if (code) return code;
    m->complete = m->complete && enough;
    m->interrupted = sup_session_stopped(m->session) || sup_bar_interrupts() > 0;
    m->complete = m->complete && !m->interrupted;
    sup_diag diag;
    if (sup_session_quality(m->session, m->complete, m->profile, &diag)) return sup_cli_fail_diag(m->verb, &diag);
    return sup_measuring_save(m);
}

int sup_measuring_run(sup_measuring *m) {
    int code;
    if (!m->budget_s) m->budget_s = SUP_MEASURE_BUDGET_S;
    if ((code = sup_measuring_nets(m)) || (code = read_hosts(m)) || (code = find_kernels(m))) return code;
    if (!m->comp && !m->net_count) return sup_cli_usage(m->verb, "nothing to measure: neither kernels nor transports");
    if ((code = sup_measuring_check(m)) || (code = place(m)) || (code = check_budget(m))) return code;
    if ((code = sup_measuring_begin(m)) || (code = load_plugins(m))) return code;
    sup_bar_open(m->quiet); /* from here on an interrupt finds something to sweep away */
    if (!(code = sup_measuring_folder(m)) && !(code = open_session(m))) code = measure_all(m);
    sup_bar_close();
    sup_measuring_sweep(m);
    return code;
}

void sup_measuring_free(sup_measuring *m) {
    sup_bar_close();
    sup_measuring_sweep(m);
    sup_session_close(m->session);
    sup_trace_free(m->compared);
    sup_profile_free(m->profile);
    free(m->kernel);
    for (int i = 0; i < m->plugin_loaded; i++) sup_user_kernel_unload(&m->plugin[i]);
    sup_placement_free(&m->placement);
    sup_policy_free(&m->policy);
    sup_hosts_free(&m->hosts);
    sup_usable_free(&m->usable);
    sup_topology_free(m->topology);
}

int sup_measuring_end(sup_measuring *m, int code) {
    bool interrupted = !code && m->interrupted;
    sup_measuring_free(m);
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
