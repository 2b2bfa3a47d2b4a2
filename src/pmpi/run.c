/* One call of ours: between the program's buffers, or copies of them, and what happens when it fails. */
#include "pmpi/pmpi.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum { LAUNCHER_S = 2 };

/* The MPI would wait for one that is gone, and its launcher ends those who wait. So do we, for as long as a launcher
 * may take: an error of ours would hide what the first one died of. Where nobody ends us, it is an error of the call.
 */
static void await_launcher(void) {
    struct timespec left = {.tv_sec = LAUNCHER_S};
    while (nanosleep(&left, &left) && errno == EINTR) continue;
}

/* Not here (an algorithm that cannot do it): all members find the same, and the library does this one. Others of the
 * operation stay whose they are: a call that time has made ours must not decide about a reduction that rounds.
 * Anything else is an error of the call, which is said in MPI's way. If somebody is gone nothing of ours can be used
 * any more. Else what is ours stays so, and fails from now on: other members may learn of it a call later than this
 * one, and if one went to the library by itself they would wait for each other in two places. */
int sup_pmpi_failed(sup_pmpi_comm *c, int op, sup_status status) {
    (void)op;
    if (status == SUP_EINVAL || status == SUP_ENOTSUP) return SUP_PMPI_PASS;
    for (int i = 0; i < SUP_PMPI_OPS; i++) {
        if (status == SUP_EPEER) c->use[i].who = SUP_PMPI_THEIRS;
        c->use[i].reason = "a call failed";
    }
    if (status == SUP_EPEER) await_launcher();
    int code = status == SUP_ENOMEM ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
    PMPI_Comm_call_errhandler(c->comm, code);
    return code;
}

int sup_pmpi_take_part(sup_pmpi_comm *c, int op, sup_coll_call *call, int64_t in_bytes, int64_t out_bytes) {
    int64_t out_at = (in_bytes + 63) / 64 * 64;
    unsigned char *memory = calloc(1, (size_t)(out_at + out_bytes + 1));
    if (!memory) return sup_pmpi_failed(c, op, SUP_ENOMEM);
    call->in = memory;
    call->out = memory + out_at;
    int code = sup_pmpi_run(c, op, call);
    free(memory);
    return code == MPI_SUCCESS ? SUP_PMPI_PASS : code;
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

/* The bytes of this member cannot travel, and the others are told so: without it they would wait. */
static int cannot_begin(sup_pmpi_comm *c, int op, int code) {
    sup_coll_end(c->coll, code == MPI_ERR_NO_MEM ? SUP_ENOMEM : SUP_EIO);
    return code == MPI_ERR_NO_MEM ? sup_pmpi_failed(c, op, SUP_ENOMEM) : code;
}

static int run_packed(sup_pmpi_comm *c, int op, sup_coll_call *call, const sup_pmpi_buffers *b) {
    bool in = b->in && (b->in->packed || b->copy_in), out = b->out && b->out->packed;
    int code = in ? sup_pmpi_view_begin(c, b->in, b->copy_in) : MPI_SUCCESS;
    if (code != MPI_SUCCESS) return cannot_begin(c, op, code);
    if (out) code = sup_pmpi_view_begin(c, b->out, false);
    bool begun = code == MPI_SUCCESS;
    if (begun) code = run_plain(c, op, call, b);
    if (out && begun) code = sup_pmpi_view_end(c, b->out, code);
    if (in) code = sup_pmpi_view_end(c, b->in, code);
    return begun ? code : cannot_begin(c, op, code);
}

int sup_pmpi_run_views(sup_pmpi_comm *c, int op, sup_coll_call *call, const sup_pmpi_buffers *b) {
    if ((b->in && (b->in->packed || b->copy_in)) || (b->out && b->out->packed)) return run_packed(c, op, call, b);
    return run_plain(c, op, call, b);
}
