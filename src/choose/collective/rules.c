/* Rules for Open MPI's own collectives (rules.h). The format, of Open MPI 4.1, is numbers with comments behind "#":
 *
 *     how many collectives; for each its number and how many sizes of communicators; for each of those the size from
 *     which on it holds, and how many message sizes; for each of those the bytes from which on it holds, the algorithm,
 *     the fan-in or fan-out, the segment's bytes (0: none)
 *
 * Algorithm 0 stands for Open MPI's own decision. The first message size must be 0. Bytes are those of the whole
 * operation, as in plans. */
#include "choose/collective/rules.h"

#include "choose/collective/collective.h"
#include "choose/collective/sets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- its numbers ---- */

/* Its reductions do not ask whether the operation commutes where a rule names the algorithm: only those are named that
 * keep the order, or that fall back by themselves (tried with Open MPI 4.1). Number 0: known, but not named. */
typedef struct known {
    int operation;
    const char *algorithm;
    int number, fan;
} known;

static const known numbers[] = {
    {SUP_ALLGATHER, "bruck", 2, 0},        {SUP_ALLGATHER, "doubling", 3, 0},
    {SUP_ALLGATHER, "ring", 4, 0},         {SUP_ALLGATHER, "neighbour", 5, 0},
    {SUP_ALLREDUCE, "doubling", 3, 0},     {SUP_ALLREDUCE, "ring", 0, 0},
    {SUP_ALLREDUCE, "rabenseifner", 6, 0}, {SUP_ALLTOALL, "linear", 1, 0},
    {SUP_ALLTOALL, "pairwise", 2, 0},      {SUP_ALLTOALL, "bruck", 3, 0},
    {SUP_BROADCAST, "linear", 1, 0},       {SUP_BROADCAST, "chain", 2, 1},
    {SUP_BROADCAST, "pipeline", 3, 0},     {SUP_BROADCAST, "binary", 5, 0},
    {SUP_BROADCAST, "binomial", 6, 0},     {SUP_BROADCAST, "scatter-doubling", 8, 0},
    {SUP_BROADCAST, "scatter-ring", 9, 0}, {SUP_GATHER, "linear", 1, 0},
    {SUP_GATHER, "binomial", 2, 0},        {SUP_REDUCE, "linear", 1, 0},
    {SUP_REDUCE, "binomial", 0, 0},        {SUP_REDUCE, "scatter-gather", 7, 0},
    {SUP_SCATTER, "linear", 1, 0},         {SUP_SCATTER, "binomial", 2, 0},
};

/* In the order of its numbers. Its scans do not look into the file; of its ways to reduce and scatter none that we know
 * keeps the order. */
static const struct {
    int operation, number;
    const char *name;
} collectives[] = {
    {SUP_ALLGATHER, 0, "MPI_Allgather"}, {SUP_ALLREDUCE, 2, "MPI_Allreduce"}, {SUP_ALLTOALL, 3, "MPI_Alltoall"},
    {SUP_BROADCAST, 7, "MPI_Bcast"},     {SUP_GATHER, 9, "MPI_Gather"},       {SUP_REDUCE, 11, "MPI_Reduce"},
    {SUP_SCATTER, 15, "MPI_Scatter"},
};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

static const known *number_of(int operation, const sup_choice *choice) {
    if (!choice->algorithm || choice->hosts) return NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].operation == operation && !strcmp(numbers[i].algorithm, choice->algorithm->name))
            return &numbers[i];
    return NULL;
}

static bool allowed(int operation, const sup_choice *choice) {
    return number_of(operation, choice) && (!choice->radix || choice->radix == choice->algorithm->radix);
}

/* ---- text ---- */

static void put_rule(FILE *out, int operation, int64_t from, const sup_coll_candidate *c) {
    const known *k = c ? number_of(operation, &c->choice) : NULL;
    bool named = k && k->number;
    fprintf(out, "%" PRId64 " %d %d %" PRId64 " # %s%s%s\n", from, named ? k->number : 0, named ? k->fan : 0,
            named ? c->choice.segment_bytes : 0, named ? c->text : "its own decision",
            c && !named ? "; best if the operation commutes: " : "", c && !named ? c->text : "");
}

