/* Schedules of collective operations: every algorithm is carried out on paper (schedule_machine.h) for many numbers of
 * ranks, roots, sizes and layouts, and must leave at every rank what its operation promises; broken schedules must be
 * found. Jobs and choices: what is refused, and why. */
#include "../sanitized.h"
#include "schedule_machine.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* What a case is, besides the algorithm. */
typedef struct test_case {
    int64_t processes, root, bytes, element, segment;
    int layout;   /* 0: blocks of one size; else lengths and gaps by it */
    bool aliased; /* IN and OUT are one memory, as far as the operation allows it */
} test_case;

static bool is_whole(int operation) {
    return operation == SUP_BROADCAST || operation == SUP_REDUCE || operation == SUP_ALLREDUCE ||
           operation == SUP_SCAN || operation == SUP_EXSCAN || operation == SUP_BARRIER;
}

static bool is_fold(int operation) {
    return operation == SUP_REDUCE || operation == SUP_ALLREDUCE || operation == SUP_REDUCE_SCATTER ||
           operation == SUP_SCAN || operation == SUP_EXSCAN;
}

static bool has_root(int operation) {
    return operation == SUP_BROADCAST || operation == SUP_SCATTER || operation == SUP_GATHER || operation == SUP_REDUCE;
}

/* Lengths that have zeros, single elements and longer ones; of an alltoall they depend on both ends. */
static int64_t length_of(const test_case *c, int operation, int64_t from, int64_t to) {
    if (!c->layout) return c->bytes;
    int64_t block = operation == SUP_SCATTER || operation == SUP_REDUCE_SCATTER ? to : from;
    int64_t pick = operation == SUP_ALLTOALL ? 3 * from + 5 * to : 7 * block;
    int64_t length = c->layout == 2 ? 0 : (pick + c->layout) % 5 % 4;
    return length * c->element;
}

/* P blocks from `at` on; gaps before some of them. */
static int64_t lay(const test_case *c, int64_t rank, int64_t *bytes, int64_t *at) {
    int64_t end = 0;
    for (int64_t i = 0; i < c->processes; i++) {
        if (c->layout > 2) end += (i + rank + c->layout) % 3 * c->element;
        at[i] = end;
        end += bytes[i];
    }
    return end;
}

/* The job as this rank sees it, and the sizes of its buffers. */
static void ask(rank_state *r, int operation, int64_t rank, const test_case *c) {
    int64_t P = c->processes, *n = r->numbers,
            own = is_whole(operation) ? c->bytes : length_of(c, operation, rank, rank);
    bool at_root = rank == c->root;
    r->job = (sup_job){.operation = operation,
                       .processes = P,
                       .root = has_root(operation) ? c->root : 0,
                       .bytes = c->bytes,
                       .element = c->element,
                       .segment_bytes = c->segment};
    bool in = operation == SUP_REDUCE_SCATTER || operation == SUP_ALLTOALL || (operation == SUP_SCATTER && at_root);
    bool out = operation == SUP_ALLGATHER || operation == SUP_ALLTOALL || (operation == SUP_GATHER && at_root);
    r->size[SUP_IN] = in ? P * c->bytes : own;
    r->size[SUP_OUT] = out ? P * c->bytes : own;
    for (int64_t i = 0; i < P && c->layout; i++) {
        n[i] = length_of(c, operation, rank, i);
        n[2 * P + i] = length_of(c, operation, i, rank);
    }
    if (c->layout && in) {
        r->job.in_bytes = n;
        r->size[SUP_IN] = lay(c, rank, n, n + P);
        if (c->layout > 2) r->job.in_at = n + P;
    }
    if (c->layout && out) {
        r->job.out_bytes = n + 2 * P;
        r->size[SUP_OUT] = lay(c, rank, n + 2 * P, n + 3 * P);
        if (c->layout > 2) r->job.out_at = n + 3 * P;
    }
    if (c->layout && operation == SUP_SCATTER && !at_root) r->job.out_bytes = &n[2 * P + c->root];
    if (c->layout && operation == SUP_GATHER && !at_root) r->job.in_bytes = &n[c->root];
    if (operation == SUP_BROADCAST || operation == SUP_BARRIER || (operation == SUP_SCATTER && !at_root))
        r->size[SUP_IN] = 0;
    if (operation == SUP_BARRIER || ((operation == SUP_REDUCE || operation == SUP_GATHER) && !at_root))
        r->size[SUP_OUT] = 0;
}

