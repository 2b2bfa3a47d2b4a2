/* Every collective operation by every algorithm that can do it, on whatever transport the program is launched on: any
 * root, sizes around limits, blocks of different lengths, in place, folds that do not commute; groups that are a part
 * of the processes in another order; hosts as they are, and as if members were on several, side by side and in turn.
 *
 *     mpirun -n 4 coll_transport          coll_transport --part P          coll_transport --net self
 *
 * --brief yes: hosts only as they are, and no long vectors.
 * The first mistake names rank, operation and algorithm and ends the run. */
#include "cases.h"

#include "net/launch/launch.h"
#include "net/launch/monitor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 40, SLOT = 8, MOST = 64 };

static const int64_t sizes[] = {0, 1, 7, 4097, 300000};
enum { SIZES = sizeof sizes / sizeof sizes[0], SMALL_SIZES = SIZES - 1 };

static unsigned next_id;

/* ---- cases of one choice ---- */

static void all_sizes(members *m, a_case c, int count) {
    int last_root = operation_has_root(c.operation) ? m->count - 1 : 0;
    for (int s = 0; s < count; s++) {
        c.bytes = sizes[s];
        c.id = next_id++;
        c.root = sizes[s] == 7 ? last_root : sizes[s] == 1 ? last_root / 2 : 0;
        (void)case_holds(m, &c);
    }
}

static void all_forms(members *m, int operation, const sup_choice *choice, bool large) {
    a_case c = {.operation = operation, .choice = choice};
    all_sizes(m, c, large ? SIZES : SMALL_SIZES);
    c.in_place = true;
    if (operation != SUP_ALLTOALL && operation != SUP_REDUCE_SCATTER) all_sizes(m, c, SMALL_SIZES);
    c.in_place = false;
    if (operation_folds(operation)) {
        c.fold = FOLD_MAPS;
        all_sizes(m, c, SMALL_SIZES);
        c.in_place = operation != SUP_REDUCE_SCATTER;
        all_sizes(m, c, SMALL_SIZES);
        c.in_place = false;
        c.fold = FOLD_DOUBLES;
        all_sizes(m, c, SMALL_SIZES);
        c.bytes = 8000;
        case_repeats(m, &c);
        c.fold = FOLD_BYTES;
    }
    c.differ = true;
    if (operation_has_blocks(operation)) all_sizes(m, c, SMALL_SIZES);
}

/* An algorithm as it is, cut into segments, with another radix, over hosts. */
static void all_choices(members *m, const sup_algorithm *a, bool hosts_only, bool large) {
    sup_choice choice = {.algorithm = a};
    if (!hosts_only) {
        all_forms(m, a->operation, &choice, large);
        if (a->traits & SUP_ALGORITHM_SEGMENTS) {
            choice.segment_bytes = 1000;
            all_forms(m, a->operation, &choice, false);
        }
        if (a->radix) {
            choice.radix = 3;
            all_forms(m, a->operation, &choice, false);
        }
    }
    choice = (sup_choice){.algorithm = a, .hosts = true};
    if (!(a->traits & SUP_ALGORITHM_SHARED)) all_forms(m, a->operation, &choice, false);
}

/* ---- groups ---- */

static void check_group(sup_net *net, const sup_net_group *group, const char *name, const int *host_of, bool no_memory,
                        bool large) {
    members m = {.net = net, .name = name, .count = group->size, .self = group->self};
    sup_coll_options options = {.tag = TAG, .slot = SLOT, .host_of = host_of, .no_memory = no_memory};
    sup_diag diag = {0};
    sup_status st = sup_coll_open(group, &options, &diag, &m.coll);
    if (st) {
        fprintf(stderr, "coll_transport: %s: %s %s\n", name, sup_status_text(st), diag.text);
        sup_net_abort(net, 1);
    }
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++) all_choices(&m, *a, host_of != NULL, large);
    for (int o = 0; o < SUP_OPERATIONS; o++) all_forms(&m, o, NULL, large);
    if (m.done == 0 || (group->size > 1 && m.refused == 0)) {
        fprintf(stderr, "coll_transport: %s: %ld done, %ld refused\n", name, m.done, m.refused);
        sup_net_abort(net, 1);
    }
    if (getenv("COLL_VERBOSE") && group->self == 0)
        fprintf(stderr, "%s, %d members: %ld done, %ld refused\n", name, group->size, m.done, m.refused);
    sup_coll_close(m.coll);
}

/* Odd ranks from the last to the first; at the same time, even ranks as they come. */
static sup_net_group half_of(sup_net *net) {
    int ranks[MOST], n = 0, size = sup_net_size(net), odd = sup_net_rank(net) % 2;
    for (int r = odd; r < size; r += 2) ranks[n++] = r;
    for (int i = 0; odd && i < n / 2; i++) {
        int other = ranks[i];
        ranks[i] = ranks[n - 1 - i];
        ranks[n - 1 - i] = other;
    }
    sup_net_group group;
    if (sup_net_group_of(net, ranks, n, &group)) sup_net_abort(net, 1);
    return group;
}

static void check_all(sup_net *net, bool brief) {
    int size = sup_net_size(net), host_of[MOST];
    sup_net_group all = sup_net_group_first(net, size), half = half_of(net);
    check_group(net, &all, "all", NULL, false, !brief);
    if (brief) size = 0;
    if (!brief) check_group(net, &half, "half", NULL, true, false);
    for (int i = 0; i < size; i++) host_of[i] = i % 2;
    if (size > 2) check_group(net, &all, "two hosts in turn", host_of, false, false);
    for (int i = 0; i < size; i++) host_of[i] = i < (size + 2) / 3 ? 0 : i < size - 1 ? 1 : 2;
    if (size > 2) check_group(net, &all, "three hosts", host_of, false, false);
    for (int i = 0; i < size; i++) host_of[i] = i * 2 / size;
    if (size > 3) check_group(net, &all, "two hosts without memory", host_of, true, false);
    sup_net_group_free(&half);
}

static int usage(const char *what) {
    fprintf(stderr, "coll_transport: %s\n", what);
    return 2;
}

int main(int argc, char **argv) {
    sup_launch launch;
    sup_launch_read(&launch);
    int processes = 0;
    bool brief = false;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--net"))
            snprintf(launch.net, sizeof launch.net, "%s", argv[i + 1]);
        else if (!strcmp(argv[i], "--part"))
            processes = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--brief"))
            brief = !strcmp(argv[i + 1], "yes");
        else
            return usage("unknown option");
    }
    sup_diag diag = {0};
    sup_net *net;
    sup_monitor_options parts = {.size = processes, .oversubscribed = true, .name = "coll_transport"};
    if (processes && sup_monitor_part(&parts, &diag, &launch)) return usage(diag.text);
    if (sup_net_open(&launch, &diag, &net)) return usage(diag.text);
    check_all(net, brief);
    int rank = sup_net_rank(net), size = sup_net_size(net);
    char name[32];
    snprintf(name, sizeof name, "%s", sup_net_name(net));
    sup_net_close(net);
    if (rank == 0) printf("coll_transport: %s, %d processes: all operations hold\n", name, size);
    return 0;
}
