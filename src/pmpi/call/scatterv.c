/* MPI_Scatterv. Only the root knows how much there is for each. */
#include "pmpi/pmpi.h"

typedef struct arguments {
    const void *in;
    const int *counts, *displacements;
    MPI_Datatype in_type;
    void *out;
    int out_count;
    MPI_Datatype out_type;
    int root;
} arguments;

static int ours(sup_pmpi_comm *c, const arguments *a) {
    bool at_root = c->rank == a->root, in_place = at_root && a->out == MPI_IN_PLACE;
    sup_pmpi_view in = {0}, out = {0};
    if (a->out == MPI_IN_PLACE && !at_root) return SUP_PMPI_PASS;
    if (!in_place) out = sup_pmpi_view_of(a->out, a->out_count, a->out_type);
    if (!in_place && sup_pmpi_view_wrong(&out)) return SUP_PMPI_PASS;
    if (at_root) in = sup_pmpi_view_element(c, a->in, a->counts, a->displacements, a->in_type);
    if (in.bytes < 0 || sup_pmpi_raw(SUP_PMPI_SCATTERV, &in, &out)) return SUP_PMPI_PASS;
    if (at_root && !in_place) {
        if (out.bytes != a->counts[c->rank] * in.bytes) return SUP_PMPI_PASS;
        if (a->in_type == a->out_type && out.bytes &&
            sup_pmpi_alias(SUP_PMPI_SCATTERV, sup_pmpi_view_own(c, &in), a->out, a->out_count))
            return SUP_PMPI_PASS;
    }
    const sup_choice *choice = sup_pmpi_turn(c, SUP_PMPI_SCATTERV, 0, false);
    if (!choice) return SUP_PMPI_PASS;
    if (at_root) sup_pmpi_view_blocks(c, 0, &in);
    in.load = out.store = true;
    int64_t block = in_place ? in.length[c->rank] : out.bytes;
    sup_coll_call call = {.operation = SUP_SCATTER, .root = a->root, .bytes = block, .choice = choice};
    if (!at_root) out.length = &block;
    sup_pmpi_buffers b = {.in = at_root ? &in : NULL,
                          .out = in_place ? NULL : &out,
                          .inside = in_place ? in.place[c->rank] : -1};
    sup_pmpi_count(c, SUP_PMPI_SCATTERV, at_root ? in.bytes : out.bytes);
    return sup_pmpi_run_views(c, SUP_PMPI_SCATTERV, &call, &b);
}

SUP_PMPI_VISIBLE int MPI_Scatterv(const void *in, const int counts[], const int displacements[], MPI_Datatype in_type,
                                  void *out, int out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    if (c && (unsigned)root < (unsigned)c->size) {
        int code = ours(c, &(arguments){in, counts, displacements, in_type, out, out_count, out_type, root});
        if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
    }
    return sup_pmpi_over(c, PMPI_Scatterv(in, counts, displacements, in_type, out, out_count, out_type, root, comm));
}