/* Block i of a buffer with P of them. */
static void block_at(const rank_state *r, bool in, int64_t i, int64_t *at, int64_t *bytes) {
    const int64_t *lengths = in ? r->job.in_bytes : r->job.out_bytes, *places = in ? r->job.in_at : r->job.out_at;
    *bytes = lengths ? lengths[i] : r->job.bytes;
    *at = places ? places[i] : i * *bytes;
    for (int64_t k = 0; lengths && !places && (*at = k ? *at : 0, k < i); k++) *at += lengths[k];
}

/* What the ranks begin with. */
static void fill(rank_state *r, int64_t rank, int64_t root) {
    int operation = r->job.operation;
    bool in_blocks = operation == SUP_REDUCE_SCATTER || operation == SUP_ALLTOALL || operation == SUP_SCATTER;
    cell *in = r->memory + r->base[SUP_IN];
    int64_t own = operation == SUP_GATHER || operation == SUP_ALLGATHER ? rank << 32 : 0;
    if (operation == SUP_BROADCAST && rank == root)
        for (int64_t k = 0; k < r->size[SUP_OUT]; k++) r->memory[r->base[SUP_OUT] + k] = leaf_cell(rank, k);
    for (int64_t k = 0; k < r->size[SUP_IN] && !in_blocks; k++) in[k] = leaf_cell(rank, own | k);
    for (int64_t i = 0, at, bytes; in_blocks && r->size[SUP_IN] && i < r->job.processes; i++) {
        block_at(r, true, i, &at, &bytes);
        for (int64_t k = 0; k < bytes; k++) in[at + k] = leaf_cell(rank, i << 32 | k);
    }
}

/* IN and OUT as one memory where the operation allows it. */
static void alias(rank_state *r, int64_t rank, int64_t root) {
    int64_t at, bytes;
    switch (r->job.operation) {
    case SUP_REDUCE:
        if (rank != root) return;
        /* fall through */
    case SUP_ALLREDUCE:
    case SUP_SCAN:
    case SUP_EXSCAN: r->base[SUP_OUT] = r->base[SUP_IN]; return;
    case SUP_GATHER:
        if (rank != root) return;
        /* fall through */
    case SUP_ALLGATHER:
        block_at(r, false, rank, &at, &bytes);
        r->base[SUP_IN] = r->base[SUP_OUT] + at;
        return;
    case SUP_SCATTER:
        if (rank != root) return;
        block_at(r, true, rank, &at, &bytes);
        r->base[SUP_OUT] = r->base[SUP_IN] + at;
        return;
    default: return;
    }
}

/* A machine that has walked and filled its memory. false: the algorithm does not do this. */
static bool prepare(machine *m, const sup_algorithm *a, const test_case *c) {
    *m = (machine){.walker.take = machine_takes, .algorithm = a, .processes = c->processes, .aliased = c->aliased};
    m->rank = calloc((size_t)c->processes, sizeof *m->rank);
    assert_non_null(m->rank);
    for (int64_t rank = 0; rank < c->processes; rank++) {
        rank_state *r = &m->rank[rank];
        sup_diag diag;
        ask(r, a->operation, rank, c);
        assert_int_equal(sup_job_check(&r->job, &diag), SUP_OK);
        if (!sup_algorithm_fits(a, &r->job)) {
            assert_int_equal(rank, 0); /* all find the same */
            machine_free(m);
            return false;
        }
        r->size[SUP_TEMP] = a->temp ? a->temp(&r->job, rank) : 0;
        assert_true(r->size[SUP_TEMP] >= 0);
        r->base[SUP_OUT] = r->size[SUP_IN];
        r->base[SUP_TEMP] = r->size[SUP_IN] + r->size[SUP_OUT];
        r->memory = calloc((size_t)(r->base[SUP_TEMP] + r->size[SUP_TEMP]) + 1, sizeof *r->memory);
        assert_non_null(r->memory);
        if (c->aliased) alias(r, rank, c->root);
        fill(r, rank, c->root);
        m->walking = r;
        assert_int_equal(a->walk(&r->job, rank, &m->walker), SUP_OK);
        r->under_way = calloc(r->count + 1, sizeof *r->under_way);
        assert_non_null(r->under_way);
    }
    return true;
}

