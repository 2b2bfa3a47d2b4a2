/* What all processes of a run have in common. Only if all of them have begun with the library, and have the same
 * settings, is anything replaced, and only if all have the same plan is it followed. When MPI ends, the last that is
 * heard of us is the report. */
#include "net/mpi/open_comm.h"
#include "pmpi/pmpi.h"

#include <pthread.h>
#include <stdio.h>

/* Raised with every change of what processes say to each other. */
enum { PROTOCOL = 3 };

static pthread_once_t join_once = PTHREAD_ONCE_INIT, begin_once = PTHREAD_ONCE_INIT;
static sup_plan *plan; /* until it is known whether all have it */
static uint64_t plan_digest;
static char why[160];
static bool speaks; /* for all of them */

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
    sup_pmpi_comms_end();
    sup_pmpi_arguments_end();
    if (speaks) sup_pmpi_report_print(sup_pmpi_reason);
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

/* ---- who takes part ---- */

/* What a word has to say that is the same for all. */
static uint64_t settings_word(void) {
    return PROTOCOL << 8 | (uint64_t)sup_pmpi_set.when << 1 | (uint64_t)sup_pmpi_set.ops << 32 |
           (uint64_t)sup_pmpi_set.everywhere << 4;
}

static void join(void) {
    plan = sup_pmpi_plan_read(&plan_digest);
    sup_mpi_hosts_prepare();
    sup_pmpi_meet_join(settings_word(), plan_digest);
}

void sup_pmpi_join(void) { pthread_once(&join_once, join); }

/* Is everybody here? Where processes of other hosts are missing they are asked by MPI if somebody has said that they
 * all have the library; where one of this host is missing it is no use to ask. NULL: yes, with `equal` for settings and
 * plan; else why not. */
static const char *meet(int size, sup_pmpi_meeting *m) {
    int near = sup_pmpi_told_size_here();
    *m = (sup_pmpi_meeting){.all = size == 1, .settings_same = true, .plan_same = true, .first = true};
    if (size == 1) return NULL;
    *m = sup_pmpi_meet_decide(size);
    if (!m->all && sup_pmpi_set.everywhere && near < size) {
        bool equal[2] = {false, false};
        if (same((uint64_t[]){settings_word(), plan_digest}, 2, equal) != MPI_SUCCESS)
            return "the processes could not ask each other";
        m->all = true;
        m->settings_same = equal[0];
        m->plan_same = equal[1];
    }
    if (!m->all && !m->count) return "nothing tells which processes belong together: neither PMIx nor PMI";
    if (!m->all) {
        snprintf(why, sizeof why, "%d of %d processes %s begun with the library on this host", m->count, size,
                 m->count == 1 ? "has" : "have");
        return why;
    }
    return m->settings_same ? NULL : "the settings of the processes differ";
}

static void begin(void) {
    int key, rank = -1, size = 0;
    sup_pmpi_meeting m;
    sup_pmpi_seen = true;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    sup_pmpi_reason = meet(size, &m);
    /* process 0 says what all know; where it may not be one of ours, the one that has found it out */
    speaks = m.all || !m.count ? rank == 0 : m.first;
    int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &key, NULL);
    if (code == MPI_SUCCESS) code = PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    if (code == MPI_SUCCESS && !sup_pmpi_reason) code = sup_pmpi_comms_begin();
    if (code != MPI_SUCCESS && !sup_pmpi_reason) sup_pmpi_reason = SUP_PMPI_TITLE " has no room for attributes";
    if (speaks && sup_pmpi_reason) sup_pmpi_say("nothing is replaced: %s", sup_pmpi_reason);
    if (speaks && !sup_pmpi_reason && !m.plan_same)
        sup_pmpi_say("the plan is ignored: not all processes have the same");
    if (!sup_pmpi_reason && m.plan_same) {
        sup_pmpi_plan = plan;
        plan = NULL;
    }
    sup_plan_free(plan);
    plan = NULL;
    bool counts = sup_pmpi_set.when != SUP_PMPI_NEVER || sup_pmpi_set.report;
    if (sup_pmpi_reason || !counts) return;
    sup_pmpi_types_begin();
    sup_pmpi_packs = packs();
    atomic_store(&sup_pmpi_active, true);
    bool one_host = size > 1 && sup_pmpi_told_size_here() == size;
    if (!one_host || sup_pmpi_set.when != SUP_PMPI_AUTO) return;
    sup_pmpi_comm *everybody = sup_pmpi_comms_world();
    if (everybody) sup_pmpi_decide_world(everybody);
}

void sup_pmpi_begin(void) {
    sup_pmpi_join(); /* or nobody would free the plan */
    pthread_once(&begin_once, begin);
}
