/* A slow, obviously correct BSPlib: the rules of bsp.h written down as a program, to test the tests and to be compared
 * with. bsp_begin forks; every process appends what it asks for to a log that all can read; bsp_sync carries the logs
 * out in the order that bsp.h states, with a barrier between the steps:
 *
 *     all logs complete | owners answer gets | gets write, puts write by source rank, messages arrive, registrations
 * change |
 *
 * Nothing here is fast, and only misuse that would corrupt memory is found. REFBSP_NPROCS is the number of processes.
 */
#include <bsp.h>

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PROCS 64
#define LOG_BYTES ((size_t)1 << 30)
#define MAX_SLOTS 20000

enum kind { PUT, GET, SEND };

typedef struct op {
    enum kind kind;
    int target;
    size_t slot, offset, nbytes, tag_nbytes, stride;
    void *dst;
    _Alignas(16) unsigned char data[]; /* put: bytes; get: the owner's answer; send: tag, padding, payload */
} op;

typedef struct area {
    const void *addr;
    size_t size;
} area;

typedef struct change {
    const void *addr;
    size_t size;
    bool push;
} change;

typedef struct shared {
    pthread_barrier_t barrier;
    pid_t pids[MAX_PROCS];
    size_t used[MAX_PROCS];
    size_t slots[MAX_PROCS];
    area table[MAX_PROCS][MAX_SLOTS];
    size_t nchanges[MAX_PROCS];
    change changes[MAX_PROCS][MAX_SLOTS];
} shared;

typedef struct message {
    size_t tag_nbytes, nbytes;
    unsigned char *tag, *payload;
} message;

static shared *all;
static unsigned char *logs[MAX_PROCS];
static int nprocs, pid;
static bool inside, ended;
static unsigned long superstep;
static struct timespec start;
static message *queue;
static size_t queued, next;
static size_t tagsize, new_tagsize;

static size_t pad(size_t n) { return (n + 15) / 16 * 16; }

/* ---- failure ---- */

static void end_all(void) {
    fflush(NULL);
    if (all)
        for (int i = 0; i < nprocs; i++)
            if (all->pids[i] && all->pids[i] != getpid()) kill(all->pids[i], SIGTERM);
    _exit(1);
}

static void on_term(int signal) {
    (void)signal;
    _exit(1);
}

void bsp_vabort(const char *format, va_list args) {
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    end_all();
    abort();
}

void bsp_abort(const char *format, ...) {
    va_list args;
    va_start(args, format);
    bsp_vabort(format, args);
    va_end(args);
}

static void fail(const char *call, const char *reason) {
    if (inside)
        bsp_abort("%s: %s (rank %d, superstep %lu)", call, reason, pid, superstep);
    else
        bsp_abort("%s: %s", call, reason);
}

static void need_inside(const char *call) {
    if (!inside) fail(call, ended ? "called after bsp_end" : "called before bsp_begin");
}

static void *grown(void *p, size_t nbytes) {
    p = realloc(p, nbytes ? nbytes : 1);
    if (!p) fail("reference", "out of memory");
    return p;
}

/* ---- starting and ending ---- */

void bsp_init(void (*spmd)(void), int argc, char **argv) {
    (void)argc, (void)argv;
    if (!spmd) fail("bsp_init", "no function given");
    if (inside || ended) fail("bsp_init", "called after bsp_begin");
}

static void at_exit(void) {
    if (inside) fail("bsp_end", "the program exits without calling it");
}

static int available(void) {
    const char *text = getenv("REFBSP_NPROCS");
    int n = text ? atoi(text) : 4;
    return n < 1 ? 1 : n > MAX_PROCS ? MAX_PROCS : n;
}

static void *map(size_t nbytes) {
    void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) fail("bsp_begin", "out of memory");
    return p;
}

void bsp_begin(int maxprocs) {
    if (inside) fail("bsp_begin", "called a second time");
    if (ended) fail("bsp_begin", "called after bsp_end");
    if (maxprocs < 1) fail("bsp_begin", "the number of processes must be at least 1");
    nprocs = maxprocs < available() ? maxprocs : available();
    all = map(sizeof *all);
    for (int i = 0; i < nprocs; i++) logs[i] = map(LOG_BYTES);
    pthread_barrierattr_t attr;
    pthread_barrierattr_init(&attr);
    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&all->barrier, &attr, (unsigned)nprocs);
    signal(SIGTERM, on_term);
    fflush(NULL);
    all->pids[0] = getpid();
    for (int i = 1; i < nprocs && pid == 0; i++) {
        pid_t child = fork();
        if (child < 0) fail("bsp_begin", "cannot start a process");
        if (child == 0)
            pid = i, all->pids[i] = getpid();
        else
            all->pids[i] = child;
    }
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* for bsp_direct_get, where the kernel is strict */
    atexit(at_exit);
    inside = true;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pthread_barrier_wait(&all->barrier);
}