/* A run of bytes of OUT that must be `byte` … of ranks [first, last], folded in order if that was promised. */
static bool holds(machine *m, int64_t rank, int64_t at, int64_t bytes, int64_t byte, int64_t first, int64_t last) {
    const rank_state *r = &m->rank[rank];
    bool ordered = m->algorithm->traits & SUP_ALGORITHM_ORDERED;
    uint64_t set[2] = {0, 0};
    for (int64_t k = first; k <= last; k++) set[k / 64] |= (uint64_t)1 << (k % 64);
    for (int64_t k = 0; k < bytes; k++) {
        const cell *x = &r->memory[r->base[SUP_OUT] + at + k];
        if (x->set[0] != set[0] || x->set[1] != set[1] || x->byte != byte + k)
            return machine_fails(m, "rank %d: byte %d of OUT is not what it should be", (int)rank, (int)(at + k));
        if (ordered && (x->first != first || x->last != last))
            return machine_fails(m, "rank %d: byte %d is folded in another order", (int)rank, (int)(at + k));
    }
    return true;
}

/* Blocks of OUT, and nothing between them. */
static bool holds_blocks(machine *m, int64_t rank) {
    const rank_state *r = &m->rank[rank];
    int64_t covered = 0, known = 0;
    for (int64_t i = 0, at, bytes; i < m->processes; i++) {
        block_at(r, false, i, &at, &bytes);
        int64_t block = r->job.operation == SUP_ALLTOALL ? rank : i;
        if (!holds(m, rank, at, bytes, block << 32, i, i)) return false;
        covered += bytes;
    }
    for (int64_t k = 0; k < r->size[SUP_OUT]; k++) known += cell_known(&r->memory[r->base[SUP_OUT] + k]);
    return known == covered || machine_fails(m, "rank %d: something was written between blocks", (int)rank);
}

static bool right(machine *m, int64_t rank) {
    const rank_state *r = &m->rank[rank];
    int64_t root = r->job.root, last = m->processes - 1, own = r->size[SUP_OUT];
    switch (r->job.operation) {
    case SUP_BROADCAST: return holds(m, rank, 0, own, 0, root, root);
    case SUP_SCATTER: return holds(m, rank, 0, own, rank << 32, root, root);
    case SUP_GATHER: return rank != root || holds_blocks(m, rank);
    case SUP_ALLGATHER:
    case SUP_ALLTOALL: return holds_blocks(m, rank);
    case SUP_REDUCE:
    case SUP_ALLREDUCE: return holds(m, rank, 0, own, 0, 0, last);
    case SUP_REDUCE_SCATTER: return holds(m, rank, 0, own, rank << 32, 0, last);
    case SUP_SCAN: return holds(m, rank, 0, own, 0, 0, rank);
    case SUP_EXSCAN: return !rank || holds(m, rank, 0, own, 0, 0, rank - 1);
    default: return true;
    }
}

/* All ranks have the same bits of a sum that rounds. */
static bool same_brackets(machine *m) {
    if (m->rank[0].job.operation != SUP_ALLREDUCE) return true;
    for (int64_t r = 1; r < m->processes; r++)
        for (int64_t k = 0; k < m->rank[0].size[SUP_OUT]; k++)
            if (m->rank[0].memory[m->rank[0].base[SUP_OUT] + k].brackets !=
                m->rank[r].memory[m->rank[r].base[SUP_OUT] + k].brackets)
                return machine_fails(m, "rank %d brackets byte %d in another way", (int)r, (int)k);
    return true;
}

/* Everyone of a barrier has heard of everyone: the messages as a relation, stage after stage. */
static bool everyone_heard(machine *m) {
    if (m->rank[0].job.operation != SUP_BARRIER) return true;
    cell *heard = calloc((size_t)m->processes, sizeof *heard), *next = calloc((size_t)m->processes, sizeof *next);
    bool all = heard && next;
    for (int64_t r = 0; all && r < m->processes; r++) heard[r] = leaf_cell(r, 0);
    for (int stage = 0, more = 1; all && more; stage++) {
        more = 0;
        memcpy(next, heard, (size_t)m->processes * sizeof *next);
        for (int64_t r = 0; r < m->processes; r++)
            for (size_t k = 0; k < m->rank[r].count; k++) {
                const sup_action *a = &m->rank[r].action[k];
                more |= a->stage > stage;
                for (int half = 0; a->kind == SUP_RECEIVE && a->stage == stage && half < 2; half++)
                    next[r].set[half] |= heard[a->peer].set[half];
            }
        memcpy(heard, next, (size_t)m->processes * sizeof *next);
    }
    for (int64_t r = 0; all && r < m->processes; r++)
        all = __builtin_popcountll(heard[r].set[0]) + __builtin_popcountll(heard[r].set[1]) == m->processes;
    free(heard);
    free(next);
    return all || machine_fails(m, "somebody leaves the barrier too early");
}

