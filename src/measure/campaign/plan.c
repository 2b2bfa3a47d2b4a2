/* Before a campaign measures anything: hosts, placement, how long it may take, and what there is to launch
 * (campaign.h). Stage "measure", all terms. */
#include "measure/campaign/work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *sup_campaign_net(size_t index) {
    static const char *const nets[SUP_CAMPAIGN_NETS] = {"shm", "openmpi", "mpich"};
    return index < SUP_CAMPAIGN_NETS ? nets[index] : NULL;
}

double sup_campaign_usual_s(int processes, int transports, bool rates) {
    double parts = (rates ? 1 : 0) + transports;
    return sup_budget_part_s(processes) * fmax(parts, 1.0);
}

static bool has_rates(const sup_campaign *c) { return c->options.kernel_count || c->options.plugin_count; }

/* ---- who is where ---- */

/* What processes hand over is in a folder of this machine. */
static sup_status read_hosts(sup_campaign *c, sup_diag *diag) {
    const char *file = c->options.hosts_file;
    int kept = 0;
    if (!file) return c->options.rsh ? sup_diag_set(diag, SUP_EINVAL, NULL, 0, "--rsh is for --hosts") : SUP_OK;
    sup_status status = sup_hosts_load(file, diag, &c->hosts);
    if (status) return status;
    for (int i = 0; i < c->hosts.count; i++) c->remote |= !sup_host_is_here(c->hosts.at[i].name);
    if (!sup_host_is_here(c->hosts.at[0].name))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                            "--hosts: %s is not this machine, but the first host must be: it writes the profile",
                            c->hosts.at[0].name);
    for (int i = 0; i < c->net_count; i++) {
        bool stays = c->remote && !strcmp(c->nets[i], "shm");
        if (stays && c->asked[i])
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "--net shm stays on this machine, but --hosts names others");
        c->asked[kept] = c->asked[i];
        c->nets[kept] = c->nets[i];
        kept += !stays;
    }
    c->net_count = kept;
    return SUP_OK;
}

static sup_status place(sup_campaign *c, sup_diag *diag) {
    sup_status status = sup_topology_load(0, diag, &c->topology);
    if (status) return status;
    if (!c->topology->this_system)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                            "hwloc describes another machine (HWLOC_XMLFILE or HWLOC_SYNTHETIC is set); only this one "
                            "can be measured");
    if ((status = sup_usable_read(c->topology, diag, &c->usable))) return status;
    for (int i = 0, asked = c->processes; i < c->hosts.count && !asked && c->processes <= SUP_CAMPAIGN_PROCESSES; i++)
        c->processes += c->hosts.at[i].slots;
    if (!c->processes) c->processes = c->usable.process_count;
    if (c->processes > SUP_CAMPAIGN_PROCESSES)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                            "--hosts: at most %d processes can be measured; -n says how many", SUP_CAMPAIGN_PROCESSES);
    sup_diag why = {0};
    if (sup_policy_parse(c->options.place ? c->options.place : "compact", &why, &c->policy))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "--place: %s", why.text);
    const sup_hosts *hosts = c->hosts.count ? &c->hosts : NULL;
    return sup_placement_make(c->topology, &c->usable, hosts, &c->policy, c->processes, diag, &c->placement);
}

/* ---- how long ---- */

static int transports(const sup_campaign *c) { return c->processes > 1 ? c->net_count : 0; }

static int transports_there(const sup_campaign *c) {
    int count = 0;
    for (int i = 0; i < c->subject_count; i++) count += c->subjects[i].kind == &sup_target_net && !c->subjects[i].gone;
    return count;
}

void sup_campaign_budget_of(sup_campaign *c) {
    int count = c->subject_count ? transports_there(c) : transports(c);
    if (!c->usual) return;
    c->budget_s = sup_campaign_usual_s(c->processes, count, has_rates(c));
    if (c->options.until > 0.0) c->budget_s *= SUP_CAMPAIGN_UNTIL_MOST;
}

static sup_status check_budget(const sup_campaign *c, sup_diag *diag) {
    int nets = transports(c);
    double least = SUP_CAMPAIGN_LEAST_S * ((has_rates(c) ? 1 : 0) + nets);
    if (c->budget_s >= least) return SUP_OK;
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                        "--budget %g s is too short to measure anything: at least %g s are needed, one second for each "
                        "of %s%d transport%s",
                        c->budget_s, least, has_rates(c) ? "computation and " : "", nets, nets == 1 ? "" : "s");
}

sup_status sup_campaign_plan(sup_campaign *c, sup_diag *diag) {
    sup_status status = read_hosts(c, diag);
    if (!status && !has_rates(c) && !c->net_count)
        status = sup_diag_set(diag, SUP_EINVAL, NULL, 0, "nothing to measure: neither kernels nor transports");
    if (!status) status = place(c, diag);
    if (status) return status;
    c->usual = !(c->options.budget_s > 0.0);
    c->budget_s = c->options.budget_s;
    sup_campaign_budget_of(c);
    return check_budget(c, diag);
}

/* ---- what there is to launch ---- */

static bool add(sup_campaign *c, const sup_target_kind *kind, const char *transport, bool asked) {
    sup_subject *s = &c->subjects[c->subject_count++];
    *s = (sup_subject){.kind = kind, .transport = transport, .asked = asked, .wide = 1.0};
    return !sup_store_new(0, &s->store);
}

sup_status sup_campaign_subjects(sup_campaign *c, sup_diag *diag) {
    bool good = !has_rates(c) || add(c, &sup_target_rates, NULL, true);
    for (int i = 0; i < transports(c) && good; i++) good = add(c, &sup_target_net, c->nets[i], c->asked[i]);
    return good ? SUP_OK : sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
}
