/* MPI_Allgather as programs call it: blocks of one length, from everyone to everyone. */
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
    sup_pmpi_view in = {0}, out = sup_pmpi_view_of(a->out, a->out_count, a->out_type);
    if (!in_place) in = sup_pmpi_view_of(a->in, a->in_count, a->in_type);
    if (a->out == MPI_IN_PLACE || (!in_place && in.bytes != out.bytes)) return SUP_PMPI_PASS;
    int64_t block = out.bytes;
    bool same = !in_place && a->in_type == a->out_type && a->in_count == a->out_count;
    const void *own = (unsigned char *)a->out + block * c->rank;
    if (same && sup_pmpi_alias(SUP_PMPI_ALLGATHER, a->in, own, a->in_count)) return SUP_PMPI_PASS;
    if (sup_pmpi_raw(SUP_PMPI_ALLGATHER, &in, &out)) return SUP_PMPI_PASS;
    const sup_choice *choice =
        sup_pmpi_is_ordinary(block) ? sup_pmpi_turn(c, SUP_PMPI_ALLGATHER, block * c->size, false) : NULL;
    if (!choice) return SUP_PMPI_PASS;
    in.load = out.store = true;
    out.load = in_place;
    out.count *= c->size;
    out.bytes *= c->size;
    sup_coll_call call = {.operation = SUP_ALLGATHER, .bytes = block, .choice = choice};
    sup_pmpi_buffers b = {.in = in_place ? NULL : &in, .out = &out, .inside = block * c->rank};
    return sup_pmpi_run_views(c, SUP_PMPI_ALLGATHER, &call, &b);
}

SUP_PMPI_VISIBLE int MPI_Allgather(const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count,
                                   MPI_Datatype out_type, MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    if (c) {
        int code = ours(c, &(arguments){in, in_count, in_type, out, out_count, out_type});
        if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
    }
    return sup_pmpi_over(c, PMPI_Allgather(in, in_count, in_type, out, out_count, out_type, comm));
}
