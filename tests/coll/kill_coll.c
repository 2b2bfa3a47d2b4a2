/* A process to be killed while it is in collective operations: says who it is, then makes one after the other, in
 * memory, by messages and over hosts, for ever. When a member is gone it must not hang: sup_coll_run gives SUP_EPEER at
 * once and from then on, or the launcher ends it.
 *
 *     kill_coll TAG        TAG makes the process easy to find; prints "ready RANK PID" */
#include "coll/coll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 40, SLOT = 8, LONGEST = 200000, LONGEST_MPI = 1000, MOST = 64 };

static const char *const choices[][2] = {{"broadcast", "pipeline/8K"}, {"broadcast", "hosts binomial"},
                                         {"allreduce", "ring"},        {"allreduce", "hosts doubling"},
                                         {"allgather", "bruck"},       {"alltoall", "linear"}};
enum { CHOICES = sizeof choices / sizeof choices[0] };

static unsigned char *in, *out;

static sup_status one(sup_coll *coll, int operation, const sup_choice *choice, int root, int64_t bytes) {
    sup_coll_call call = {.operation = operation,
                          .root = root,
                          .in = in,
                          .out = out,
                          .bytes = bytes,
                          .fold = sup_fold_find(SUP_TYPE_DOUBLE, SUP_SUM),
                          .choice = choice};
    return sup_coll_run(coll, &call);
}

static sup_status turn(sup_coll *coll, int size, unsigned round, int64_t longest) {
    int64_t bytes = round % 3 == 0 ? 8 : round % 3 == 1 ? longest / 20 / 8 * 8 : longest / 8 * 8;
    sup_status st = SUP_OK;
    for (int o = 0; o < SUP_OPERATIONS && !st; o++) st = one(coll, o, NULL, (int)round % size, bytes);
    for (int k = 0; k < CHOICES && !st; k++) {
        sup_choice choice;
        int operation = sup_operation_find(choices[k][0]);
        st = sup_choice_read(operation, choices[k][1], NULL, &choice);
        if (!st) st = one(coll, operation, &choice, (int)round % size, bytes);
    }
    return st;
}

int main(int argc, char **argv) {
    sup_launch launch;
    sup_diag diag = {0};
    sup_net *net;
    sup_coll *coll;
    if (argc < 2) return 2;
    sup_launch_read(&launch);
    if (sup_net_open(&launch, &diag, &net)) {
        fprintf(stderr, "%s: %s\n", argv[1], diag.text);
        return 3;
    }
    int size = sup_net_size(net), host_of[MOST];
    for (int i = 0; i < size; i++) host_of[i] = i % 2;
    sup_net_group group = sup_net_group_first(net, size);
    sup_coll_options options = {.tag = TAG, .slot = SLOT, .host_of = size > 3 ? host_of : NULL};
    in = calloc((size_t)size, LONGEST);
    out = calloc((size_t)size, LONGEST);
    if (!in || !out) return 3;
    /* UCX below MPICH ends the process itself when it reads a long message from one that is gone. */
    int64_t longest = !strcmp(sup_net_name(net), "shm") ? LONGEST : LONGEST_MPI;
    sup_status st = sup_coll_open(&group, &options, &diag, &coll);
    for (unsigned round = 0; !st; round++) {
        st = turn(coll, size, round, longest);
        if (st || round) continue;
        printf("ready %d %d\n", sup_net_rank(net), (int)getpid());
        fflush(stdout);
    }
    if (st != SUP_EPEER) fprintf(stderr, "not SUP_EPEER: %s\n", sup_status_text(st));
    if (st == SUP_EPEER && one(coll, SUP_BARRIER, NULL, 0, 0) != SUP_EPEER) fprintf(stderr, "not SUP_EPEER again\n");
    /* the launcher ends us; should it not, the test sees us here */
    sleep(60);
    return 4;
}
