/* Memory that a superstep touches first: pages that the kernel had to find for this thread, by its own count. What a
 * look takes is measured, so that it is in none of the times.
 *
 * A page of a file in memory that another process has touched already counts, too: it is new here. */
#include "bsp/tracing/trace.h"

#include "base/clock.h"
#include "base/number/stats.h"

#include <sys/resource.h>
#include <unistd.h>

enum { LOOKS = 31 };

uint64_t bsp_trace_fresh_pages(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) ? 0 : (uint64_t)usage.ru_minflt;
}

void bsp_trace_fresh_open(bsp_trace_fresh *f) {
    double looks[LOOKS];
    long page = sysconf(_SC_PAGESIZE);
    for (int i = 0; i < LOOKS; i++) {
        int64_t from = sup_clock_ns();
        (void)bsp_trace_fresh_pages();
        looks[i] = sup_clock_seconds(from, sup_clock_ns());
    }
    sup_stats_sort(looks, LOOKS);
    *f = (bsp_trace_fresh){.page = page > 0 ? (uint64_t)page : 4096, .look_s = sup_stats_median_sorted(looks, LOOKS)};
}