static bool carry_out(machine *m) {
    bool good = machine_run(m);
    for (int64_t r = 0; good && r < m->processes; r++) good = right(m, r);
    return good && same_brackets(m) && everyone_heard(m);
}

static long runs;

static void prove(const sup_algorithm *a, const test_case *c) {
    machine m;
    if (!prepare(&m, a, c)) return;
    if (!carry_out(&m))
        fail_msg("%s %s, P = %d, root %d, %d bytes of %d, segment %d, layout %d%s: %s",
                 sup_operation_names[a->operation], a->name, (int)c->processes, (int)c->root, (int)c->bytes,
                 (int)c->element, (int)c->segment, c->layout, c->aliased ? ", in place" : "", m.error);
    runs++;
    machine_free(&m);
}

/* All sizes, layouts and so on of one number of processes and one root. */
static void prove_sizes(const sup_algorithm *a, int64_t P, int64_t root, bool few) {
    bool whole = is_whole(a->operation);
    int64_t vectors[] = {P + 1, 0, 1, P - 1, P, 2 * P + 3}, blocks[] = {3, 0, 1};
    int sizes = few ? 1 : whole ? 6 : 3;
    for (int s = 0; s < sizes; s++) {
        int64_t element = is_fold(a->operation) ? s % 2 + 1 : 1;
        test_case c = {.processes = P,
                       .root = root,
                       .element = element,
                       .bytes = element * (whole ? vectors[s] : blocks[s])};
        c.aliased = s % 2;
        prove(a, &c);
        if (few) continue;
        c.aliased = !c.aliased;
        prove(a, &c);
        if (!(a->traits & SUP_ALGORITHM_SEGMENTS)) continue;
        for (c.segment = 1; c.segment <= 7; c.segment += 3) prove(a, &c);
    }
    for (int layout = few ? 3 : 1; layout <= (few ? 3 : 4) && a->traits & SUP_ALGORITHM_BLOCKS; layout++)
        prove(a, &(test_case){
                     .processes = P, .root = root, .bytes = 2, .element = 2, .layout = layout, .aliased = layout % 2});
}

static void every_algorithm(void **state) {
    (void)state;
    static const int64_t large[] = {64, 65, 127};
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++) {
        if (!(*a)->walk) continue;
        for (int64_t P = 1; P <= (SANITIZED ? 9 : 40); P++) {
            int64_t roots[] = {0, 1, P / 2, P - 1};
            int count = has_root((*a)->operation) && P > 1 ? 4 : 1;
            for (int k = 0; k < count; k++) prove_sizes(*a, P, roots[k], P > 12 && (k ? P % 4 != k : P % 5 != 0));
        }
        for (int k = SANITIZED; k < 3 - SANITIZED; k++)
            prove_sizes(*a, large[k], has_root((*a)->operation) ? large[k] / 3 : 0, true);
    }
    print_message("%ld cases\n", runs);
}

/* ---- broken schedules ---- */

typedef enum breakage { LEFT_OUT, OTHER_PEER, OTHER_PLACE, SHORTER, LATER, TURNED_ROUND, BREAKAGES } breakage;

/* Breaks action k; false: that would not be broken. */
static bool broken(machine *m, int64_t rank, size_t k, breakage how) {
    rank_state *r = &m->rank[rank];
    sup_action *a = &r->action[k];
    bool message = a->kind == SUP_SEND || a->kind == SUP_RECEIVE;
    /* Bruck's alltoall receives in OUT what is not meant for there; now and then it is in its place by chance. */
    if (a->kind == SUP_COPY && a->to == SUP_OUT && r->job.operation == SUP_ALLTOALL && how != OTHER_PLACE) return false;
    switch (how) {
    case LEFT_OUT: memmove(a, a + 1, (--r->count - k) * sizeof *a); return true;
    case OTHER_PEER:
        if (!message || m->processes < 3) return false;
        do a->peer = (a->peer + 1) % m->processes;
        while (a->peer == rank);
        return true;
    case OTHER_PLACE: a->at += a->kind == SUP_SEND && a->at ? -1 : 1; return a->bytes > 0;
    case SHORTER: a->bytes--; return a->bytes > 0;
    case LATER: a->stage++; return message;
    default: a->before = !a->before; return a->kind == SUP_FOLD && m->algorithm->traits & SUP_ALGORITHM_ORDERED;
    }
}

