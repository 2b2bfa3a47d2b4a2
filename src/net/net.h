/* How processes exchange bytes and signals: the one interface that the runtime and the measurements use.
 *
 * A transport is a const table of functions (sup_net_ops) and an object that starts with struct sup_net. There are
 * three: `self` (one process), `shm` (processes of one machine) and `mpi` (a plug-in per MPI implementation, loaded at
 * run time). Callers use the functions below, never the table.
 *
 * Threads: an open net belongs to one thread at a time. Calls from two threads must be serialised by the caller.
 *
 * Failure: every call may return SUP_EPEER once another process of the run is gone; from then on sup_net_failure()
 * says who. Nothing waits for a dead process for ever. Other codes are named with the call.
 *
 * Costs are given in the terms of the pairwise model: O start-up overhead, L latency, B seconds per byte. */
#ifndef SUP_NET_NET_H
#define SUP_NET_NET_H

#include "base/status.h"
#include "net/wait.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUP_NET_ANY (-1)       /* as `peer` of a receive: from whoever sends first */
#define SUP_NET_SLOTS 64       /* signal slots per ordered pair of processes */
#define SUP_NET_TAG_MAX 0x7fff /* user tags are 0 … this */

typedef struct sup_net sup_net;
typedef struct sup_net_region sup_net_region;

/* Request of a non-blocking call. The caller owns the storage and keeps it in place until the call is complete; the
 * transport uses `opaque`. After completion `peer`, `length` say where a receive came from and how long it was. */
typedef struct sup_net_req {
    sup_status status; /* SUP_OK, or why it failed; valid when done */
    bool done;
    bool unrung; /* on its way in steps of a library, of which nobody hears by a bell */
    int peer;
    int tag;
    size_t length;
    _Alignas(16) unsigned char opaque[144];
} sup_net_req;

/* What the launcher tells a process, read from the environment in one place (net/launch/launch.c). */
typedef struct sup_launch {
    bool launched;                /* started by `superstep run`, bsprun, mpirun, mpiexec or srun */
    char net[16];                 /* "auto", "self", "shm", "openmpi", "mpich" */
    int rank, size;               /* -1 where the launcher leaves it to MPI */
    int local_rank, local_size;   /* among the processes of this host; -1 unknown */
    int segment_fd;               /* shm: the inherited shared segment; -1 none */
    bool oversubscribed;          /* more processes than cores were given */
    char plan[1024], trace[1024]; /* files, "" none */
    bool check;                   /* checking mode of the BSP runtime */
    bool no_kernel_copy;          /* processes leave each other's memory alone */
    char engine[16];              /* "", "auto", "eager", "bulk" */
    double deadlock_s;            /* report a stuck sync after so long; 0 never */
    int notice_fd;                /* pipe to the launcher: a byte says that the transport is open; -1, 0 none */
    const char *bad;              /* name of the first variable whose value made no sense and was ignored; NULL none */
    bool refused;                 /* launched, but with more rights than the caller: opening fails */
} sup_launch;

/* Reads SUPERSTEP_* and the variables of the known MPI launchers. Never fails: what is absent has its default. */
void sup_launch_read(sup_launch *out);

extern const char sup_launch_refusal[]; /* why, for people */

/* The same for a process that is going to open the transport: what it starts from then on, by fork and exec, is no part
 * of the run and finds nothing of it. */
void sup_launch_take(sup_launch *out);

/* Opens the transport that `launch` names; "auto" means: the launcher's if there is one, else self.
 * Collective over the processes of the run. SUP_ENOTSUP: no such transport in this installation (diag says which
 * package or file is missing); SUP_EMISMATCH: the segment or plug-in is of another version; SUP_EPEER: a process failed
 * or ended instead; SUP_ENOENT: rank 0 ended well instead, so that there is nothing to do; SUP_EPERM: the launch is
 * refused. */
sup_status sup_net_open(const sup_launch *launch, sup_diag *diag, sup_net **out);

/* Collective. Pending requests must be complete. Cost: one barrier. */
void sup_net_close(sup_net *net);

