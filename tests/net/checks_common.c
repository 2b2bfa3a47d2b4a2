/* What the parts of net_transport share, and the first part: who am I, and are senseless arguments refused? */
#include "transport_checks.h"

#include <string.h>

void failed(env *e, const char *file, int line, const char *what) {
    fprintf(stderr, "net_transport: %s, rank %d of %d: %s:%d: not so: %s\n", sup_net_name(e->net), sup_net_rank(e->net),
            sup_net_size(e->net), file, line, what);
    sup_net_abort(e->net, 1);
}

void barrier(env *e) {
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    e->epoch++;
    for (int d = 1, slot = BARRIER_SLOT; d < size; d *= 2, slot++) {
        CHECK(e, sup_net_signal(e->net, (rank + d) % size, slot, e->epoch) == SUP_OK);
        CHECK(e, sup_net_await(e->net, (rank + size - d) % size, slot, e->epoch, NULL) == SUP_OK);
    }
}

uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t start_of(int from, int to, unsigned id) {
    return ((uint64_t)id << 32) ^ ((uint64_t)from << 16) ^ (uint64_t)to ^ 0x51u;
}

void fill(unsigned char *buf, size_t len, int from, int to, unsigned id) {
    uint64_t s = start_of(from, to, id);
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word = draw(&s);
        memcpy(buf + i, &word, 8);
    }
    uint64_t word = draw(&s);
    memcpy(buf + i, &word, len - i);
}

bool filled(const unsigned char *buf, size_t len, int from, int to, unsigned id) {
    uint64_t s = start_of(from, to, id);
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word = draw(&s);
        if (memcmp(buf + i, &word, 8) != 0) return false;
    }
    uint64_t word = draw(&s);
    return memcmp(buf + i, &word, len - i) == 0;
}

void *take(env *e, size_t bytes) {
    void *p = malloc(bytes ? bytes : 1);
    CHECK(e, p != NULL);
    return p;
}

void check_identity(env *e) {
    int size = sup_net_size(e->net), rank = -7, cause = -7;
    CHECK(e, size >= 1 && sup_net_rank(e->net) >= 0 && sup_net_rank(e->net) < size);
    CHECK(e, sup_net_name(e->net)[0] != '\0');
    for (int i = 0; i < size; i++) {
        const char *host = sup_net_host(e->net, i);
        CHECK(e, host && host[0]);
    }
    CHECK(e, sup_net_progress(e->net) == SUP_OK);
    CHECK(e, sup_net_failure(e->net, &rank, &cause) == SUP_OK);
}

void check_arguments(env *e) {
    int size = sup_net_size(e->net);
    char byte = 0;
    sup_net_req q;
    CHECK(e, sup_net_isend(e->net, size, 0, &byte, 1, &q) == SUP_EINVAL);
    CHECK(e, sup_net_isend(e->net, -1, 0, &byte, 1, &q) == SUP_EINVAL);
    CHECK(e, sup_net_isend(e->net, 0, -1, &byte, 1, &q) == SUP_EINVAL);
    CHECK(e, sup_net_isend(e->net, 0, SUP_NET_TAG_MAX + 1, &byte, 1, &q) == SUP_EINVAL);
    CHECK(e, sup_net_irecv(e->net, size, 0, &byte, 1, &q) == SUP_EINVAL);
    CHECK(e, sup_net_irecv(e->net, -2, 0, &byte, 1, &q) == SUP_EINVAL);
    CHECK(e, sup_net_irecv(e->net, 0, SUP_NET_TAG_MAX + 1, &byte, 1, &q) == SUP_EINVAL);
    CHECK(e, sup_net_signal(e->net, size, 0, 1) == SUP_EINVAL);
    CHECK(e, sup_net_signal(e->net, 0, SUP_NET_SLOTS, 1) == SUP_EINVAL);
    CHECK(e, sup_net_await(e->net, 0, -1, 1, NULL) == SUP_EINVAL);
}
