/* A C++ program with the header inside extern "C", as they are found: int and size_t, references to NULL, vectors. */
extern "C" {
#include <bsp.h>
}

#include "cxx.h"

#include <cstddef>
#include <numeric>
#include <superstep/coll.h>
#include <vector>

void classic_program() {
    const int p = bsp_nprocs(), s = bsp_pid();
    std::vector<long> from(p), to(p, -1);
    std::iota(from.begin(), from.end(), 1000L * s);
    bsp_push_reg(to.data(), to.size() * sizeof(long));
    int tagsize = sizeof(int);
    bsp_set_tagsize(&tagsize);
    bsp_sync();
    for (int i = 0; i < p; i++) {
        bsp_put(i, &from[i], to.data(), s * sizeof(long), sizeof(long));
        bsp_send(i, &s, from.data(), i * sizeof(long));
    }
    size_t wide = 0;
    bsp_set_tagsize(&wide);
    bsp_pop_reg(to.data());
    bsp_sync();
    for (int i = 0; i < p; i++)
        if (to[i] != 1000L * i + s) bsp_abort("cxx: put: %ld from %d", to[i], i);
    int packets, bytes;
    bsp_nprocs_t unsigned_packets;
    bsp_size_t wide_bytes;
    bsp_qsize(&packets, &bytes);
    bsp_qsize(&unsigned_packets, &wide_bytes);
    bsp_qsize(&packets, NULL);
    bsp_qsize(&unsigned_packets, nullptr);
    if (packets != p || unsigned_packets != unsigned(p) || wide_bytes != size_t(bytes) ||
        bytes != int(p * s * sizeof(long)))
        bsp_abort("cxx: qsize: %d messages, %d bytes", packets, bytes);
    for (int i = 0; i < p; i++) {
        int status, tag;
        size_t wide_status;
        bsp_get_tag(&status, &tag);
        bsp_get_tag(&wide_status, &tag);
        std::vector<long> payload(s + 1);
        bsp_move(payload.data(), wide_status);
        if (status != int(s * sizeof(long)) || (s > 0 && payload[0] != 1000L * tag))
            bsp_abort("cxx: message of %d", tag);
    }
    double one = 1.0, all = 0.0;
    sup_bsp_allreduce_double(SUP_BSP_SUM, &one, &all, 1);
    sup_bsp_release();
    if (all != p) bsp_abort("cxx: allreduce gave %g", all);
}
