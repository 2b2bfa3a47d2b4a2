/* MPI_Alltoallv. Nobody knows how much the others send each other, unless they say so (turn.c). */
#include "pmpi/pmpi.h"

typedef struct arguments {
    const void *in;
    const int *in_counts, *in_displacements;
    MPI_Datatype in_type;
    void *out;
    const int *out_counts, *out_displacements;
    MPI_Datatype out_type;
} arguments;

/* One address for both is allowed where the blocks lie apart: libraries that look for it go by the arrays. */
static bool overlaps(const arguments *a) {
    return a->in_type == a->out_type && a->in_counts == a->out_counts &&
           sup_pmpi_alias(SUP_PMPI_ALLTOALLV, a->in, a->out, INT_MAX);
}

static int ours(sup_pmpi_comm *c, const arguments *a) {
    bool in_place = a->in == MPI_IN_PLACE;
    if (sup_pmpi_left_together(c, SUP_PMPI_ALLTOALLV)) return SUP_PMPI_PASS;
    if (overlaps(a)) return SUP_PMPI_PASS;
    sup_pmpi_view out = sup_pmpi_view_element(c, a->out, a->out_counts, a->out_displacements, a->out_type), in = out;
    if (!in_place) in = sup_pmpi_view_element(c, a->in, a->in_counts, a->in_displacements, a->in_type);
    if (in.bytes < 0 || out.bytes < 0 || sup_pmpi_raw(SUP_PMPI_ALLTOALLV, &in, &out)) return SUP_PMPI_PASS;
    if (in.counts[c->rank] * in.bytes != out.counts[c->rank] * out.bytes) return SUP_PMPI_PASS;
    int64_t elements = 0;
    for (int i = 0; i < c->size; i++) elements += out.counts[i];
    const sup_choice *choice = sup_pmpi_turn_together(c, SUP_PMPI_ALLTOALLV, elements * out.bytes);
    if (!choice) return SUP_PMPI_PASS;
    sup_pmpi_view_blocks(c, 0, &in);
    sup_pmpi_view_blocks(c, 1, &out);
    in.load = out.store = true;
    sup_coll_call call = {.operation = SUP_ALLTOALL, .choice = choice};
    sup_pmpi_buffers b = {.in = &in, .out = &out, .copy_in = in_place || a->in == a->out};
    sup_pmpi_count(c, SUP_PMPI_ALLTOALLV, out.bytes);
    return sup_pmpi_run_views(c, SUP_PMPI_ALLTOALLV, &call, &b);
}

SUP_PMPI_VISIBLE int MPI_Alltoallv(const void *in, const int in_counts[], const int in_displacements[],
                                   MPI_Datatype in_type, void *out, const int out_counts[],
                                   const int out_displacements[], MPI_Datatype out_type, MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    if (c) {
        int code = ours(c, &(arguments){in, in_counts, in_displacements, in_type, out, out_counts, out_displacements,
                                        out_type});
        if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
    }
    return sup_pmpi_over(c, PMPI_Alltoallv(in, in_counts, in_displacements, in_type, out, out_counts, out_displacements,
                                           out_type, comm));
}