typedef struct sup_net_ops {
    const char *name;
    void (*close)(sup_net *net);
    const char *(*host)(sup_net *net, int rank);
    sup_status (*isend)(sup_net *net, int peer, int tag, const void *buf, size_t len, sup_net_req *req);
    sup_status (*irecv)(sup_net *net, int peer, int tag, void *buf, size_t cap, sup_net_req *req);
    sup_status (*test)(sup_net *net, sup_net_req *req);
    sup_status (*cancel)(sup_net *net, sup_net_req *req);
    sup_status (*signal)(sup_net *net, int peer, int slot, uint64_t value);
    sup_status (*await)(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value);
    uint64_t (*peek)(sup_net *net, int peer, int slot);
    /* NULL where no memory is shared. */
    bool (*shares)(sup_net *net, int peer);
    sup_status (*publish)(sup_net *net, int slot, uint64_t value, const int *readers, int count);
    sup_status (*await_published)(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value);
    uint64_t (*peek_published)(sup_net *net, int peer, int slot);
    sup_status (*progress)(sup_net *net);
    sup_status (*failure)(sup_net *net, int *rank, int *cause);
    void (*abort)(sup_net *net, int code);
    /* NULL where there is no shared memory. */
    sup_status (*region_alloc)(sup_net *net, size_t len, sup_net_region **out);
    void (*region_free)(sup_net *net, sup_net_region *region);
    void *(*direct)(sup_net *net, const sup_net_region *region, int peer);
    uintptr_t (*region_there)(sup_net *net, const sup_net_region *region, int peer);
    sup_status (*backing)(sup_net *net, const sup_net_region *region, int *fd, size_t *offset);
    /* NULL where the kernel copies nothing between processes. */
    sup_status (*copy_to)(sup_net *net, int peer, void *remote, const void *src, size_t len);
    sup_status (*copy_from)(sup_net *net, int peer, void *dst, const void *remote, size_t len);
    bool (*copies)(sup_net *net, int peer);
} sup_net_ops;

struct sup_net {
    const sup_net_ops *ops;
    int rank, size;
    bool oversubscribed; /* processes exceed cores: do not spin long */
    sup_patience patience;
    bool far;            /* some processes are on other hosts, … */
    sup_patience rung;   /* … and what those of this host ring for takes a way over the network, too */
    sup_patience unrung; /* for requests that are on their way in steps that nobody rings for */
    sup_bell *bell;      /* those that this process waits for ring it; NULL they cannot */
    bool keep_memory;    /* the caller may set it: close leaves allocated regions where they are */
    bool lasts;          /* may stay open until the process exits: nobody else ends what it stands on */
    bool memory_beside;  /* regions are those of a net that the processes of each host have beside this one */
    size_t
        arena_bytes; /* a region of up to so many bytes costs address space only until it is touched; 0 = no regions */
};

struct sup_net_region {
    void *base; /* this process's part */
    size_t len;
};

static inline int sup_net_rank(const sup_net *net) { return net->rank; }
static inline int sup_net_size(const sup_net *net) { return net->size; }
static inline const char *sup_net_name(const sup_net *net) { return net->ops->name; }

/* Name of the host that runs `rank`: two ranks share memory only if the names are equal. Local, O(1). */
static inline const char *sup_net_host(sup_net *net, int rank) { return net->ops->host(net, rank); }

/* ---- tagged messages -------------------------------------------------------------------------------------------
 * Messages from one process with one tag arrive in the order they were sent. A receive takes the oldest message that
 * fits its peer and tag. A message longer than `cap` fills the buffer, completes with SUP_ETRUNC and is gone.
 * The buffer belongs to the transport until the request is done. Sending to oneself is allowed. Any length up to
 * PTRDIFF_MAX. Cost: O at each end, then L + B·len; completes in the background only as far as progress is made. */
