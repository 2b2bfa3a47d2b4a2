/* One call of ours: between the program's buffers, or copies of them, and what happens when it fails. */
#include "pmpi/pmpi.h"

/* Not here (an algorithm that cannot do it): all members find the same, and the library does this one. Others of the
 * operation stay whose they are: a call that time has made ours must not decide about a reduction that rounds.
 * Anything else is an error of the call, which is said in MPI's way; nothing of ours can be used any more. */
int sup_pmpi_failed(sup_pmpi_comm *c, int op, sup_status status) {
    (void)op;
    if (status == SUP_EINVAL || status == SUP_ENOTSUP) return SUP_PMPI_PASS;
    for (int i = 0; i < SUP_PMPI_OPS; i++) {
        c->use[i].who = SUP_PMPI_THEIRS;
        c->use[i].reason = "a call failed";
    }
    int code = status == SUP_ENOMEM ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
    PMPI_Comm_call_errhandler(c->comm, code);
    return code;
}

/* Nothing to pack. */
static int run_plain(sup_pmpi_comm *c, int op, sup_coll_call *call, const sup_pmpi_buffers *b) {
    const sup_pmpi_view *in = b->in, *out = b->out;
    if (in) {
        call->in = in->at;
        call->in_bytes = in->length;
        call->in_at = in->place;
    }
    if (out) {
        call->out = out->at;
        call->out_bytes = out->length;
        call->out_at = out->place;
    }
    if (!in && out) call->in = (unsigned char *)out->at + b->inside;
    if (!out && in) call->out = (unsigned char *)in->at + b->inside;
    return sup_pmpi_run(c, op, call);
}

static int run_packed(sup_pmpi_comm *c, int op, sup_coll_call *call, const sup_pmpi_buffers *b) {
    bool in = b->in && (b->in->packed || b->copy_in), out = b->out && b->out->packed;
    int code = in ? sup_pmpi_view_begin(c, b->in, b->copy_in) : MPI_SUCCESS;
    if (code != MPI_SUCCESS) return code;
    if (out) code = sup_pmpi_view_begin(c, b->out, false);
    bool begun = code == MPI_SUCCESS;
    if (begun) code = run_plain(c, op, call, b);
    if (out && begun) code = sup_pmpi_view_end(c, b->out, code);
    if (in) code = sup_pmpi_view_end(c, b->in, code);
    return code;
}

int sup_pmpi_run_views(sup_pmpi_comm *c, int op, sup_coll_call *call, const sup_pmpi_buffers *b) {
    if ((b->in && (b->in->packed || b->copy_in)) || (b->out && b->out->packed)) return run_packed(c, op, call, b);
    return run_plain(c, op, call, b);
}
