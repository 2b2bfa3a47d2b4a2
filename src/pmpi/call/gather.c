/* MPI_Gather as programs call it: blocks of one length. */
#include "pmpi/pmpi.h"

typedef struct arguments {
    const void *in;
    int in_count;
    MPI_Datatype in_type;
    void *out;
    int out_count;
    MPI_Datatype out_type;
    int root;
} arguments;

static int ours(sup_pmpi_comm *c, const arguments *a) {
    bool at_root = c->rank == a->root, in_place = at_root && a->in == MPI_IN_PLACE;
    if (a->in == MPI_IN_PLACE && !at_root) return SUP_PMPI_PASS;
    sup_pmpi_view in = {0}, out = {0};
    if (!in_place) in = sup_pmpi_view_of(a->in, a->in_count, a->in_type);
    if (at_root) out = sup_pmpi_view_of(a->out, a->out_count, a->out_type);
    if (at_root && (a->out == MPI_IN_PLACE || (!in_place && in.bytes != out.bytes))) return SUP_PMPI_PASS;
    int64_t block = at_root ? out.bytes : in.bytes;
    bool same = at_root && !in_place && a->in_type == a->out_type && a->in_count == a->out_count;
    const void *own = (unsigned char *)a->out + block * c->rank;
    bool alias = same && sup_pmpi_alias(SUP_PMPI_GATHER, a->in, own, a->in_count);
    if (sup_pmpi_raw(SUP_PMPI_GATHER, &in, &out)) return SUP_PMPI_PASS;
    const sup_choice *choice =
        sup_pmpi_is_ordinary(block) ? sup_pmpi_turn(c, SUP_PMPI_GATHER, block * c->size, false) : NULL;
    if (!choice) return SUP_PMPI_PASS;
    if (alias) {
        sup_coll_call call = {.operation = SUP_GATHER, .root = a->root, .bytes = block, .choice = choice};
        return sup_pmpi_take_part(c, SUP_PMPI_GATHER, &call, block, block * c->size);
    }
    in.load = out.store = true;
    out.load = in_place;
    out.count *= c->size;
    out.bytes *= c->size;
    sup_coll_call call = {.operation = SUP_GATHER, .root = a->root, .bytes = block, .choice = choice};
    sup_pmpi_buffers b = {.in = in_place ? NULL : &in,
                          .out = at_root ? &out : NULL,
                          .inside = in_place ? block * c->rank : -1};
    return sup_pmpi_run_views(c, SUP_PMPI_GATHER, &call, &b);
}

SUP_PMPI_VISIBLE int MPI_Gather(const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count,
                                MPI_Datatype out_type, int root, MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    if (c && (unsigned)root < (unsigned)c->size) {
        int code = ours(c, &(arguments){in, in_count, in_type, out, out_count, out_type, root});
        if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
    }
    return sup_pmpi_over(c, PMPI_Gather(in, in_count, in_type, out, out_count, out_type, root, comm));
}