static void broken_ones_are_found(void **state) {
    (void)state;
    long found = 0;
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++)
        for (int64_t P = SANITIZED ? 7 : 5; (*a)->walk && P <= (SANITIZED ? 7 : 8); P++) {
            test_case c = {
                .processes = P, .root = has_root((*a)->operation) ? 2 : 0, .bytes = 2 * P, .element = 1, .segment = 5};
            for (int64_t rank = 0; rank < P; rank++)
                for (size_t k = 0, count = 1; k < count; k++)
                    for (breakage how = 0; how < BREAKAGES; how++) {
                        machine m;
                        if (!prepare(&m, *a, &c)) continue;
                        count = m.rank[rank].count;
                        if (k < count && broken(&m, rank, k, how)) {
                            if (carry_out(&m))
                                fail_msg("%s %s, P = %d: action %d of rank %d broken in way %d goes unnoticed",
                                         sup_operation_names[(*a)->operation], (*a)->name, (int)P, (int)k, (int)rank,
                                         how);
                            found++;
                        }
                        machine_free(&m);
                    }
        }
    print_message("%ld broken schedules found\n", found);
    assert_true(found > 1000);
}

/* ---- walks that are stopped ---- */

typedef struct stopper {
    sup_walker walker;
    int left, calls;
} stopper;

static sup_status stop(sup_walker *walker, const sup_action *action) {
    (void)action;
    stopper *s = (stopper *)walker;
    s->calls++;
    return s->left-- > 0 ? SUP_OK : SUP_EPEER;
}

static void a_walk_ends_when_told(void **state) {
    (void)state;
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++) {
        sup_job job = {.operation = (*a)->operation, .processes = 8, .bytes = 64, .segment_bytes = 8};
        for (int64_t rank = 0; (*a)->walk && rank < 8; rank++)
            for (int left = 0; left < 3; left++) {
                stopper s = {.walker.take = stop, .left = left};
                sup_status status = (*a)->walk(&job, rank, &s.walker);
                assert_int_equal(status, s.calls > left ? SUP_EPEER : SUP_OK);
                assert_true(s.calls <= left + 1);
            }
    }
}

/* ---- the table ---- */

static void the_table_is_in_order(void **state) {
    (void)state;
    int last = 0, shared[SUP_OPERATIONS] = {0}, walks[SUP_OPERATIONS] = {0}, ordered[SUP_OPERATIONS] = {0};
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++) {
        int o = (*a)->operation;
        assert_true(o >= last && o < SUP_OPERATIONS);
        last = o;
        assert_ptr_equal(sup_algorithm_find(o, (*a)->name), *a);
        assert_true(strlen((*a)->name) < 20 && *(*a)->summary);
        assert_int_equal(!(*a)->walk, !!((*a)->traits & SUP_ALGORITHM_SHARED));
        shared[o] += !strcmp((*a)->name, "shared");
        walks[o] += (*a)->walk != NULL;
        ordered[o] += (*a)->walk && (*a)->traits & SUP_ALGORITHM_ORDERED;
    }
    for (int o = 0; o < SUP_OPERATIONS; o++) {
        assert_int_equal(shared[o], 1);
        assert_true(walks[o] >= 1 && (!is_fold(o) || ordered[o] >= 1));
        /* Any number of processes has one. */
        bool any = false;
        for (const sup_algorithm *const *a = sup_algorithms; *a; a++)
            any |= (*a)->walk && sup_algorithm_fits(*a, &(sup_job){.operation = o, .processes = 7, .bytes = 8});
        assert_true(any);
        assert_int_equal(sup_operation_find(sup_operation_names[o]), o);
    }
    assert_null(sup_algorithm_find(SUP_BROADCAST, "bruck"));
    assert_int_equal(sup_operation_find("bcast"), SUP_BROADCAST);
    assert_int_equal(sup_operation_find("reducescatter"), SUP_REDUCE_SCATTER);
    assert_int_equal(sup_operation_find("a2a"), SUP_ALLTOALL);
    assert_int_equal(sup_operation_find("broad"), SUP_OPERATIONS);
    assert_int_equal(sup_operation_find(""), SUP_OPERATIONS);
    assert_false(sup_algorithm_fits(sup_algorithm_find(SUP_ALLGATHER, "doubling"),
                                    &(sup_job){.operation = SUP_ALLGATHER, .processes = 6, .bytes = 8}));
    assert_false(sup_algorithm_fits(sup_algorithm_find(SUP_ALLGATHER, "neighbour"),
                                    &(sup_job){.operation = SUP_ALLGATHER, .processes = 7, .bytes = 8}));
}

