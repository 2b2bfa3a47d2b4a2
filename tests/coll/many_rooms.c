/* Rooms of the same two members, one after the other, so many that a counter of theirs would come to its end: a room
 * that does not open hangs, and the test ends by its time limit.
 *
 *     many_rooms COUNT */
#include "coll/room/room.h"
#include "net/shm/shm.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *segment;
static long count;

static void *member(void *not_first) {
    int rank = not_first ? 1 : 0;
    sup_net *net;
    if (sup_shm_attach(segment, rank, false, true, &net)) abort();
    sup_net_group all = sup_net_group_first(net, 2);
    for (long i = 0; i < count; i++) {
        /* now and then the other one begins */
        sup_net_group turned = {.net = net, .size = 2, .self = 1 - rank, .ranks = (int[]){1, 0}};
        sup_room *room;
        sup_status st = sup_room_open(i % 5 ? &all : &turned, 8, &room);
        if (st) {
            fprintf(stderr, "room %ld of member %d: %s\n", i, rank, sup_status_text(st));
            abort();
        }
        sup_room_close(room);
    }
    sup_net_close(net);
    return NULL;
}

int main(int argc, char **argv) {
    count = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    size_t bytes = sup_shm_segment_bytes(2);
    segment = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (segment == MAP_FAILED) return 2;
    sup_shm_segment_init(segment, 2);
    pthread_t other;
    if (pthread_create(&other, NULL, member, &count)) return 2;
    member(NULL);
    pthread_join(other, NULL);
    printf("%ld rooms\n", count);
    return 0;
}
