/* A barrier as C over MPI (emit.h): empty messages, all of a stage posted together. */
#include "choose/barrier/emit.h"

#include <inttypes.h>

static const char head[] =
    " *\n"
    " *     int error = @F(comm);\n"
    " *\n"
    " * instead of MPI_Barrier(comm), as often as one likes, by all processes of comm. Its messages are empty and have "
    "the\n"
    " * tag @U_TAG: use a communicator of its own (MPI_Comm_dup) where the program receives with MPI_ANY_TAG.\n"
    " * Returns MPI_SUCCESS, an error of MPI, or MPI_ERR_COMM where comm has another number of processes.\n"
    " *\n"
    " *     mpicc -std=c11 -O2 -c FILE.c */\n"
    "#include <mpi.h>\n"
    "#include <stddef.h>\n"
    "\n"
    "#ifndef @U_TAG\n"
    "#define @U_TAG 32100 /* every MPI has tags up to 32767 */\n"
    "#endif\n"
    "enum { @U_PROCESSES = @P };\n"
    "\n"
    "int @F(MPI_Comm comm);\n"
    "\n";

static const char stage_function[] =
    "/* One stage of one process: signals some ranks, then waits for signals of others. Messages between two processes "
    "do\n"
    " * not overtake each other, so that one tag does for all stages and all calls. */\n"
    "static int @F_stage(MPI_Comm comm, int sends, const int *to, int receives, const int *from)\n"
    "{\n"
    "    MPI_Request request[@N];\n"
    "    MPI_Status status[@N];\n"
    "    int n = 0, error = MPI_SUCCESS;\n"
    "    for (int k = 0; k < receives && error == MPI_SUCCESS; k++)\n"
    "        error = MPI_Irecv(NULL, 0, MPI_BYTE, from[k], @U_TAG, comm, &request[n++]);\n"
    "    for (int k = 0; k < sends && error == MPI_SUCCESS; k++)\n"
    "        error = MPI_Isend(NULL, 0, MPI_BYTE, to[k], @U_TAG, comm, &request[n++]);\n"
    "    return error == MPI_SUCCESS ? MPI_Waitall(n, request, status) : error;\n"
    "}\n"
    "\n";

static const char begin[] = "int @F(MPI_Comm comm)\n"
                            "{\n"
                            "    int rank, size, error;\n"
                            "    if ((error = MPI_Comm_size(comm, &size)) != MPI_SUCCESS) return error;\n"
                            "    if ((error = MPI_Comm_rank(comm, &rank)) != MPI_SUCCESS) return error;\n"
                            "    if (size != @U_PROCESSES) return MPI_ERR_COMM;\n";

static void put_ranks(const sup_emit_source *s, const size_t *own, size_t n, bool receives, FILE *out) {
    if (!n) {
        fprintf(out, "0, NULL");
        return;
    }
    fprintf(out, "%zu, (const int[]){", n);
    for (size_t k = 0; k < n; k++) {
        const sup_pattern_edge *e = &s->edges[own[k]];
        fprintf(out, "%s%s%" PRId64, k ? "," : "",
                !k       ? ""
                : k % 16 ? " "
                         : "\n            ",
                receives ? e->from : e->to);
    }
    putc('}', out);
}

static void put_rank(const sup_emit_source *s, int64_t rank, FILE *out) {
    fprintf(out, "    case %" PRId64 ":\n", rank);
    for (int stage = 0; stage < s->pattern->stages; stage++) {
        size_t sends, receives;
        const size_t *to = sup_emit_own(s, stage, rank, false, &sends);
        const size_t *from = sup_emit_own(s, stage, rank, true, &receives);
        if (!sends && !receives) continue;
        fprintf(out, "        /* stage %d */\n        error = %s_stage(comm, ", stage, s->function);
        put_ranks(s, to, sends, false, out);
        fprintf(out, ", ");
        put_ranks(s, from, receives, true, out);
        fprintf(out, ");\n        if (error != MPI_SUCCESS) return error;\n");
    }
    fprintf(out, "        break;\n");
}

static sup_status write(const sup_emit_source *s, FILE *out) {
    sup_emit_about(s, out);
    sup_emit_text(s, head, 0, out);
    if (s->count) sup_emit_text(s, stage_function, sup_emit_most(s), out);
    sup_emit_text(s, begin, 0, out);
    if (s->count) {
        fprintf(out, "    switch (rank) {\n");
        for (int64_t rank = 0; rank < s->pattern->processes; rank++) put_rank(s, rank, out);
        fprintf(out, "    default:\n        break;\n    }\n");
    }
    fprintf(out, "    return MPI_SUCCESS;\n}\n");
    return SUP_OK;
}

const sup_emit_form sup_emit_mpi = {
    .name = "mpi",
    .help = "int FUNCTION(MPI_Comm comm), of empty messages",
    .write = write,
};