static void put_grid(FILE *out, const sup_coll_grid *g) {
    size_t count = 0;
    sup_coll_range r;
    while (sup_coll_grid_range(g, count, &r)) count++;
    fprintf(out, "%" PRId64 " # processes\n%zu # message sizes\n", g->set.processes, count);
    for (size_t k = 0; k < count && sup_coll_grid_range(g, k, &r); k++)
        put_rule(out, g->set.operation, r.from, r.candidate < 0 ? NULL : &g->at[r.candidate]);
}

/* More processes than were looked at: its own decision. */
static sup_status put_collective(FILE *out, const sup_coll_source *source, const sup_coll_sets *sets, int row,
                                 sup_diag *diag) {
    int64_t more = sets->processes[sets->count - 1] + 1;
    fprintf(out, "%d # %s\n%d # sizes of communicators\n", collectives[row].number, collectives[row].name,
            sets->count + 1);
    for (int k = 0; k < sets->count; k++) {
        sup_coll_set set = sup_coll_set_of(sets, k, collectives[row].operation);
        sup_coll_grid g;
        sup_status st = sup_coll_grid_open(source, &set, diag, &g);
        if (st) return st;
        st = sup_coll_grid_best(&g);
        if (!st) put_grid(out, &g);
        sup_coll_grid_free(&g);
        if (st) return st;
    }
    fprintf(out, "%" PRId64 " # processes\n1 # message sizes\n", more);
    put_rule(out, collectives[row].operation, 0, NULL);
    return SUP_OK;
}

static sup_status put_all(FILE *out, const sup_coll_source *source, const sup_platform *platform, sup_diag *diag) {
    sup_coll_sets sets;
    sup_status st = sup_coll_sets_open(platform, &sets);
    if (st) return st;
    fprintf(out,
            "# Which algorithms Open MPI should take for collective operations of up to %" PRId64 " processes here.\n"
            "# mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE\n"
            "%d # collectives\n",
            platform->processes, COLLECTIVES);
    for (int row = 0; row < COLLECTIVES && !st; row++) st = put_collective(out, source, &sets, row, diag);
    sup_coll_sets_free(&sets);
    return st;
}

static sup_status write_text(const sup_coll_source *source, const sup_platform *platform, sup_diag *diag, char **out) {
    size_t length = 0;
    FILE *file = open_memstream(out, &length);
    if (!file) return SUP_ENOMEM;
    sup_status st = put_all(file, source, platform, diag);
    bool short_of = ferror(file);
    if ((fclose(file) || short_of) && !st) st = SUP_ENOMEM;
    if (st) {
        free(*out);
        *out = NULL;
    }
    return st;
}

sup_status sup_rules_text(const sup_profile *profile, int64_t processes, sup_diag *diag, char **out) {
    sup_platform *platform = NULL;
    sup_collective_platform *costs = NULL;
    sup_platform_options options = {.transport = SUP_RULES_TRANSPORT, .processes = processes};
    sup_status st = sup_platform_open(profile, &options, diag, &platform);
    if (st) return st;
    if (platform->processes > SUP_COLL_PROCESSES_MOST)
        st = sup_diag_set(diag, SUP_EINVAL, NULL, 0, "rules are for at most %d processes", SUP_COLL_PROCESSES_MOST);
    if (!st) st = sup_collective_open(profile, SUP_RULES_TRANSPORT, diag, &costs);
    if (!st) {
        sup_coll_source source = {.profile = profile,
                                  .transport = SUP_RULES_TRANSPORT,
                                  .model = sup_collective_models[0],
                                  .platform = costs,
                                  .allowed = allowed};
        st = write_text(&source, platform, diag, out);
    }
    if (st == SUP_ENOMEM) sup_diag_set(diag, st, NULL, 0, "out of memory");
    sup_collective_close(costs);
    sup_platform_free(platform);
    return st;
}
