/* MPI_Gatherv. Only the root knows how much there is of each. */
#include "pmpi/pmpi.h"

typedef struct arguments {
    const void *in;
    int in_count;
    MPI_Datatype in_type;
    void *out;
    const int *counts, *displacements;
    MPI_Datatype out_type;
    int root;
} arguments;

static int ours(sup_pmpi_comm *c, const arguments *a) {
    bool at_root = c->rank == a->root, in_place = at_root && a->in == MPI_IN_PLACE;
    if ((a->in == MPI_IN_PLACE && !at_root) || (!in_place && a->in_count < 0)) return SUP_PMPI_PASS;
    const sup_choice *choice = sup_pmpi_turn(c, SUP_PMPI_GATHERV, 0, false);
    if (!choice) return SUP_PMPI_PASS;
    sup_pmpi_view in = {0}, out = {0};
    if (!in_place) in = sup_pmpi_view_of(a->in, a->in_count, a->in_type);
    if (!in_place && !in.bytes && a->in_count && sup_pmpi_view_wrong(&in)) return SUP_PMPI_PASS;
    if (at_root) out = sup_pmpi_view_blocks(c, 1, a->out, a->counts, a->displacements, a->out_type);
    if (at_root && (out.bytes < 0 || (!in_place && in.bytes != out.length[c->rank]))) return SUP_PMPI_PASS;
    in.load = out.store = true;
    out.load = in_place;
    int64_t block = in_place ? out.length[c->rank] : in.bytes;
    sup_coll_call call = {.operation = SUP_GATHER, .root = a->root, .bytes = block, .choice = choice};
    if (!at_root) in.length = &block;
    sup_pmpi_buffers b = {.in = in_place ? NULL : &in,
                          .out = at_root ? &out : NULL,
                          .inside = in_place ? out.place[c->rank] : -1};
    sup_pmpi_count(c, SUP_PMPI_GATHERV, at_root ? out.bytes : in.bytes);
    return sup_pmpi_run_views(c, SUP_PMPI_GATHERV, &call, &b);
}

SUP_PMPI_VISIBLE int MPI_Gatherv(const void *in, int in_count, MPI_Datatype in_type, void *out, const int counts[],
                                 const int displacements[], MPI_Datatype out_type, int root, MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    if (c && (unsigned)root < (unsigned)c->size) {
        int code = ours(c, &(arguments){in, in_count, in_type, out, counts, displacements, out_type, root});
        if (code != SUP_PMPI_PASS) return code;
    }
    return PMPI_Gatherv(in, in_count, in_type, out, counts, displacements, out_type, root, comm);
}
