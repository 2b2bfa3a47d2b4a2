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

static int ours(sup_pmpi_comm *c, const arguments *a) {
    bool in_place = a->in == MPI_IN_PLACE;
    sup_pmpi_view in = {0};
    sup_pmpi_view out = sup_pmpi_view_element(c, a->out, a->counts, a->displacements, a->out_type);
    if (!in_place) in = sup_pmpi_view_of(a->in, a->in_count, a->in_type);
    if (out.bytes <= 0 || (!in_place && sup_pmpi_view_wrong(&in))) return SUP_PMPI_PASS;
    if (!in_place) {
        if (in.bytes != a->counts[c->rank] * out.bytes) return SUP_PMPI_PASS;
        if (a->in_type == a->out_type && in.bytes &&
            sup_pmpi_alias(SUP_PMPI_ALLGATHERV, a->in, sup_pmpi_view_own(c, &out), a->in_count))
            return SUP_PMPI_PASS;
    }
    int64_t total = 0;
    for (int i = 0; i < c->size; i++) total += a->counts[i] * out.bytes;
    if (!total || sup_pmpi_raw(SUP_PMPI_ALLGATHERV, &in, &out)) return SUP_PMPI_PASS;
    const sup_choice *choice = sup_pmpi_turn(c, SUP_PMPI_ALLGATHERV, total, false);
    if (!choice) return SUP_PMPI_PASS;
    sup_pmpi_view_blocks(c, 1, &out);
    in.load = out.store = true;
    out.load = in_place;
    /* the choice may not take blocks that differ: then the next that does; the other way does */
    bool other = choice == &c->use[SUP_PMPI_ALLGATHERV].other;
    sup_coll_call call = {.operation = SUP_ALLGATHER, .bytes = out.length[c->rank], .choice = other ? choice : NULL};
    sup_pmpi_buffers b = {.in = in_place ? NULL : &in, .out = &out, .inside = out.place[c->rank]};
    return sup_pmpi_run_views(c, SUP_PMPI_ALLGATHERV, &call, &b);
}

SUP_PMPI_VISIBLE int MPI_Allgatherv(const void *in, int in_count, MPI_Datatype in_type, void *out, const int counts[],
                                    const int displacements[], MPI_Datatype out_type, MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    if (c) {
        int code = ours(c, &(arguments){in, in_count, in_type, out, counts, displacements, out_type});
        if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
    }
    return sup_pmpi_over(c, PMPI_Allgatherv(in, in_count, in_type, out, counts, displacements, out_type, comm));
}
