/* Files under the arenas of the shm transport.
 *
 * The kernel lets page faults in one file wait for each other. So over the two arenas of each process, which the region
 * area begins with, lies a file that this process makes when the transport opens; where processes exceed cores, one of
 * some neighbours:
 *
 *     segment   … | arena 0 | 1 | 2 | 3 | arena 0 | 1 | 2 | 3 | other regions
 *     files       | of 0        | of 2  | of 0        | of 2  |               at the same place in all processes
 *
 * That all could map all files is said at the first meeting that names a region; if one could not, all go back to the
 * segment before anybody has used the area. */
#include "net/host_memory.h"
#include "net/shm/net.h"

#include <stdlib.h>
#include <unistd.h>

/* Bytes of one of the two arenas of the neighbours from rank `first` on. */
static size_t arenas_of(const shm_net *n, int first) {
    int rest = n->net.size - first, share = n->head->sharers;
    return (size_t)(rest < share ? rest : share) * n->head->arena_span;
}

static size_t arenas_of_all(const shm_net *n) { return (size_t)n->net.size * n->head->arena_span; }

void shm_files_make(shm_net *n) {
    int fd = -1, rank = n->net.rank;
    n->files = n->net.size > 1 && n->head->arena_span;
    if (n->files && rank % n->head->sharers == 0)
        (void)sup_host_memory_make("superstep-arena", 2 * arenas_of(n, rank), &fd);
    n->arena_fd = shm_card_of(n->seg, rank)->file = fd;
}

static bool map_file(shm_net *n, int first, int fd) {
    size_t bytes = arenas_of(n, first), all = arenas_of_all(n);
    char *to = (char *)n->seg + n->head->regions + (size_t)first * n->head->arena_span;
    return sup_host_memory_map_at(to, fd, 0, bytes) && sup_host_memory_map_at(to + all, fd, bytes, bytes);
}

void shm_files_map(shm_net *n) {
    int share = n->head->sharers, mine = n->net.rank / share * share;
    bool fine = n->files;
    for (int first = 0; first < n->net.size && fine; first += share) {
        const shm_card *maker = shm_card_of(n->seg, first);
        int fd = n->arena_fd;
        if (first != n->net.rank) fd = sup_host_memory_open(atomic_load(&maker->pid), maker->file);
        fine = map_file(n, first, fd);
        if (first == mine)
            n->arena_fd = fd;
        else if (fd >= 0)
            close(fd);
    }
    shm_card_of(n->seg, n->net.rank)->mapped = fine;
}

sup_status shm_files_settle(shm_net *n) {
    bool all = true;
    for (int i = 0; i < n->net.size; i++) all = all && shm_card_of(n->seg, i)->mapped;
    if (all || !n->files) return SUP_OK;
    shm_files_close(n);
    size_t at = n->head->regions;
    if (sup_host_memory_map_at(shm_at(n->seg, at), n->fd, at, 2 * arenas_of_all(n))) return SUP_OK;
    sup_shm_segment_set_failure(n->seg, n->net.rank, 1000 + EXIT_FAILURE); /* the others go on without this one */
    return SUP_EPEER;
}

bool shm_files_backing(const shm_net *n, size_t offset, int *fd, size_t *in_file) {
    size_t all = arenas_of_all(n);
    int share = n->head->sharers, mine = n->net.rank / share * share;
    if (!n->files || offset >= 2 * all) return false;
    *fd = n->arena_fd;
    *in_file = offset % all - (size_t)mine * n->head->arena_span + (offset < all ? 0 : arenas_of(n, mine));
    return true;
}

void shm_files_close(shm_net *n) {
    if (n->arena_fd >= 0) close(n->arena_fd);
    n->arena_fd = -1;
    n->files = false;
}