void bsp_end(void) {
    need_inside("bsp_end");
    pthread_barrier_wait(&all->barrier);
    inside = false;
    ended = true;
    if (pid > 0) exit(0);
    for (int i = 1, status = 0; i < nprocs; i++)
        if (waitpid(all->pids[i], &status, 0) > 0 && status != 0) bsp_abort("bsp_end: a process failed");
    for (size_t i = 0; i < queued; i++) free(queue[i].tag);
    free(queue);
}

int bsp_nprocs(void) { return inside || ended ? nprocs : available(); }

int bsp_pid(void) {
    need_inside("bsp_pid");
    return pid;
}

double bsp_time(void) {
    need_inside("bsp_time");
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) * 1e-9;
}

/* ---- asking ---- */

static op *append(enum kind kind, int target, size_t room) {
    size_t stride = pad(sizeof(op) + room);
    if (stride > LOG_BYTES - all->used[pid]) fail("reference", "log full");
    op *o = (op *)(void *)(logs[pid] + all->used[pid]);
    *o = (op){.kind = kind, .target = target, .stride = stride};
    all->used[pid] += stride;
    return o;
}

static void check_target(const char *call, int target, size_t nbytes) {
    need_inside(call);
    if (target < 0 || target >= nprocs)
        bsp_abort("%s: there is no process %d (rank %d, superstep %lu)", call, target, pid, superstep);
    if (nbytes > PTRDIFF_MAX) fail(call, "negative size");
}

/* The latest association of the address on a process. */
static size_t find_on(int who, const char *call, const void *addr) {
    for (size_t i = all->slots[who]; i-- > 0;)
        if (all->table[who][i].addr == addr) return i;
    bsp_abort("%s: the address is not registered (rank %d, superstep %lu)", call, who, superstep);
    return 0;
}

static size_t find(const char *call, const void *addr) { return find_on(pid, call, addr); }

static op *remote(const char *call, enum kind kind, int target, const void *addr, size_t offset, size_t nbytes) {
    check_target(call, target, nbytes);
    if (nbytes == 0) return NULL;
    size_t slot = find(call, addr), size = all->table[target][slot].size;
    if (offset > PTRDIFF_MAX) fail(call, "negative offset");
    if (offset > size || nbytes > size - offset) fail(call, "outside the registered area");
    op *o = append(kind, target, nbytes);
    o->slot = slot, o->offset = offset, o->nbytes = nbytes;
    return o;
}

static void put(const char *call, int target, const void *src, const void *dst, size_t offset, size_t nbytes) {
    op *o = remote(call, PUT, target, dst, offset, nbytes);
    if (o && !src) fail(call, "src is NULL");
    if (o) memcpy(o->data, src, nbytes);
}

static void get(const char *call, int target, const void *src, size_t offset, void *dst, size_t nbytes) {
    op *o = remote(call, GET, target, src, offset, nbytes);
    if (o && !dst) fail(call, "dst is NULL");
    if (o) o->dst = dst;
}

void bsp_put(int target, const void *src, const void *dst, size_t offset, size_t nbytes) {
    put("bsp_put", target, src, dst, offset, nbytes);
}

void bsp_hpput(int target, const void *src, const void *dst, size_t offset, size_t nbytes) {
    put("bsp_hpput", target, src, dst, offset, nbytes);
}

void bsp_get(int target, const void *src, size_t offset, void *dst, size_t nbytes) {
    get("bsp_get", target, src, offset, dst, nbytes);
}

void bsp_hpget(int target, const void *src, size_t offset, void *dst, size_t nbytes) {
    get("bsp_hpget", target, src, offset, dst, nbytes);
}

/* Everything of the last superstep is carried out when anybody leaves its sync. */
void bsp_direct_get(int target, const void *src, size_t offset, void *dst, size_t nbytes) {
    check_target("bsp_direct_get", target, nbytes);
    if (nbytes == 0) return;
    const area *a = &all->table[target][find("bsp_direct_get", src)];
    if (offset > a->size || nbytes > a->size - offset) fail("bsp_direct_get", "outside the registered area");
    struct iovec here = {dst, nbytes}, there = {(char *)(uintptr_t)a->addr + offset, nbytes};
    if (target == pid)
        memmove(dst, there.iov_base, nbytes);
    else if (process_vm_readv(all->pids[target], &here, 1, &there, 1, 0) != (ssize_t)nbytes)
        fail("bsp_direct_get", "the kernel does not copy");
}

