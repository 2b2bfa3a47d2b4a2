/* As programs for MulticoreBSP are written: its header, unsigned numbers of processes and sizes of size_t, declarations
 * everywhere, a blocking get of partial results, unbuffered messages. */
#include "mcbsp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const size_t steps = 120000;

static void inner_loop(double *work, const double x) { *work += 4.0 / (1.0 + x * x); }

static void parallel(void) {
    bsp_begin(bsp_nprocs());
    const unsigned int P = bsp_nprocs();
    const size_t share = (steps + P - 1) / P, start = share * bsp_pid();
    size_t end = start + share;
    if (end > steps) end = steps;
    double partial_work = 0.0;
    for (size_t i = start; i < end; ++i) inner_loop(&partial_work, ((double)i + 0.5) / (double)steps);
    partial_work /= (double)steps;
    bsp_push_reg(&partial_work, sizeof(double));
    size_t tag_size = sizeof(unsigned int);
    bsp_set_tagsize(&tag_size);
    bsp_sync();

    // everyone adds the others' up, without waiting for them
    double integral = partial_work;
    for (unsigned int s = 0; s < bsp_nprocs(); ++s) {
        double theirs = -1.0;
        if (s == bsp_pid()) continue;
        bsp_direct_get(s, &partial_work, 0, &theirs, sizeof(double));
        integral += theirs;
    }
    if (fabs(integral - 3.14159265358979) > 1e-8) bsp_abort("rank %u: %.12f\n", bsp_pid(), integral);

    const unsigned int me = bsp_pid();
    bsp_hpsend((me + 1) % P, &me, &integral, sizeof integral);
    bsp_pop_reg(&partial_work);
    bsp_sync();
    MCBSP_NUMMSG_TYPE packets;
    MCBSP_BYTESIZE_TYPE bytes;
    bsp_qsize(&packets, &bytes);
    void *tag, *payload;
    const size_t length = bsp_hpmove(&tag, &payload);
    if (packets != 1 || bytes != length || *(unsigned int *)tag != (me + P - 1) % P ||
        fabs(*(double *)payload - integral) > 1e-12)
        bsp_abort("rank %u: a wrong message\n", me);
    size_t none = bsp_hpmove(&tag, &payload);
    if (none != SIZE_MAX) bsp_abort("rank %u: a message too many\n", me);
    if (me == 0) printf("ok 1 - a MulticoreBSP program\n1..1\n");
    bsp_end();
}

int main(int argc, char **argv) {
    bsp_init(&parallel, argc, argv);
    parallel();
    return EXIT_SUCCESS;
}
