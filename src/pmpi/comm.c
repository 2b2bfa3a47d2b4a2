/* What is known of each communicator: kept as an attribute of it, gone when the program frees or disconnects it or MPI
 * ends. MPI_Comm_dup does not copy it.
 *
 * Many communicators see a handful of calls, and programs make thousands of them. So during the first calls nothing is
 * kept but how many there were, and the attribute is a small one, told apart by its lowest bit. All members count the
 * same calls, whether they report or not: a report wants to know all from the first call on, so then the record is made
 * at once, and its first calls are early ones. */
#include "base/clock.h"
#include "net/mpi/open_comm.h"
#include "pmpi/pmpi.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Thread_local sup_pmpi_last sup_pmpi_last_look;
_Atomic unsigned sup_pmpi_generation;
_Atomic int sup_pmpi_open_count, sup_pmpi_fixed_count, sup_pmpi_fixed_made;
_Atomic uint64_t sup_pmpi_fixed_seen;
_Atomic bool sup_pmpi_active;
bool sup_pmpi_packs;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sup_pmpi_comm *all; /* under the lock */
static int keyval = MPI_KEYVAL_INVALID;

/* ---- young ones ---- */

enum { EARLY_WORLD = 9, EARLY = 15, ASK_FROM = 16 };

/* Calls that count for nothing: few where all processes meet, which is once. */
static int early_of(MPI_Comm comm) { return comm == MPI_COMM_WORLD ? EARLY_WORLD : EARLY; }

struct sup_pmpi_young {
    int calls, rank, size;
};
/* A young communicator as calls see it. */
static _Thread_local sup_pmpi_comm face;
/* Who makes one communicator after another needs one of these at a time. */
static _Atomic(sup_pmpi_young *) spare;

static bool is_young(const void *value) { return (uintptr_t)value & 1; }
static sup_pmpi_young *young_of(void *value) { return (sup_pmpi_young *)(void *)((unsigned char *)value - 1); }
static void *value_of(sup_pmpi_young *young) { return (unsigned char *)young + 1; }

static sup_pmpi_young *new_young(void) {
    sup_pmpi_young *young = atomic_exchange(&spare, NULL);
    return young ? young : malloc(sizeof *young);
}

static void free_young(sup_pmpi_young *young) { free(atomic_exchange(&spare, young)); }

static sup_pmpi_comm *face_of(MPI_Comm comm, sup_pmpi_young *young) {
    face.comm = comm;
    face.rank = young->rank;
    face.size = young->size;
    face.early_left = early_of(comm) - young->calls;
    face.young = young;
    return &face;
}

void sup_pmpi_comm_count(sup_pmpi_comm *c) {
    c->early_left--;
    if (c->young) c->young->calls++;
}

/* ---- records ---- */

static void enlist(sup_pmpi_comm *c) {
    pthread_mutex_lock(&lock);
    c->next = all;
    if (all) all->previous = c;
    all = c;
    pthread_mutex_unlock(&lock);
}

static void delist(sup_pmpi_comm *c) {
    pthread_mutex_lock(&lock);
    if (c->previous)
        c->previous->next = c->next;
    else
        all = c->next;
    if (c->next) c->next->previous = c->previous;
    pthread_mutex_unlock(&lock);
}

void sup_pmpi_comm_close_coll(sup_pmpi_comm *c) {
    for (int i = 0; i < SUP_PMPI_OPS; i++) c->use[i].class = NULL;
    if (c->coll) sup_coll_close(c->coll);
    c->coll = NULL;
    free(c->classes);
    free(c->blocks);
    c->classes = NULL;
    c->blocks = NULL;
}

void sup_pmpi_comm_close_net(sup_pmpi_comm *c) {
    sup_barrier_free(c->barrier);
    c->barrier = NULL;
    if (!c->net) return;
    sup_mpi_close_comm(c->net);
    c->net = NULL;
    atomic_fetch_sub(&sup_pmpi_open_count, 1);
}

static void forget(sup_pmpi_comm *c) {
    atomic_fetch_add(&sup_pmpi_generation, 1);
    sup_pmpi_report_add(c);
    if (c->fixed == SUP_PMPI_OURS) atomic_fetch_sub(&sup_pmpi_fixed_count, 1);
    sup_pmpi_comm_close_coll(c);
    sup_pmpi_comm_close_net(c);
    free(c);
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)extra;
    if (!value) return MPI_SUCCESS;
    if (is_young(value)) {
        atomic_fetch_add(&sup_pmpi_generation, 1);
        free_young(young_of(value));
        return MPI_SUCCESS;
    }
    delist(value);
    forget(value);
    return MPI_SUCCESS;
}

void *sup_pmpi_memory(MPI_Comm comm, size_t bytes) {
    void *at = calloc(1, bytes);
    if (at) return at;
    PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
    fprintf(stderr, "superstep: no memory for the books of a communicator: the run ends\n");
    usleep(50000); /* launchers drop what they have not forwarded yet */
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    abort();
}

/* Are all members processes of this MPI_COMM_WORLD? Of others it is not known what they have been told; they see ours
 * as strangers, too, so all members find the same. */
static bool of_this_world(MPI_Comm comm, int size) {
    MPI_Group world, members;
    if (PMPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS) return false;
    bool fine = PMPI_Comm_group(comm, &members) == MPI_SUCCESS;
    int *there = sup_pmpi_memory(comm, 2 * (size_t)size * sizeof *there), *here = there + size;
    for (int i = 0; fine && i < size; i++) here[i] = i;
    int code = fine ? PMPI_Group_translate_ranks(members, size, here, world, there) : MPI_ERR_OTHER;
    if (fine) PMPI_Group_free(&members);
    PMPI_Group_free(&world);
    fine = code == MPI_SUCCESS;
    for (int i = 0; fine && i < size; i++) fine = there[i] != MPI_UNDEFINED;
    free(there);
    return fine;
}