static void queue_change(change c) {
    if (all->nchanges[pid] == MAX_SLOTS) fail("reference", "too many changes of registrations");
    all->changes[pid][all->nchanges[pid]++] = c;
}

void bsp_push_reg(const void *addr, size_t size) {
    need_inside("bsp_push_reg");
    if (size > PTRDIFF_MAX) fail("bsp_push_reg", "negative size");
    if (!addr && size) fail("bsp_push_reg", "NULL with a size");
    queue_change((change){addr, size, true});
}

void bsp_pop_reg(const void *addr) {
    need_inside("bsp_pop_reg");
    queue_change((change){addr, 0, false});
}

void bsp_send(int target, const void *tag, const void *payload, size_t nbytes) {
    check_target("bsp_send", target, nbytes);
    if (nbytes && !payload) fail("bsp_send", "payload is NULL");
    if (tagsize && !tag) fail("bsp_send", "tag is NULL");
    op *o = append(SEND, target, pad(tagsize) + nbytes);
    o->nbytes = nbytes, o->tag_nbytes = tagsize;
    if (tagsize) memcpy(o->data, tag, tagsize);
    if (nbytes) memcpy(o->data + pad(tagsize), payload, nbytes);
}

/* ---- carrying out ---- */

static void *base(const op *o) { return (unsigned char *)(uintptr_t)all->table[pid][o->slot].addr + o->offset; }

static void receive(const op *o) {
    message m = {.tag_nbytes = o->tag_nbytes, .nbytes = o->nbytes};
    size_t room = pad(o->tag_nbytes) + o->nbytes;
    m.tag = grown(NULL, room);
    memcpy(m.tag, o->data, room);
    m.payload = m.tag + pad(o->tag_nbytes);
    if ((queued & (queued - 1)) == 0) queue = grown(queue, (queued ? 2 * queued : 1) * sizeof *queue);
    queue[queued++] = m;
}

static void each(int source, void (*apply)(op *), enum kind kind, bool mine_only) {
    for (size_t at = 0; at < all->used[source];) {
        op *o = (op *)(void *)(logs[source] + at);
        if (o->kind == kind && (!mine_only || o->target == pid)) apply(o);
        at += o->stride;
    }
}

static void answer(op *o) { memcpy(o->data, base(o), o->nbytes); }
static void finish_get(op *o) { memcpy(o->dst, o->data, o->nbytes); }
static void finish_put(op *o) { memcpy(base(o), o->data, o->nbytes); }
static void finish_send(op *o) { receive(o); }

/* What change i, a pop, is of: NULL stands for what the others name; if all give it, for the latest that is NULL on
 * all. */
static size_t popped(size_t i) {
    size_t slot = SIZE_MAX;
    for (int p = 0; p < nprocs; p++) {
        const change *c = &all->changes[p][i];
        if (c->push) fail("bsp_pop_reg", "not called alike");
        if (!c->addr) continue;
        size_t named = find_on(p, "bsp_pop_reg", c->addr);
        if (slot != SIZE_MAX && slot != named) fail("bsp_pop_reg", "other registrations");
        slot = named;
    }
    for (size_t s = all->slots[0]; slot == SIZE_MAX && s-- > 0;) {
        bool null = true;
        for (int p = 0; p < nprocs; p++) null = null && !all->table[p][s].addr;
        if (null) slot = s;
    }
    if (slot == SIZE_MAX) fail("bsp_pop_reg", "NULL is not registered");
    for (int p = 0; p < nprocs; p++)
        if (!all->changes[p][i].addr && all->table[p][slot].addr) fail("bsp_pop_reg", "NULL for an address");
    return slot;
}

/* One process does it for all. */
static void change_registrations(void) {
    for (int p = 1; p < nprocs; p++)
        if (all->nchanges[p] != all->nchanges[0]) fail("bsp_push_reg", "not called alike");
    for (size_t i = 0; i < all->nchanges[0]; i++) {
        bool push = all->changes[0][i].push;
        size_t n = all->slots[0], slot = push ? n : popped(i);
        if (slot == MAX_SLOTS) fail("reference", "too many registrations");
        for (int p = 0; p < nprocs; p++) {
            const change *c = &all->changes[p][i];
            area *table = all->table[p];
            if (c->push != push) fail("bsp_push_reg", "not called alike");
            if (push)
                table[n] = (area){c->addr, c->size};
            else
                memmove(table + slot, table + slot + 1, (n - slot - 1) * sizeof *table);
            all->slots[p] = push ? n + 1 : n - 1;
        }
    }
    for (int p = 0; p < nprocs; p++) all->nchanges[p] = 0;
}

