/* MPI_Alltoall as programs call it. In place: what is sent is copied first. */
#include "pmpi/pmpi.h"

typedef struct arguments {
    const void *in;
    int in_count;
    MPI_Datatype in_type;
    void *out;
    int out_count;
    MPI_Datatype out_type;
} arguments;

static int ours(sup_pmpi_comm *c, const arguments *a) {
    bool in_place = a->in == MPI_IN_PLACE;
    sup_pmpi_view out = sup_pmpi_view_of(a->out, a->out_count, a->out_type), in = out;
    if (!in_place) in = sup_pmpi_view_of(a->in, a->in_count, a->in_type);
    if (a->out == MPI_IN_PLACE || in.bytes != out.bytes) return SUP_PMPI_PASS;
    bool same = a->in_type == a->out_type && a->in_count == a->out_count;
    if (same && sup_pmpi_alias(SUP_PMPI_ALLTOALL, a->in, a->out, a->in_count)) return SUP_PMPI_PASS;
    if (sup_pmpi_raw(SUP_PMPI_ALLTOALL, &in, &out)) return SUP_PMPI_PASS;
    int64_t block = out.bytes;
    const sup_choice *choice =
        sup_pmpi_is_ordinary(block) ? sup_pmpi_turn(c, SUP_PMPI_ALLTOALL, block * c->size, false) : NULL;
    if (!choice) return SUP_PMPI_PASS;
    in.load = out.store = true;
    in.count *= c->size;
    in.bytes *= c->size;
    out.count *= c->size;
    out.bytes *= c->size;
    sup_coll_call call = {.operation = SUP_ALLTOALL, .bytes = block, .choice = choice};
    sup_pmpi_buffers b = {.in = &in, .out = &out, .copy_in = in_place || a->in == a->out};
    return sup_pmpi_run_views(c, SUP_PMPI_ALLTOALL, &call, &b);
}

SUP_PMPI_VISIBLE int MPI_Alltoall(const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count,
                                  MPI_Datatype out_type, MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    if (c) {
        int code = ours(c, &(arguments){in, in_count, in_type, out, out_count, out_type});
        if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
    }
    return sup_pmpi_over(c, PMPI_Alltoall(in, in_count, in_type, out, out_count, out_type, comm));
}