static const char *why_not(sup_pmpi_comm *c) {
    int inter = 0;
    if (PMPI_Comm_test_inter(c->comm, &inter) != MPI_SUCCESS || inter) return "an intercommunicator";
    if (PMPI_Comm_rank(c->comm, &c->rank) != MPI_SUCCESS || PMPI_Comm_size(c->comm, &c->size) != MPI_SUCCESS)
        return "its size is not known";
    if (c->size == 1) return "one process";
    if (sup_pmpi_set.when == SUP_PMPI_NEVER) return "SUPERSTEP_MPI_WHEN=never";
    return of_this_world(c->comm, c->size) ? NULL : "processes of another MPI_COMM_WORLD";
}

static int early_calls(MPI_Comm comm) { return sup_pmpi_set.when == SUP_PMPI_ALWAYS ? 0 : early_of(comm); }

static sup_pmpi_comm *make(MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_memory(comm, sizeof *c);
    c->comm = comm;
    bool at_once = sup_pmpi_set.when == SUP_PMPI_ALWAYS || comm == MPI_COMM_WORLD;
    c->ask_at = c->fixed_at = at_once ? 1 : ASK_FROM;
    c->barriers.ask_at = sup_pmpi_set.when == SUP_PMPI_ALWAYS ? UINT64_MAX : 0;
    c->early_left = early_calls(comm);
    c->began_ns = sup_clock_ns();
    const char *reason = why_not(c);
    for (int i = 0; i < SUP_PMPI_OPS; i++) {
        sup_pmpi_use *u = &c->use[i];
        u->ask_at = c->ask_at;
        u->began_ns = c->began_ns;
        u->reason = reason;
        if (!reason && !(sup_pmpi_set.ops >> i & 1)) u->reason = "not in SUPERSTEP_MPI_OPS";
        if (u->reason) u->who = SUP_PMPI_THEIRS;
    }
    if (PMPI_Comm_set_attr(comm, keyval, c) != MPI_SUCCESS) {
        free(c);
        return NULL;
    }
    enlist(c);
    return c;
}

static void remember(MPI_Comm comm, sup_pmpi_comm *found, sup_pmpi_young *young) {
    sup_pmpi_last_look =
        (sup_pmpi_last){.comm = comm, .generation = atomic_load(&sup_pmpi_generation), .found = found, .young = young};
}

/* The first of the early calls, without a record. */
static sup_pmpi_comm *begin_young(MPI_Comm comm) {
    sup_pmpi_young *young = new_young();
    if (!young) young = sup_pmpi_memory(comm, sizeof *young);
    *young = (sup_pmpi_young){0};
    bool fine = PMPI_Comm_rank(comm, &young->rank) == MPI_SUCCESS && PMPI_Comm_size(comm, &young->size) == MPI_SUCCESS;
    if (!fine || PMPI_Comm_set_attr(comm, keyval, value_of(young)) != MPI_SUCCESS) {
        free_young(young);
        return NULL;
    }
    remember(comm, NULL, young);
    return face_of(comm, young);
}

/* The record of one that was young so far. */
static sup_pmpi_comm *grow_up(MPI_Comm comm) {
    sup_pmpi_comm *c = make(comm); /* on_delete takes the young one's place */
    if (c) c->early_left = 0;
    return c;
}

static sup_pmpi_comm *look_anew(MPI_Comm comm) {
    void *value = NULL;
    int found = 0;
    if (PMPI_Comm_get_attr(comm, keyval, &value, &found) != MPI_SUCCESS) return NULL;
    if (!found && !sup_pmpi_set.report && early_calls(comm)) return begin_young(comm);
    bool is_one = found && is_young(value);
    if (is_one && young_of(value)->calls < early_of(comm)) {
        remember(comm, NULL, young_of(value));
        return face_of(comm, young_of(value));
    }
    sup_pmpi_comm *c = is_one ? grow_up(comm) : found ? value : make(comm);
    if (c) remember(comm, c, NULL);
    return c;
}

/* Nothing is active any more once MPI ends (world.c). */
sup_pmpi_comm *sup_pmpi_comm_look(MPI_Comm comm) {
    if (!atomic_load(&sup_pmpi_active)) {
        if (sup_pmpi_set.report) atomic_fetch_add_explicit(&sup_pmpi_passed, 1, memory_order_relaxed);
        return NULL;
    }
    sup_pmpi_last *l = &sup_pmpi_last_look;
    if (comm == MPI_COMM_NULL) return NULL;
    if (l->young && l->comm == comm && l->generation == atomic_load(&sup_pmpi_generation) &&
        l->young->calls < early_of(comm))
        return face_of(comm, l->young);
    return look_anew(comm);
}

sup_pmpi_comm *sup_pmpi_comms_world(void) {
    sup_pmpi_comm *c = make(MPI_COMM_WORLD);
    if (!c) return NULL;
    c->early_left = 0;
    remember(MPI_COMM_WORLD, c, NULL);
    return c;
}

int sup_pmpi_comms_begin(void) { return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL); }

void sup_pmpi_comms_end(void) {
    atomic_store(&sup_pmpi_active, false);
    for (;;) {
        pthread_mutex_lock(&lock);
        sup_pmpi_comm *c = all;
        pthread_mutex_unlock(&lock);
        if (!c) return;
        if (PMPI_Comm_delete_attr(c->comm, keyval) == MPI_SUCCESS) continue; /* on_delete has done it */
        delist(c);
        forget(c);
    }
}
