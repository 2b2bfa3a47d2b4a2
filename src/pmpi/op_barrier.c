/* MPI_Barrier: Tsync. The plan's barrier for these processes on these hosts, or the usual one, run by the interpreter.
 */
#include "pmpi/pmpi.h"

#include <stdio.h>

/* What a pattern is called in the report. */
static void name(const sup_pattern *p, int hosts, char *text, size_t size) {
    char word[SUP_PATTERN_WORD];
    sup_pattern_kind kind = {.generator = p->generator, .radix = p->radix};
    if (p->generator)
        snprintf(text, size, "%s", sup_pattern_kind_word(kind, word));
    else
        snprintf(text, size, "%d stages%s", p->stages, hosts > 1 ? " over hosts" : "");
}

sup_status sup_pmpi_barrier_open(sup_pmpi_comm *c) {
    sup_pmpi_use *u = &c->use[SUP_PMPI_BARRIER];
    sup_net_group everybody = sup_net_group_first(c->net, c->size);
    sup_net_hosts hosts;
    sup_pattern pattern = {0};
    sup_status st = sup_net_group_hosts(&everybody, &hosts);
    if (st) return st;
    sup_plan_set set = {.processes = c->size,
                        .transport = SUP_PMPI_NET,
                        .host_of = hosts.count > 1 ? hosts.host_of : NULL};
    c->planned = sup_plan_has_barrier(sup_pmpi_plan, &set);
    st = sup_plan_find_barrier(sup_pmpi_plan, &set, &pattern);
    sup_net_hosts_free(&hosts);
    if (st) return st;
    st = sup_barrier_new(&everybody, &pattern, SUP_PMPI_SLOT_BARRIER, &c->barrier);
    if (!st) name(&pattern, c->hosts, u->text, sizeof u->text);
    if (st) c->barrier = NULL;
    sup_pattern_free(&pattern);
    return st;
}
