/* MPI_Allgatherv. All members know how much there is of each, and so of the whole. */
#include "pmpi/pmpi.h"

typedef struct arguments {
    const void *in;
    int in_count;
    MPI_Datatype in_type;
    void *out;
    const int *counts, *displacements;
    MPI_Datatype out_type;
} arguments;

static int64_t total_of(const sup_pmpi_comm *c, const arguments *a) {
    int64_t count = 0;
    for (int i = 0; a->counts && i < c->size; i++) {
        if (a->counts[i] < 0) return 0;
        count += a->counts[i];
    }
    return count ? sup_pmpi_view_of(a, 1, a->out_type).bytes * count : 0;
}

static int ours(sup_pmpi_comm *c, const arguments *a) {
    bool in_place = a->in == MPI_IN_PLACE;
    int64_t total = total_of(c, a);
    if (a->out == MPI_IN_PLACE || (!in_place && a->in_count < 0) || !total) return SUP_PMPI_PASS;
    if (!sup_pmpi_turn(c, SUP_PMPI_ALLGATHERV, total, false)) return SUP_PMPI_PASS;
    sup_pmpi_view in = {0}, out = sup_pmpi_view_blocks(c, 1, a->out, a->counts, a->displacements, a->out_type);
    if (!in_place) in = sup_pmpi_view_of(a->in, a->in_count, a->in_type);
    if (out.bytes < 0 || (!in_place && in.bytes != out.length[c->rank])) return SUP_PMPI_PASS;
    in.load = out.store = true;
    out.load = in_place;
    /* the choice may not take blocks that differ: then the next that does */
    sup_coll_call call = {.operation = SUP_ALLGATHER, .bytes = out.length[c->rank]};
    sup_pmpi_buffers b = {.in = in_place ? NULL : &in, .out = &out, .inside = out.place[c->rank]};
    return sup_pmpi_run_views(c, SUP_PMPI_ALLGATHERV, &call, &b);
}

SUP_PMPI_VISIBLE int MPI_Allgatherv(const void *in, int in_count, MPI_Datatype in_type, void *out, const int counts[],
                                    const int displacements[], MPI_Datatype out_type, MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    if (c) {
        int code = ours(c, &(arguments){in, in_count, in_type, out, counts, displacements, out_type});
        if (code != SUP_PMPI_PASS) return code;
    }
    return PMPI_Allgatherv(in, in_count, in_type, out, counts, displacements, out_type, comm);
}