static inline sup_status sup_net_isend(sup_net *net, int peer, int tag, const void *buf, size_t len, sup_net_req *req) {
    req->unrung = false;
    return net->ops->isend(net, peer, tag, buf, len, req);
}
static inline sup_status sup_net_irecv(sup_net *net, int peer, int tag, void *buf, size_t cap, sup_net_req *req) {
    req->unrung = false;
    return net->ops->irecv(net, peer, tag, buf, cap, req);
}
/* Makes progress; req->done says whether it completed. Returns req->status when done, SUP_OK when still pending. */
static inline sup_status sup_net_test(sup_net *net, sup_net_req *req) {
    return req->done ? req->status : net->ops->test(net, req);
}
/* Withdraws a receive that has not been matched (SUP_EBUSY: too late, wait for it). */
static inline sup_status sup_net_cancel(sup_net *net, sup_net_req *req) { return net->ops->cancel(net, req); }
/* Until done. */
sup_status sup_net_wait(sup_net *net, sup_net_req *req);
/* … or, where it takes long, until `over` returns why it need not be waited for; the request is pending then. */
sup_status sup_net_wait_watching(sup_net *net, sup_net_req *req, sup_status (*over)(void *context), void *context);
sup_status sup_net_wait_all(sup_net *net, sup_net_req *reqs, int count);

/* ---- shared memory ---------------------------------------------------------------------------------------------
 * A region is one piece of memory per process, zeroed, that all processes of its host can address; alloc and free are
 * collective. SUP_ENOTSUP: the processes of this host share no memory. */
static inline sup_status sup_net_region_alloc(sup_net *net, size_t len, sup_net_region **out) {
    return net->ops->region_alloc ? net->ops->region_alloc(net, len, out) : SUP_ENOTSUP;
}
static inline void sup_net_region_free(sup_net *net, sup_net_region *region) {
    if (region) net->ops->region_free(net, region);
}
/* Can all processes of the run address each other's regions? All of them get the same answer. */
static inline bool sup_net_one_memory(const sup_net *net) { return net->arena_bytes && !net->far; }
/* Where this process may load and store peer's part of a region, NULL if peer is on another host. Ordering is the
 * caller's business: C11 atomics inside the region, or a signal after the stores (signal/await order memory). */
static inline void *sup_net_direct(sup_net *net, const sup_net_region *region, int peer) {
    return net->ops->direct(net, region, peer);
}
/* The address at which peer, of this host, has its part of a region itself. Local, O(1). */
static inline uintptr_t sup_net_region_there(sup_net *net, const sup_net_region *region, int peer) {
    return net->ops->region_there(net, region, peer);
}
/* The file and the offset in it that this process's part of a region is a mapping of. The descriptor stays the
 * transport's. SUP_ENOTSUP: it is not memory of a file. */
static inline sup_status sup_net_region_backing(sup_net *net, const sup_net_region *region, int *fd, size_t *offset) {
    return net->ops->backing(net, region, fd, offset);
}

/* ---- single copies ---------------------------------------------------------------------------------------------
 * Any memory of peer, without its help: mapped here, or by one copy of the kernel (process_vm_writev and readv).
 * Complete when they return. Cost: a system call and B·len. SUP_ENOTSUP, SUP_EPERM: not here, for good; SUP_EINVAL:
 * there is no such memory. */
static inline sup_status sup_net_copy_to(sup_net *net, int peer, void *remote, const void *src, size_t len) {
    return net->ops->copy_to ? net->ops->copy_to(net, peer, remote, src, len) : SUP_ENOTSUP;
}
static inline sup_status sup_net_copy_from(sup_net *net, int peer, void *dst, const void *remote, size_t len) {
    return net->ops->copy_from ? net->ops->copy_from(net, peer, dst, remote, len) : SUP_ENOTSUP;
}
/* Would copy_to and copy_from work between this process and peer? Both give the same answer. */
static inline bool sup_net_copies(sup_net *net, int peer) { return net->ops->copies && net->ops->copies(net, peer); }

/* ---- signals ---------------------------------------------------------------------------------------------------
 * A 64-bit word per (from, to, slot), zero at the start. Each new value on a slot must be larger than the last.
 * Everything the sender wrote into directly addressable memory before a signal is visible to whoever awaits it.
 * signal never blocks on the receiver's speed. peek is the newest value known here, which may be one signal newer with
 * every call. Cost: L. */
