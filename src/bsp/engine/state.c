/* What there is one of in a process: the state of the runtime, what the launcher said, and the lanes that programs
 * append small puts to. */
#include "bsp/engine/state.h"
#include "bsp/engine/log.h"

#include <superstep/bsp_inline.h>

struct bsp_lanes_ bsp_lanes_;
bsp_runtime bsp_rt = {.reg.last_addr = BSP_NO_ADDR};

const sup_launch *bsp_launch(void) {
    static bool known;
    if (!known) sup_launch_take(&bsp_rt.launch);
    known = true;
    return &bsp_rt.launch;
}

_Static_assert(sizeof(bsp_log) == sizeof(struct bsp_lane_) &&
                   offsetof(bsp_log, cursor) == offsetof(struct bsp_lane_, cursor) &&
                   offsetof(bsp_log, addr) == offsetof(struct bsp_lane_, addr) &&
                   offsetof(bsp_log, room) == offsetof(struct bsp_lane_, room) &&
                   offsetof(bsp_log, base) == offsetof(struct bsp_lane_, base) &&
                   offsetof(bsp_log, limit) == offsetof(struct bsp_lane_, limit),
               "programs append to the logs of puts as to lanes");

void bsp_lanes_open(bsp_runtime *b, bsp_log *puts, bsp_log *sends, int procs) {
    const unsigned put_kinds = 1u << BSP_PUT | 1u << BSP_HPPUT;
    b->put_log = puts;
    b->send_log = sends;
    b->get_procs = b->seen >> BSP_GET & 1 ? 0 : (unsigned)procs;
    b->send_procs = b->seen >> BSP_SEND & 1 ? 0 : (unsigned)procs;
    bsp_lanes_ = (struct bsp_lanes_){(struct bsp_lane_ *)(void *)puts, b->seen & put_kinds ? 0 : (unsigned)procs};
}
