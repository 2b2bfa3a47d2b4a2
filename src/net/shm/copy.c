/* Memory of others over shared memory (shm/net.h): what is mapped here is addressed, all else is moved by one copy of
 * the kernel (process_vm_readv, process_vm_writev), without the other one's help. */
#include "net/shm/net.h"
#include "net/vm_copy.h"

#include <string.h>

void *shm_direct(sup_net *net, const sup_net_region *region, int peer) {
    const shm_region *r = (const shm_region *)region;
    shm_net *n = shm_of(net);
    return shm_at(n->seg, n->head->regions + r->offset + (size_t)peer * r->stride);
}

void *shm_mapped(sup_net *net, int peer, const void *remote, size_t len) {
    shm_net *n = shm_of(net);
    if (peer == net->rank || n->same_process) return (void *)(uintptr_t)remote;
    for (shm_region *r = n->regions; r; r = r->next) {
        uintptr_t off = (uintptr_t)remote - r->bases[peer];
        if (off < r->base.len && len <= r->base.len - off) return (char *)shm_direct(net, &r->base, peer) + off;
    }
    return NULL;
}

/* The answer to whether the kernel permits it does not change. */
static sup_status copied(shm_net *n, sup_status st) {
    if (st == SUP_EPERM) n->use_cma = false;
    return st;
}

static pid_t pid_of(shm_net *n, int peer) { return atomic_load(&shm_card_of(n->seg, peer)->pid); }

sup_status shm_copy_from(sup_net *net, int peer, void *dst, const void *remote, size_t len) {
    shm_net *n = shm_of(net);
    if ((unsigned)peer >= (unsigned)net->size) return SUP_EINVAL;
    void *mapped = shm_mapped(net, peer, remote, len);
    if (!mapped) return n->use_cma ? copied(n, sup_vm_read(pid_of(n, peer), dst, (uintptr_t)remote, len)) : SUP_EPERM;
    if (len) memmove(dst, mapped, len);
    return SUP_OK;
}

sup_status shm_copy_to(sup_net *net, int peer, void *remote, const void *src, size_t len) {
    shm_net *n = shm_of(net);
    if ((unsigned)peer >= (unsigned)net->size) return SUP_EINVAL;
    void *mapped = shm_mapped(net, peer, remote, len);
    if (!mapped) return n->use_cma ? copied(n, sup_vm_write(pid_of(n, peer), (uintptr_t)remote, src, len)) : SUP_EPERM;
    if (len) memmove(mapped, src, len);
    return SUP_OK;
}