static inline sup_status sup_net_signal(sup_net *net, int peer, int slot, uint64_t value) {
    return net->ops->signal(net, peer, slot, value);
}
/* Waits until the word from peer is >= at_least and gives it. */
static inline sup_status sup_net_await(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value) {
    return net->ops->await(net, peer, slot, at_least, value);
}
static inline uint64_t sup_net_peek(sup_net *net, int peer, int slot) { return net->ops->peek(net, peer, slot); }

/* Do signals between this process and peer go through memory that both address? Both give the same answer; a process
 * and itself do. */
static inline bool sup_net_shares(sup_net *net, int peer) { return net->ops->shares && net->ops->shares(net, peer); }
/* A word per (process, slot) that it writes and all that share memory with it may read, of the same rules as signals,
 * and apart from them: one store where signals would take one for each reader. readers: who may be waiting for it, so
 * that they wake. SUP_ENOTSUP: nothing is shared. */
static inline sup_status sup_net_publish(sup_net *net, int slot, uint64_t value, const int *readers, int count) {
    return net->ops->publish ? net->ops->publish(net, slot, value, readers, count) : SUP_ENOTSUP;
}
static inline sup_status sup_net_await_published(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value) {
    return net->ops->await_published ? net->ops->await_published(net, peer, slot, at_least, value) : SUP_ENOTSUP;
}
/* The newest one; of a peer that shares memory with this process. */
static inline uint64_t sup_net_peek_published(sup_net *net, int peer, int slot) {
    return net->ops->peek_published ? net->ops->peek_published(net, peer, slot) : 0;
}

/* ---- the rest --------------------------------------------------------------------------------------------------*/
/* One turn of a loop that waits for something that another process does to memory or sends, and the end of that loop
 * (see net/wait.h). Whatever a transport does for another process rings its bell. */
static inline void sup_net_pause(sup_net *net, sup_wait *w) { sup_wait_pause(w, &net->patience, net->bell); }
static inline void sup_net_waited(sup_net *net, sup_wait *w) { sup_wait_end(w, &net->patience, net->bell); }
/* The same for what is written to memory that both share. */
static inline sup_patience *sup_net_rung(sup_net *net) { return net->far ? &net->rung : &net->patience; }
static inline void sup_net_pause_rung(sup_net *net, sup_wait *w) { sup_wait_pause(w, sup_net_rung(net), net->bell); }
static inline void sup_net_waited_rung(sup_net *net, sup_wait *w) { sup_wait_end(w, sup_net_rung(net), net->bell); }
/* Moves what can be moved without waiting. Cost: a few loads per peer with traffic. */
static inline sup_status sup_net_progress(sup_net *net) { return net->ops->progress(net); }
/* SUP_OK, or SUP_EPEER with the rank that died and its cause: signal number, or 1000 + exit status. */
static inline sup_status sup_net_failure(sup_net *net, int *rank, int *cause) {
    return net->ops->failure(net, rank, cause);
}
/* Ends every process of the run; does not return. */
_Noreturn void sup_net_abort(sup_net *net, int code);

/* Plug-ins: a shared object superstep-net-NAME.so exports `sup_net_plugin`. */
#define SUP_NET_PLUGIN_ABI 7
typedef struct sup_net_plugin {
    int abi;          /* SUP_NET_PLUGIN_ABI */
    const char *name; /* "openmpi", "mpich" */
    const char *library_version;
    sup_status (*open)(const sup_launch *launch, sup_diag *diag, sup_net **out);
} sup_net_plugin;

/* Directory list the loader searches, first hit wins: SUPERSTEP_PLUGIN_PATH, the build tree for what is in it, the
 * install directory. SUP_EPERM: somebody other than root or the caller could have put it there (diag says how). */
sup_status sup_net_plugin_find(const char *name, sup_diag *diag, const sup_net_plugin **out);
/* Where a library is that lies beside the plug-ins, or in this folder of the build tree. SUP_ENOENT; SUP_EPERM. */
sup_status sup_net_plugin_locate(const char *file, const char *folder, sup_diag *diag, char *out, size_t size);

#endif
