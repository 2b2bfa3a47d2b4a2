/* Where the processes of a net are (BSP §5.2: placement is part of the measurement), gathered at rank 0; and what all
 * of them must agree on before the first trial. Stage "measure", term Tcomm. */
#include "measure/lab/net.h"
#include "measure/lab/place.h"

#include <stdlib.h>
#include <string.h>

typedef struct wire_place {
    sup_rank_place place;
    int64_t usable; /* processes that can run at full speed on the host; 0 unknown */
    uint64_t word;  /* greatest signal value that was used in our slots */
} wire_place;

typedef struct wire_agreed {
    uint64_t serial;
    uint64_t oversubscribed;
} wire_agreed;

static uint64_t used_word(sup_net *net) {
    uint64_t most = 0;
    for (int peer = 0; peer < net->size; peer++)
        for (int slot = SUP_SLOT_TRIAL; slot <= SUP_SLOT_BEAT_LAST; slot++) {
            uint64_t word = sup_net_peek(net, peer, slot);
            if (word > most) most = word;
        }
    return most;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* More processes on a host than it can run, or two on one cpu. room: size entries. */
static bool too_many(const wire_place *all, size_t size, uint64_t *room) {
    memset(room, 0, size * sizeof *room);
    for (size_t i = 0; i < size; i++)
        if (++room[all[i].place.host] > (uint64_t)all[i].usable && all[i].usable > 0) return true;
    size_t pinned = 0;
    for (size_t i = 0; i < size; i++)
        if (all[i].place.cpu >= 0) room[pinned++] = (uint64_t)all[i].place.host << 32 | (uint64_t)all[i].place.cpu;
    qsort(room, pinned, sizeof *room, by_value);
    for (size_t i = 1; i < pinned; i++)
        if (room[i] == room[i - 1]) return true;
    return false;
}

static sup_status collect(sup_lab_net *lab, const wire_place *mine, wire_agreed *agreed) {
    sup_net *net = lab->net;
    size_t size = (size_t)net->size;
    wire_place *all = calloc(size, sizeof *all);
    sup_net_group everybody = sup_net_group_first(net, net->size);
    sup_net_hosts hosts = {0};
    uint64_t *room = calloc(size, sizeof *room);
    sup_rank_place *places = calloc(size, sizeof *places);
    sup_status status = all && room && places ? sup_net_group_hosts(&everybody, &hosts) : SUP_ENOMEM;
    if (!status) all[0] = *mine;
    for (int rank = 1; rank < net->size && !status; rank++)
        status = sup_lab_receive(net, rank, SUP_LAB_TAG_PLACE, &all[rank], sizeof all[rank], NULL);
    if (!status) {
        uint64_t word = 0;
        for (size_t i = 0; i < size; i++) {
            all[i].place.host = hosts.host_of[i];
            places[i] = all[i].place;
            if (all[i].word > word) word = all[i].word;
        }
        agreed->serial = (word >> 32) + 1;
        agreed->oversubscribed = net->oversubscribed || too_many(all, size, room);
        lab->places = places;
        places = NULL;
    }
    free(places);
    free(room);
    sup_net_hosts_free(&hosts);
    free(all);
    return status;
}

sup_status sup_lab_places(sup_lab_net *lab, sup_diag *diag) {
    sup_net *net = lab->net;
    wire_place mine;
    wire_agreed agreed = {0};
    memset(&mine, 0, sizeof mine);
    sup_place_own(&mine.place, &mine.usable);
    mine.word = used_word(net);
    sup_status status;
    if (net->rank == 0) {
        status = collect(lab, &mine, &agreed);
        for (int rank = 1; rank < net->size && !status; rank++)
            status = sup_lab_send(net, rank, SUP_LAB_TAG_PLACE, &agreed, sizeof agreed);
    } else {
        status = sup_lab_send(net, 0, SUP_LAB_TAG_PLACE, &mine, sizeof mine);
        if (!status) status = sup_lab_receive(net, 0, SUP_LAB_TAG_PLACE, &agreed, sizeof agreed, NULL);
    }
    if (status) return sup_diag_set(diag, status, NULL, 0, "cannot find out where the processes are");
    lab->serial = agreed.serial;
    lab->lab.oversubscribed = agreed.oversubscribed != 0;
    lab->lab.places = lab->places;
    return SUP_OK;
}
