/* The heap in children that a BSP process forks. The memory is shared, so a child that writes to a block it inherited
 * would write into its parent's data. Where the file behind the memory is known the child gets a private view instead:
 *
 *     parent   prepare ── fork ── waits ─────────────────────────── goes on
 *     child                └───── maps privately, copies small ──┘  goes on
 *
 * Small blocks, in which programs keep their structures, are copied while the parent waits: the child sees them as they
 * were. Blocks over 1 MiB are copied page by page when the child writes there; until then it sees what the parent
 * writes. That keeps fork and exec cheap for a process with large arrays. */
#include "bsp/heap/page.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    COPIED_RUN = 16,   /* pages of the longest run that is copied at once */
    COPIED_ALL = 16384 /* pages copied at most: 1 GiB */
};

static struct {
    int fd;
    off_t offset; /* of the first page of the heap */
    dev_t device; /* what fd should still be: programs close descriptors that are not theirs */
    ino_t inode;
    heap_lock lock; /* one fork at a time */
    bool taken, prepared;
    uint32_t reached;
    int pipe[2]; /* the child holds the writing end until it is done, so that its death ends the wait too */
} view = {.fd = -1};

static void prepare(void) {
    int saved = errno;
    bool taken = heap_lock_take(&view.lock);
    heap_control *c = sup_heap_control();
    view.taken = taken;
    view.prepared = c != NULL;
    if (!c) return;
    bool held = heap_lock_take(&sup_heap_lock);
    view.reached = c->top;
    heap_lock_give(&sup_heap_lock, held);
    if (pipe2(view.pipe, O_CLOEXEC) != 0) view.pipe[0] = view.pipe[1] = -1;
    errno = saved;
}

static void parent_waits(void) {
    int saved = errno;
    char byte;
    if (view.prepared && view.pipe[0] >= 0) {
        close(view.pipe[1]);
        while (read(view.pipe[0], &byte, 1) < 0 && errno == EINTR) continue;
        close(view.pipe[0]);
    }
    heap_lock_give(&view.lock, view.taken);
    errno = saved;
}

static bool still_ours(void) {
    struct stat s;
    return fstat(view.fd, &s) == 0 && s.st_dev == view.device && s.st_ino == view.inode;
}

/* Makes copies of the pages that [p, p + bytes) lies in by writing to them what they hold. */
static void copy_now(unsigned char *p, size_t bytes, size_t step) {
    for (size_t i = 0; i < bytes; i += step) {
        volatile unsigned char *at = p + i;
        *at = *at;
    }
}

/* Reads single pages of the tables only: what another thread had half done when the process forked does not matter. */
static void copy_small(void) {
    size_t step = (size_t)sysconf(_SC_PAGESIZE), left = COPIED_ALL;
    for (uint32_t i = 0; i < view.reached && left; i++) {
        const heap_page *page = &sup_heap_map.pages[i];
        size_t pages = page->kind == PAGE_SLAB ? 1 : page->kind == PAGE_USED ? page->pages : 0;
        if (pages == 0 || pages > COPIED_RUN || pages > left) continue;
        bool slab = page->kind == PAGE_SLAB;
        copy_now(heap_page_at(i), slab ? HEAP_PAGE : (size_t)page->summary + page->last, step);
        left -= pages;
    }
}

static void child_parts(void) {
    int saved = errno;
    if (view.prepared && view.pipe[0] >= 0) close(view.pipe[0]);
    if (view.prepared && view.reached && still_ours()) {
        size_t bytes = (size_t)view.reached << HEAP_PAGE_SHIFT;
        void *p = mmap(heap_page_at(0), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, view.fd,
                       view.offset);
        if (p != MAP_FAILED) copy_small();
    }
    if (view.prepared && view.pipe[1] >= 0) close(view.pipe[1]);
    atomic_store_explicit(&view.lock, 0, memory_order_relaxed);
    errno = saved;
}

void sup_heap_backing_leave(void) {
    if (view.fd >= 0 && still_ours()) close(view.fd);
    view.fd = -1;
}

sup_status sup_heap_backing(const void *base, int fd, size_t offset) {
    struct stat s;
    size_t skip = -(uintptr_t)base & (HEAP_PAGE - 1);
    if (!sup_heap_control() || (const unsigned char *)base + skip != heap_page_at(0)) return SUP_EINVAL;
    if (view.fd >= 0) return SUP_EBUSY;
    if (fstat(fd, &s) != 0 || offset > INT64_MAX - skip) return SUP_EINVAL;
    view.device = s.st_dev;
    view.inode = s.st_ino;
    view.offset = (off_t)(offset + skip);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 64); /* out of the way of programs that count on low numbers */
    if (own < 0) own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return SUP_EIO;
    view.fd = own;
    static bool handled;
    if (handled || pthread_atfork(prepare, parent_waits, child_parts) == 0) {
        handled = true;
        return SUP_OK;
    }
    close(own);
    view.fd = -1;
    return SUP_ENOMEM;
}
