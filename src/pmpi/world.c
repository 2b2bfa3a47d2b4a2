/* What all processes of a run have in common. When MPI has begun they compare what they have been told: only if all
 * have the same settings is anything replaced, and only if all have the same plan is it followed. When MPI ends, the
 * last that is heard of us is the report. */
#include "pmpi/pmpi.h"

#include <pthread.h>

/* Raised with every change of what processes say to each other. */
enum { PROTOCOL = 2 };

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Each word of all processes the same? A word and its complement have both to be the largest. */
static int same(const uint64_t *words, int count, bool *out) {
    uint64_t mine[8], most[8];
    for (int i = 0; i < count; i++) {
        mine[2 * i] = words[i];
        mine[2 * i + 1] = ~words[i];
    }
    int code = PMPI_Allreduce(mine, most, 2 * count, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) out[i] = most[2 * i] == mine[2 * i] && most[2 * i + 1] == mine[2 * i + 1];
    return code;
}

/* Attributes of MPI_COMM_SELF are deleted first of all when MPI ends: the last one set, first. Ours is set before the
 * program can set any, so whatever the program does at the end comes before. */
static int on_end(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    int rank = -1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sup_pmpi_comms_end();
    sup_pmpi_arguments_end();
    if (rank == 0) sup_pmpi_report_print();
    sup_plan_free(sup_pmpi_plan);
    sup_pmpi_plan = NULL;
    return MPI_SUCCESS;
}

/* Two ints with a gap between them, packed and back. */
static bool packs(void) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int in[3] = {1, 2, 3}, out[3] = {4, 5, 6}, packed[2] = {0, 0}, at = 0;
    int code = PMPI_Type_vector(2, 1, 2, MPI_INT, &type);
    if (code == MPI_SUCCESS) code = PMPI_Type_commit(&type);
    if (code == MPI_SUCCESS) code = PMPI_Pack(in, 1, type, packed, (int)sizeof packed, &at, MPI_COMM_SELF);
    bool fine = code == MPI_SUCCESS && at == (int)sizeof packed && packed[0] == 1 && packed[1] == 3;
    at = 0;
    if (fine) code = PMPI_Unpack(packed, (int)sizeof packed, &at, out, 1, type, MPI_COMM_SELF);
    if (type != MPI_DATATYPE_NULL) PMPI_Type_free(&type);
    return fine && code == MPI_SUCCESS && out[0] == 1 && out[1] == 5 && out[2] == 3;
}

static void begin(void) {
    int key, rank = -1;
    uint64_t digest;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sup_pmpi_types_begin();
    sup_pmpi_packs = packs();
    sup_plan *plan = sup_pmpi_plan_read(&digest);
    bool equal[2] = {false, false};
    uint64_t settings = PROTOCOL << 8 | (uint64_t)sup_pmpi_set.when << 1 | sup_pmpi_packs;
    int code = same((uint64_t[]){settings | (uint64_t)sup_pmpi_set.ops << 32, digest}, 2, equal);
    if (code == MPI_SUCCESS && equal[0]) code = sup_pmpi_comms_begin();
    if (code == MPI_SUCCESS) code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &key, NULL);
    if (code == MPI_SUCCESS) code = PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    if (code == MPI_SUCCESS && equal[0] && equal[1]) {
        sup_pmpi_plan = plan;
        plan = NULL;
    }
    sup_plan_free(plan);
    if (rank == 0 && !equal[0]) sup_pmpi_say("nothing is replaced: the settings of the processes differ");
    if (rank == 0 && equal[0] && !equal[1]) sup_pmpi_say("the plan is ignored: not all processes have the same");
    atomic_store(&sup_pmpi_active, code == MPI_SUCCESS && equal[0]);
}

void sup_pmpi_begin(void) { pthread_once(&once, begin); }
