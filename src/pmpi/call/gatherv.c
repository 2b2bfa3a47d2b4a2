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

/* The root's buffers are one: only it sees that, and the others are on their way. */
static int pretend(sup_pmpi_comm *c, const arguments *a, const sup_choice *choice, sup_pmpi_view *out) {
    sup_coll_call call = {.operation = SUP_GATHER, .root = a->root, .choice = choice};
    sup_pmpi_view_blocks(c, 1, out);
    int64_t at = 0;
    for (int i = 0; i < c->size; i++) {
        out->place[i] = at;
        at += out->length[i];
    }
    call.bytes = out->length[c->rank];
    call.out_bytes = out->length;
    call.out_at = out->place;
    return sup_pmpi_take_part(c, SUP_PMPI_GATHERV, &call, call.bytes, at);
}

static int ours(sup_pmpi_comm *c, const arguments *a) {
    bool at_root = c->rank == a->root, in_place = at_root && a->in == MPI_IN_PLACE, alias = false;
    sup_pmpi_view in = {0}, out = {0};
    if (a->in == MPI_IN_PLACE && !at_root) return SUP_PMPI_PASS;
    if (!in_place) in = sup_pmpi_view_of(a->in, a->in_count, a->in_type);
    if (!in_place && sup_pmpi_view_wrong(&in)) return SUP_PMPI_PASS;
    if (at_root) out = sup_pmpi_view_element(c, a->out, a->counts, a->displacements, a->out_type);
    if (out.bytes < 0 || sup_pmpi_raw(SUP_PMPI_GATHERV, &in, &out)) return SUP_PMPI_PASS;
    if (at_root && !in_place) {
        if (in.bytes != a->counts[c->rank] * out.bytes) return SUP_PMPI_PASS;
        alias = a->in_type == a->out_type && in.bytes &&
                sup_pmpi_alias(SUP_PMPI_GATHERV, a->in, sup_pmpi_view_own(c, &out), a->in_count);
    }
    const sup_choice *choice = sup_pmpi_turn(c, SUP_PMPI_GATHERV, 0, false);
    if (!choice) return SUP_PMPI_PASS;
    if (alias) return pretend(c, a, choice, &out);
    if (at_root) sup_pmpi_view_blocks(c, 1, &out);
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
        if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
    }
    return sup_pmpi_over(c, PMPI_Gatherv(in, in_count, in_type, out, counts, displacements, out_type, root, comm));
}