/* ---- jobs and choices ---- */

static void refused(sup_job job, const char *word) {
    sup_diag diag;
    assert_int_equal(sup_job_check(&job, &diag), SUP_EINVAL);
    if (!strstr(diag.text, word)) fail_msg("\"%s\" does not say \"%s\"", diag.text, word);
}

static void jobs_are_checked(void **state) {
    (void)state;
    int64_t lengths[3] = {4, 8, 12}, negative[3] = {4, -1, 0}, huge[3] = {INT64_MAX / 2, INT64_MAX / 2, 5};
    int64_t far[3] = {0, INT64_MAX - 1, 4};
    refused((sup_job){.operation = SUP_OPERATIONS, .processes = 1}, "operation");
    refused((sup_job){.operation = -1, .processes = 1}, "operation");
    refused((sup_job){.operation = SUP_SCAN}, "processes");
    refused((sup_job){.operation = SUP_SCAN, .processes = (int64_t)1 << 31}, "processes");
    refused((sup_job){.operation = SUP_BROADCAST, .processes = 4, .root = 4}, "root 4");
    refused((sup_job){.operation = SUP_GATHER, .processes = 4, .root = -1}, "root -1");
    refused((sup_job){.operation = SUP_SCAN, .processes = 4, .bytes = -1}, "-1 bytes");
    refused((sup_job){.operation = SUP_SCAN, .processes = 4, .bytes = 6, .element = 4}, "elements");
    refused((sup_job){.operation = SUP_SCAN, .processes = 4, .element = -4}, "elements");
    refused((sup_job){.operation = SUP_BROADCAST, .processes = 4, .segment_bytes = -4}, "segments");
    refused((sup_job){.operation = SUP_BROADCAST, .processes = 4, .radix = -4}, "radix");
    refused((sup_job){.operation = SUP_ALLTOALL, .processes = 1 << 20, .bytes = (int64_t)1 << 43}, "counted");
    refused((sup_job){.operation = SUP_ALLGATHER, .processes = 3, .out_bytes = negative}, "block 1");
    refused((sup_job){.operation = SUP_ALLGATHER, .processes = 3, .out_bytes = huge}, "counted");
    refused((sup_job){.operation = SUP_ALLGATHER, .processes = 3, .out_bytes = lengths, .out_at = far}, "counted");
    refused((sup_job){.operation = SUP_ALLGATHER, .processes = 3, .out_bytes = lengths, .out_at = negative}, "before");
    refused((sup_job){.operation = SUP_ALLGATHER, .processes = 3, .in_bytes = lengths}, "no blocks");
    refused((sup_job){.operation = SUP_ALLGATHER, .processes = 3, .out_at = lengths}, "without their lengths");
    refused((sup_job){.operation = SUP_ALLTOALL, .processes = 3, .in_bytes = lengths}, "one of its buffers");
    refused((sup_job){.operation = SUP_REDUCE_SCATTER, .processes = 3, .element = 8, .in_bytes = lengths}, "block 0");
    refused((sup_job){.operation = SUP_SCATTER, .processes = 3, .out_bytes = negative + 1}, "-1 bytes");
    sup_diag diag;
    sup_job good = {.operation = SUP_ALLGATHER, .processes = 3, .root = 17, .out_bytes = lengths};
    assert_int_equal(sup_job_check(&good, &diag), SUP_OK);
    assert_int_equal(sup_job_total(&good), 24);
    assert_int_equal(sup_job_total(&(sup_job){.operation = SUP_ALLTOALL, .processes = 5, .bytes = 7}), 35);
    assert_int_equal(sup_job_total(&(sup_job){.operation = SUP_REDUCE, .processes = 5, .bytes = 7}), 7);
    assert_int_equal(sup_job_total(&(sup_job){.operation = SUP_BARRIER, .processes = 5, .bytes = 7}), 0);
    good.operation = SUP_ALLTOALL;
    good.in_bytes = lengths;
    assert_int_equal(sup_job_total(&good), 0); /* ranks do not know the same */
}

