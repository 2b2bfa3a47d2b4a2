/* Every call of net/net.h, with verification, on whatever transport the program is launched on.
 *
 *     mpirun -n 4 net_transport            superstep run -n 4 net_transport            net_transport --net self
 *
 * Options: --net NAME overrides the launcher; --part P: no launcher, part into P processes over shared memory; --seed N
 * and --rounds N for the random part; --huge adds a message and a transfer beyond 2 GiB (needs 5 GB of memory per
 * process). The first mistake names rank and line and ends the run. */
#include "transport_checks.h"

#include "net/launch/launch.h"
#include "net/launch/monitor.h"

#include <string.h>

static const struct {
    const char *name;
    void (*run)(env *e);
} parts[] = {
    {"identity", check_identity},
    {"arguments", check_arguments},
    {"sizes", check_sizes},
    {"order", check_order},
    {"outstanding", check_outstanding},
    {"anyone", check_anyone},
    {"self", check_self},
    {"truncation", check_truncation},
    {"cancel", check_cancel},
    {"crossed waits", check_crossed},
    {"allocated region", check_region_alloc},
    {"single copies", check_single_copy},
    {"regions and messages", check_region_pending},
    {"direct memory", check_direct},
    {"signals", check_signals},
    {"signal burst", check_signal_burst},
    {"published words", check_published},
    {"barriers", check_barriers},
    {"barriers of groups", check_groups},
    {"stress", check_stress},
};

static void run_parts(env *e) {
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (e->verbose && sup_net_rank(e->net) == 0) fprintf(stderr, "%s\n", parts[i].name);
        parts[i].run(e);
        barrier(e);
    }
    if (e->huge) check_huge(e);
}

static int usage(const char *what) {
    fprintf(stderr, "net_transport: %s\n", what);
    return 2;
}

static int complain(const sup_diag *diag) {
    char text[800];
    sup_diag_format(diag, text, sizeof text);
    return usage(text);
}

int main(int argc, char **argv) {
    sup_launch launch;
    sup_launch_read(&launch);
    env e = {.seed = 1, .rounds = 3};
    int processes = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--huge"))
            e.huge = true;
        else if (!strcmp(argv[i], "--verbose"))
            e.verbose = true;
        else if (!value)
            return usage("option without value, or unknown option");
        else if (!strcmp(argv[i], "--net"))
            snprintf(launch.net, sizeof launch.net, "%s", argv[++i]);
        else if (!strcmp(argv[i], "--part"))
            processes = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--seed"))
            e.seed = strtoull(argv[++i], NULL, 0);
        else if (!strcmp(argv[i], "--rounds"))
            e.rounds = atoi(argv[++i]);
        else
            return usage("unknown option");
    }
    sup_diag diag = {0};
    sup_monitor_options parts_of = {.size = processes, .oversubscribed = true, .name = "net_transport"};
    if (processes && sup_monitor_part(&parts_of, &diag, &launch)) return complain(&diag);
    if (sup_net_open(&launch, &diag, &e.net)) return complain(&diag);
    /* twice: what one pass leaves behind may not trouble the next */
    run_parts(&e);
    e.seed += 7919;
    run_parts(&e);
    int rank = sup_net_rank(e.net), size = sup_net_size(e.net);
    char name[32];
    snprintf(name, sizeof name, "%s", sup_net_name(e.net));
    sup_net_close(e.net);
    if (rank == 0) printf("net_transport: %s, %d processes: all parts hold\n", name, size);
    return 0;
}