void bsp_sync(void) {
    need_inside("bsp_sync");
    pthread_barrier_wait(&all->barrier);
    for (int source = 0; source < nprocs; source++) each(source, answer, GET, true);
    for (size_t i = 0; i < queued; i++) free(queue[i].tag);
    queued = next = 0;
    pthread_barrier_wait(&all->barrier);
    each(pid, finish_get, GET, false);
    for (int source = 0; source < nprocs; source++) each(source, finish_put, PUT, true);
    for (int source = 0; source < nprocs; source++) each(source, finish_send, SEND, true);
    pthread_barrier_wait(&all->barrier);
    all->used[pid] = 0;
    if (pid == 0) change_registrations();
    tagsize = new_tagsize;
    superstep++;
    pthread_barrier_wait(&all->barrier);
}

/* ---- reading messages ---- */

static void store(const char *call, void *where, int width, size_t value) {
    size_t limit = width == BSP_AS_INT ? INT32_MAX : width == BSP_AS_UINT ? UINT32_MAX : SIZE_MAX;
    if (value != SIZE_MAX && value > limit) fail(call, "the value does not fit the type of the variable");
    if (width == BSP_AS_INT || width == BSP_AS_UINT)
        *(unsigned *)where = (unsigned)value;
    else if (width != BSP_AS_NONE)
        *(size_t *)where = value;
}

void bsp_set_tagsize_as(void *tag_nbytes, int width) {
    need_inside("bsp_set_tagsize");
    if (!tag_nbytes) fail("bsp_set_tagsize", "the pointer is NULL");
    ptrdiff_t n = width == BSP_AS_INT    ? *(int *)tag_nbytes
                  : width == BSP_AS_UINT ? (ptrdiff_t) * (unsigned *)tag_nbytes
                                         : *(ptrdiff_t *)tag_nbytes;
    if (n < 0) fail("bsp_set_tagsize", "negative size");
    store("bsp_set_tagsize", tag_nbytes, width, new_tagsize);
    new_tagsize = (size_t)n;
}

void bsp_qsize_as(void *packets, int packets_width, void *payload_nbytes, int payload_width) {
    need_inside("bsp_qsize");
    size_t sum = 0;
    for (size_t i = next; i < queued; i++) sum += queue[i].nbytes;
    store("bsp_qsize", packets, packets_width, queued - next);
    store("bsp_qsize", payload_nbytes, payload_width, sum);
}

void bsp_get_tag_as(void *status, int width, void *tag) {
    need_inside("bsp_get_tag");
    if (next < queued && queue[next].tag_nbytes && !tag) fail("bsp_get_tag", "tag is NULL");
    store("bsp_get_tag", status, width, next == queued ? SIZE_MAX : queue[next].nbytes);
    if (next < queued && queue[next].tag_nbytes) memcpy(tag, queue[next].tag, queue[next].tag_nbytes);
}

void bsp_move(void *payload, size_t max_nbytes) {
    need_inside("bsp_move");
    if (next == queued) fail("bsp_move", "the queue is empty");
    if (max_nbytes > PTRDIFF_MAX) fail("bsp_move", "negative size");
    message *m = &queue[next++];
    size_t n = m->nbytes < max_nbytes ? m->nbytes : max_nbytes;
    if (n && !payload) fail("bsp_move", "payload is NULL");
    if (n) memcpy(payload, m->payload, n);
}

ptrdiff_t bsp_hpmove(void **tag, void **payload) {
    need_inside("bsp_hpmove");
    if (next == queued) return -1;
    message *m = &queue[next++];
    if (!tag || !payload) fail("bsp_hpmove", tag ? "payload is NULL" : "tag is NULL");
    *tag = m->tag;
    *payload = m->payload;
    return (ptrdiff_t)m->nbytes;
}

void(bsp_set_tagsize)(int *tag_nbytes) { bsp_set_tagsize_as(tag_nbytes, BSP_AS_INT); }
void(bsp_qsize)(int *packets, int *nbytes) { bsp_qsize_as(packets, BSP_AS_INT, nbytes, nbytes ? BSP_AS_INT : 0); }
void(bsp_get_tag)(int *status, void *tag) { bsp_get_tag_as(status, BSP_AS_INT, tag); }