static void choices_are_text(void **state) {
    (void)state;
    static const struct {
        int operation;
        const char *text, *again;
    } good[] = {
        {SUP_BROADCAST, "binomial", NULL},
        {SUP_BROADCAST, "pipeline/64K", NULL},
        {SUP_BROADCAST, "pipeline/65536", "pipeline/64K"},
        {SUP_BROADCAST, "pipeline/1000", NULL},
        {SUP_BROADCAST, "hosts binary/3M", NULL},
        {SUP_BROADCAST, "shared:4", NULL},
        {SUP_BROADCAST, "shared:4/32K", NULL},
        {SUP_BROADCAST, "mpi", NULL},
        {SUP_ALLREDUCE, "hosts rabenseifner", NULL},
        {SUP_BARRIER, "dissemination", NULL},
        {SUP_BROADCAST, "pipeline/8589934591G", NULL},
        {SUP_BROADCAST, "pipeline/2048G", NULL},
    };
    static const struct {
        int operation;
        const char *text, *word;
    } bad[] = {
        {SUP_BROADCAST, "bruck", "scatter-ring, shared, mpi"},
        {SUP_BROADCAST, "", "linear, chain"},
        {SUP_ALLTOALL, "Pairwise", "linear, pairwise, bruck"},
        {SUP_BROADCAST, "pipeline/", "64K"},
        {SUP_BROADCAST, "pipeline/0", "64K"},
        {SUP_BROADCAST, "pipeline/-1", "64K"},
        {SUP_BROADCAST, "pipeline/64Q", "Q"},
        {SUP_BROADCAST, "pipeline/64K ", "not understood"},
        {SUP_BROADCAST, "pipeline/9223372036854775808", "64K"},
        {SUP_BROADCAST, "pipeline/9007199254740992K", "64K"},
        {SUP_BROADCAST, "binomial/4K", "segments"},
        {SUP_BROADCAST, "binomial:2", "radix"},
        {SUP_BROADCAST, "shared:1", "from 2 to"},
        {SUP_BROADCAST, "shared:", "from 2 to"},
        {SUP_BROADCAST, "shared:65536", "from 2 to"},
        {SUP_BROADCAST, "hosts shared", "between hosts"},
        {SUP_BROADCAST, "hosts mpi", "no algorithm"},
        {SUP_BROADCAST, "hosts  binomial", "no algorithm"},
        {SUP_BROADCAST, "hosts", "no algorithm"},
        {SUP_BROADCAST, "binomial binomial", "not understood"},
        {SUP_BROADCAST, " binomial", "no algorithm"},
        {SUP_OPERATIONS, "mpi", "operation"},
    };
    char text[SUP_CHOICE_TEXT];
    sup_choice choice;
    sup_diag diag;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        assert_int_equal(sup_choice_read(good[k].operation, good[k].text, &diag, &choice), SUP_OK);
        assert_string_equal(sup_choice_text(&choice, text), good[k].again ? good[k].again : good[k].text);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        if (sup_choice_read(bad[k].operation, bad[k].text, &diag, &choice) != SUP_EINVAL)
            fail_msg("\"%s\" is taken", bad[k].text);
        if (!strstr(diag.text, bad[k].word)) fail_msg("\"%s\" does not say \"%s\"", diag.text, bad[k].word);
    }
    char longer[1000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_int_equal(sup_choice_read(SUP_SCAN, longer, &diag, &choice), SUP_EINVAL);
    /* The longest that can be written. */
    choice = (sup_choice){.algorithm = sup_algorithm_find(SUP_BROADCAST, "scatter-doubling"),
                          .hosts = true,
                          .radix = INT32_MAX,
                          .segment_bytes = INT64_MAX};
    assert_true(strlen(sup_choice_text(&choice, text)) < SUP_CHOICE_TEXT - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm),       cmocka_unit_test(broken_ones_are_found),
        cmocka_unit_test(a_walk_ends_when_told), cmocka_unit_test(the_table_is_in_order),
        cmocka_unit_test(jobs_are_checked),      cmocka_unit_test(choices_are_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
